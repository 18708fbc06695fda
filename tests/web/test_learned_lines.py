"""Under each message stands what it taught: noted, changed, asked; taken back or settled where it stands."""

from __future__ import annotations

import json
import re
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.test import Client
from django.urls import reverse

from finclaw.web.learned_lines import LINES_SHOWN, POLL_MILLISECONDS, WATCHED, learned_under
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.models import OutboxMessage
from foundation.outbox.tasks import drain
from memory.learning.message_learning import own_message
from memory.learning.services import OBSERVE_TOPIC, observe
from memory.models import ConversationEvent, Session
from memory.services.sessions import record_messages
from memory.services.versions import ItemDraft
from memory.types import NewMessage
from tests.support.cast import allow, allow_all_but_learning
from tests.support.items import add_item
from tests.support.talk import memories, open_session, permit_of, say
from tests.web.support import chat_of, memory_of, said_in, signed_in, waiting_memory_of

pytestmark = pytest.mark.django_db(transaction=True)
HTMX = {"HX-Request": "true"}


def answered(browser: Client, session: Session, text: str) -> dict[str, str]:
    """What the stream of an answer ends with."""
    answer: Any = browser.post(reverse("web:chat_send", args=[session.pk]) + "?stream=true", {"content": text})
    last = b"".join(answer.streaming_content).decode().strip().split("\n\n")[-1]
    done: dict[str, str] = json.loads(last.split("data: ", 1)[1])
    return done


def next_look(html: str) -> str:
    """The address a piece of a page asks next, empty where it stops."""
    found = re.search(r'hx-get="([^"]+)" hx-trigger="load delay', html)
    return found[1] if found else ""


def turns_of(browser: Client, session_id: UUID) -> list[dict[str, Any]]:
    """The messages as the page shows them when it is opened anew."""
    turns: list[dict[str, Any]] = browser.get(reverse("web:chat_session", args=[session_id])).context["turns"]
    return turns


def lines_under(browser: Client, message: ConversationEvent) -> list[dict[str, Any]]:
    """The lines under a message, on the page opened anew."""
    (learned,) = (turn["learned"] for turn in turns_of(browser, message.session_id) if turn["message_id"] == message.pk)
    return list(learned["lines"])


def press(browser: Client, message: ConversationEvent, line: dict[str, Any], answer: str, **headers: str) -> Any:
    """Press a button of a line."""
    address = reverse("web:chat_learned_answer", args=[message.session_id, message.pk])
    change = line["undo"].change_id if line["undo"] else None
    given = {"memory": line["memory_id"], "answer": answer, "change": change or ""}
    return browser.post(address, given, headers=headers)


def words(line: dict[str, Any]) -> str:
    """A line as it is read."""
    return f"{line['label']}{line['content']}{line['ending']}"


def test_an_outsider_sees_and_settles_nothing_of_what_alice_said(alice: User, charlie: User) -> None:
    allow(alice)
    allow(charlie)
    session = open_session(alice)
    (message,) = say(alice, session, "I follow BTC")
    (line,) = lines_under(signed_in(alice), message)
    stranger, own = signed_in(charlie), open_session(charlie)
    for key in (session.pk, own.pk):
        assert stranger.get(reverse("web:chat_learned", args=[key, message.pk, 1])).status_code == 404
        address = reverse("web:chat_learned_answer", args=[key, message.pk])
        assert stranger.post(address, {"memory": line["memory_id"], "answer": "undo"}).status_code == 404
    assert [item.state for item in memories(alice)] == ["active"]


def test_a_line_is_answered_by_post_and_names_a_memory_that_the_message_taught(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    (first,) = say(alice, session, "I follow BTC")
    (second,) = say(alice, session, "I live in Hamburg")
    browser = signed_in(alice)
    (line,) = lines_under(browser, first)
    address = reverse("web:chat_learned_answer", args=[session.pk, second.pk])
    assert browser.get(address).status_code == 405
    for memory in (line["memory_id"], uuid4(), "", "\x00"):
        assert browser.post(address, {"memory": memory, "answer": "undo"}).status_code == 404
    assert {item.state for item in memories(alice)} == {"active"}


@pytest.mark.parametrize(
    ("text", "told"),
    [("I follow BTC", "Noted: Follows BTC"), ("我住在柏林", "记下了：")],
)
def test_what_was_learned_stands_under_the_message_in_its_language(alice: User, text: str, told: str) -> None:
    allow(alice)
    session = open_session(alice)
    browser = signed_in(alice)
    html = answered(browser, session, text)["learned"]
    waiting = browser.get(next_look(html))
    assert waiting.context["learned"]["lines"] == []
    drain()
    page = browser.get(next_look(waiting.content.decode()))
    (line,) = page.context["learned"]["lines"]
    assert words(line).startswith(told)
    assert next_look(page.content.decode()) == ""
    (kept,) = memories(alice)
    assert kept.content in page.content.decode()


@pytest.mark.parametrize(
    ("known", "correction", "told"),
    [
        ("I live in Hamburg", "Actually, I live in Berlin now", "Changed: Lives in Berlin, was Hamburg"),
        ("I follow BTC", "I no longer follow BTC", "No longer true: Follows BTC"),
        ("我住在汉堡", "其实我现在住在柏林", "已更新：住在柏林，之前是汉堡"),
    ],
)
def test_what_changed_is_told_with_what_stood_there_and_undone_in_its_place(
    alice: User, known: str, correction: str, told: str
) -> None:
    allow(alice)
    session = open_session(alice)
    say(alice, session, known)
    (second,) = say(alice, session, correction)
    browser = signed_in(alice)
    former = memories(alice)[0].content
    (line,) = lines_under(browser, second)
    assert words(line) == told
    answer = press(browser, second, line, "undo", **HTMX)
    (undone,) = answer.context["learned"]["lines"]
    assert undone["kind"] == "undone"
    assert undone["content"] == former
    assert undone["undo"] is None
    assert [item.content for item in memories(alice, state="active")] == [former]
    assert lines_under(browser, second)[0]["kind"] == "undone"


def test_what_was_noted_is_taken_back_and_kept_again_without_scripts(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    (message,) = say(alice, session, "I follow BTC")
    browser = signed_in(alice)
    (line,) = lines_under(browser, message)
    answer = press(browser, message, line, "undo")
    assert answer.headers["Location"] == reverse("web:chat_session", args=[session.pk]) + f"#learned-{message.pk}"
    assert memories(alice, state="active") == []
    (left_out,) = lines_under(browser, message)
    assert words(left_out) == "Left out: Follows BTC"
    press(browser, message, left_out, "undo")
    assert words(lines_under(browser, message)[0]) == "Noted: Follows BTC"
    assert [item.content for item in memories(alice, state="active")] == ["Follows BTC"]


@pytest.mark.parametrize(("answer", "kind", "state"), [("yes", "noted", "active"), ("no", "left_out", "invalid")])
def test_what_is_not_sure_is_settled_where_it_stands(alice: User, answer: str, kind: str, state: str) -> None:
    allow(alice)
    item = waiting_memory_of(alice, "Goes to Kunming")
    with acting_as(alice.pk):
        message = own_message(permit_of(alice), UUID(item.provenance_detail["message_ids"][0]))
    browser = signed_in(alice)
    (line,) = lines_under(browser, message)
    assert (line["kind"], line["is_asked"], line["undo"]) == ("asked", True, None)
    settled = press(browser, message, line, answer, **HTMX).context["learned"]["lines"][0]
    assert settled["kind"] == kind
    assert settled["has_focus"]
    assert [one.state for one in memories(alice)] == [state]
    again = press(browser, message, settled, "undo", **HTMX).context["learned"]["lines"][0]
    assert again["kind"] == "asked"


@pytest.mark.parametrize(
    ("answer", "told", "states"),
    [
        ("yes", "Changed: Moved to Leeds, was Lives in Bristol", ["superseded", "active"]),
        ("no", "Noted: Moved to Leeds", ["active", "active"]),
    ],
)
def test_what_perhaps_replaces_something_is_asked_about_beside_it(
    alice: User, answer: str, told: str, states: list[str]
) -> None:
    allow(alice)
    (message,) = said_in(alice, chat_of(alice, "btw we moved to Leeds last month"))
    older = memory_of(alice, "Lives in Bristol")
    detail = {"rule": "test", "message_ids": [str(message.pk)], "may_change": [str(older.chain_id)]}
    with acting_as(alice.pk):
        add_item(
            permit_of(alice), ItemDraft("Moved to Leeds", "observation", "fact", "observation", 0.5, detail=detail)
        )
    browser = signed_in(alice)
    (line,) = lines_under(browser, message)
    assert words(line) == "Noted: Moved to Leeds. Does it replace “Lives in Bristol”?"
    assert line["is_asked"]
    (settled,) = press(browser, message, line, answer, **HTMX).context["learned"]["lines"]
    assert words(settled) == told
    assert [item.state for item in memories(alice)] == states
    (again,) = press(browser, message, settled, "undo", **HTMX).context["learned"]["lines"]
    assert again["kind"] == ("perhaps_changed" if answer == "yes" else "left_out")


def test_a_button_of_another_window_says_that_it_has_changed_meanwhile(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    say(alice, session, "I live in Hamburg")
    (message,) = say(alice, session, "Actually, I live in Berlin now")
    browser = signed_in(alice)
    (line,) = lines_under(browser, message)
    press(browser, message, line, "undo")
    again = press(browser, message, line, "undo", **HTMX)
    assert "changed meanwhile" in again.context["learned"]["notice"]
    assert [item.content for item in memories(alice, state="active")] == ["Lives in Hamburg"]


def test_the_lines_stay_once_the_work_is_no_longer_on_record_and_tell_what_is_past(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    (first,) = say(alice, session, "I live in Hamburg")
    (second,) = say(alice, session, "Actually, I live in Berlin now")
    OutboxMessage.objects.filter(topic=OBSERVE_TOPIC).delete()
    browser = signed_in(alice)
    (past,) = lines_under(browser, first)
    assert (words(past), past["undo"]) == ("Noted: Lives in Hamburg", None)
    assert lines_under(browser, second)[0]["undo"] is not None


def test_what_is_being_forgotten_is_told_no_more(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    (message,) = say(alice, session, "I follow BTC")
    browser = signed_in(alice)
    (line,) = lines_under(browser, message)
    browser.post(reverse("web:forget_memory", args=[line["memory_id"]]), {"sources": "keep"})
    assert lines_under(browser, message) == []


def test_many_lines_are_folded(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    texts = ["I follow BTC.", "I live in Hamburg.", "I like coffee.", "I have two kids.", "I play chess."]
    texts += ["I own a boat.", "I speak Spanish.", "I work as a nurse."]
    (message,) = say(alice, session, " ".join(texts))
    browser = signed_in(alice)
    (learned,) = (turn["learned"] for turn in turns_of(browser, session.pk) if turn["message_id"] == message.pk)
    assert len(learned["lines"]) == LINES_SHOWN
    assert learned["more_lines"]
    page = browser.get(reverse("web:chat_session", args=[session.pk])).content.decode()
    assert f"and {len(learned['more_lines'])} more" in page


def test_the_page_stops_asking_when_the_worker_takes_too_long(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    browser = signed_in(alice)
    address = next_look(answered(browser, session, "I follow BTC")["learned"])
    asked = 0
    while address:
        asked += 1
        address = next_look(browser.get(address).content.decode())
    assert asked == len(POLL_MILLISECONDS)


def test_a_page_looks_again_at_its_latest_messages_alone(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    with acting_as(alice.pk):
        for number in range(2 * WATCHED):
            said = [NewMessage.of_text("user", f"I follow coin number {number}", alice.name)]
            observe(permit_of(alice), record_messages(permit_of(alice), session, said))
    turns = turns_of(signed_in(alice), session.pk)
    assert [bool(turn["learned"]["next_attempt"]) for turn in turns] == [False] * WATCHED + [True] * WATCHED


def test_lines_that_are_as_they_were_shown_are_left_as_they_are(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    (message,) = say(alice, session, "I follow BTC")
    browser = signed_in(alice)
    (turn,) = turns_of(browser, session.pk)
    address = reverse("web:chat_learned", args=[session.pk, message.pk, 1])
    same = browser.get(f"{address}?shown={turn['learned']['digest']}")
    assert (same.headers["HX-Retarget"], same.headers["HX-Reswap"]) == (f"#look-{message.pk}", "outerHTML")
    assert "Follows BTC" not in same.content.decode()
    assert "Follows BTC" in browser.get(f"{address}?shown=other").content.decode()


def test_nothing_is_looked_for_where_nothing_is_learned(alice: User, bob: User) -> None:
    allow(alice)
    assert answered(signed_in(alice), open_session(alice, remember=False), "I follow BTC")["learned"] == ""
    allow_all_but_learning(bob)
    assert answered(signed_in(bob), open_session(bob), "I follow BTC")["learned"] == ""


def test_a_page_of_messages_asks_as_often_as_a_page_of_one(alice: User, django_assert_max_num_queries: Any) -> None:
    allow(alice)
    session = open_session(alice)
    browser = signed_in(alice)
    for text in ("I follow BTC", "I live in Hamburg", "Actually, I live in Berlin now"):
        answered(browser, session, text)
        drain()
    permit = permit_of(alice)
    said = said_in(alice, session)
    with acting_as(alice.pk), django_assert_max_num_queries(4):
        assert len(learned_under(permit, said)) == 3
