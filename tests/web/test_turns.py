"""Sending a message: streamed, by plain form, refused, and broken off."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.http import StreamingHttpResponse
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from finclaw.web.views import turns
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.llm import ModelUnavailable
from foundation.outbox.tasks import drain
from memory.models import Session
from memory.services.sessions import archive, start_session
from memory.services.turn_leases import begin_turn
from tests.support.cast import allow, group_with
from tests.support.model_server import Drops, ModelServer
from tests.support.talk import permit_of
from tests.web.support import chat_of, said_in, signed_in

pytestmark = pytest.mark.django_db(transaction=True)
Event = tuple[str, dict[str, Any]]


def send(browser: Client, session: Session, text: str, *, stream: bool = False) -> Any:
    """Send a message as the page's form does."""
    address = reverse("web:chat_send", args=[session.pk])
    return browser.post(address + ("?stream=true" if stream else ""), {"content": text})


def events_in(answer: StreamingHttpResponse) -> list[Event]:
    """The server-sent events of a stream, read to its end."""
    text = b"".join(answer.streaming_content).decode()  # type: ignore[arg-type]
    blocks = [block.split("\n", 1) for block in text.split("\n\n") if block]
    return [(name.removeprefix("event: "), json.loads(data.removeprefix("data: "))) for name, data in blocks]


def taught(user: User) -> Client:
    """A browser of somebody about whom something was learned."""
    allow(user)
    browser = signed_in(user)
    send(browser, chat_of(user), "I follow BTC")
    drain()
    return browser


def test_a_stream_gives_pieces_and_then_the_answer_as_the_page_shows_it(alice: User) -> None:
    browser = taught(alice)
    session = chat_of(alice)
    events = events_in(send(browser, session, "What do I follow?", stream=True))
    assert [name for name, _ in events] == ["delta"] * (len(events) - 1) + ["done"]
    streamed = "".join(data["text"] for name, data in events if name == "delta")
    answer = said_in(alice, session)[-1]
    assert answer.text == streamed
    done = events[-1][1]
    assert done["message_id"] == str(answer.pk)
    assert "Follows BTC" in done["html"]
    assert done["title"] == session.title


def test_after_a_reload_the_answer_shows_what_it_remembered(alice: User) -> None:
    browser = taught(alice)
    session = chat_of(alice)
    send(browser, session, "What do I follow?")
    question, answer = browser.get(reverse("web:chat_session", args=[session.pk])).context["turns"]
    assert question["memories_used"] == []
    kinds = {memory["kind"]: memory["text"] for memory in answer["memories_used"]}
    assert kinds["item"] == "Follows BTC"
    assert "turn" not in kinds  # the memory stands for the message it was learned from
    assert answer["degraded"] == []  # that no model is connected is said once, above


def test_what_was_withdrawn_is_no_longer_shown_under_old_answers(alice: User) -> None:
    browser = taught(alice)
    session = chat_of(alice)
    send(browser, session, "What do I follow?")
    browser.post(reverse("web:privacy_withdraw"))
    shown = browser.get(reverse("web:chat_session", args=[session.pk])).context["turns"]
    assert [turn["memories_used"] for turn in shown] == [[], []]


def test_without_scripts_a_message_reloads_the_chat_at_its_end(alice: User) -> None:
    allow(alice)
    session = chat_of(alice)
    answer = send(signed_in(alice), session, "I follow BTC")
    assert answer["Location"] == reverse("web:chat_session", args=[session.pk]) + "#latest"
    assert [message.role for message in said_in(alice, session)] == ["user", "assistant"]


def reply_elsewhere(session: Session) -> None:
    begin_turn(permit_of(session.user), session.pk)


@pytest.mark.parametrize(("hinder", "code"), [(archive, "session_archived"), (reply_elsewhere, "reply_pending")])
def test_a_refused_message_is_given_back(alice: User, hinder: Any, code: str) -> None:
    allow(alice)
    session = chat_of(alice)
    with acting_as(alice.pk):
        hinder(session)
    streamed = send(signed_in(alice), session, "I follow BTC", stream=True)
    assert (streamed.status_code, streamed.json()["code"]) == (409, code)
    page = send(signed_in(alice), session, "I follow BTC")
    assert page.status_code == 409
    assert page.context["draft"] == "I follow BTC"
    assert page.context["send_error"] == streamed.json()["message"]


def broken_after_a_piece(*_arguments: Any) -> Iterator[str]:
    """A model that stops in the middle."""
    yield "I was about to"
    raise ModelUnavailable()


def crashed(*_arguments: Any) -> Iterator[str]:
    """A mistake of ours whose message repeats what somebody said."""
    yield "I was about to"
    raise RuntimeError("I follow BTC")


@pytest.mark.parametrize(("stream", "code"), [(broken_after_a_piece, "model_unavailable"), (crashed, "internal_error")])
def test_a_stream_that_breaks_says_so_and_repeats_nothing(
    alice: User, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, stream: Any, code: str
) -> None:
    allow(alice)
    session = chat_of(alice)
    monkeypatch.setattr(turns, "stream", stream)
    events = events_in(send(signed_in(alice), session, "I follow BTC", stream=True))
    assert [name for name, _ in events] == ["delta", "error"]
    assert events[-1][1]["code"] == code
    assert "BTC" not in json.dumps(events[-1][1]) + caplog.text
    assert said_in(alice, session) == []


def test_a_model_that_fails_is_told_where_its_answer_would_stand(alice: User, settings: Settings) -> None:
    allow(alice)
    session = chat_of(alice)
    with ModelServer(Drops(("I was about to",))) as server:
        settings.OPENAI_BASE_URL, settings.MODEL_MAX_RETRIES = server.base_url, 0
        events = events_in(send(signed_in(alice), session, "I follow BTC", stream=True))
    assert [name for name, _ in events] == ["delta", "interrupted", "delta", "done"]
    assert events[2][1]["text"] == said_in(alice, session)[-1].text
    assert "Answered without the language model" in events[-1][1]["html"]


def test_a_reader_who_leaves_frees_the_chat_and_stores_nothing(alice: User) -> None:
    allow(alice)
    session = chat_of(alice)
    answer = send(signed_in(alice), session, "I follow BTC", stream=True)
    next(iter(answer.streaming_content))
    answer.close()
    assert said_in(alice, session) == []
    assert send(signed_in(alice), session, "I follow BTC").status_code == 302


def test_whoever_never_decided_is_asked_before_anything_is_stored(alice: User, bob: User) -> None:
    allow(bob)
    answer = send(signed_in(alice), chat_of(bob), "I follow BTC")
    assert answer["Location"] == reverse("web:onboarding")


def test_the_first_message_opens_a_chat_where_no_script_runs(alice: User) -> None:
    allow(alice)
    browser = signed_in(alice)
    assert "data-start-url" in browser.get(reverse("web:chat")).content.decode()
    page = browser.post(reverse("web:chat_start"), {"content": "I follow BTC", "temporary": "on"}, follow=True)
    assert page.context["turns"][0]["text"] == "I follow BTC"
    assert page.context["session"]["temporary"]
    assert "data-start-url" not in page.content.decode()


@pytest.mark.parametrize("content", ["", " ", "a\x00b"])
def test_a_first_message_that_cannot_be_opens_no_chat_and_is_given_back(alice: User, content: str) -> None:
    allow(alice)
    page = signed_in(alice).post(reverse("web:chat_start"), {"content": content, "temporary": "on"})
    assert page.status_code == 400
    assert (page.context["draft"], page.context["temporary"]) == (content.replace("\x00", ""), True)
    with acting_as(alice.pk):
        assert not Session.objects.exists()


def test_a_chat_is_opened_by_a_post_of_somebody_who_decided(alice: User) -> None:
    browser = signed_in(alice)
    assert browser.get(reverse("web:chat_start")).status_code == 405
    answer = browser.post(reverse("web:chat_start"), {"content": "I follow BTC"})
    assert answer["Location"] == reverse("web:onboarding")


@pytest.mark.parametrize(
    ("text", "given_back"),
    [
        ("My card is 4111 1111 1111 1111, and I follow BTC", "My card is [redacted:bank_card], and I follow BTC"),
        ("我的卡号是4111111111111111，我关注BTC", "我的卡号是[redacted:bank_card]，我关注BTC"),
    ],
)
def test_what_must_not_be_kept_is_refused_in_one_true_sentence(alice: User, text: str, given_back: str) -> None:
    allow(alice)
    browser, session = signed_in(alice), chat_of(alice)
    sentence = (
        "None of it was saved: it seems to hold what is never written down here (bank card), "
        "so that is cut out of your text below."
    )
    refused = send(browser, session, text, stream=True)
    assert refused.status_code == 422
    assert refused.json() == {"code": "sensitive_input", "message": sentence, "draft": given_back}
    page = send(browser, session, text)
    assert (page.context["send_error"], page.context["draft"]) == (sentence, given_back)
    assert "4111" not in page.content.decode()
    assert said_in(alice, session) == []
    assert send(browser, session, given_back).status_code == 302


def test_what_an_answer_started_stands_under_it_with_its_state_and_leads_to_it(alice: User, bob: User) -> None:
    allow(alice)
    allow(bob)
    with acting_as(alice.pk):
        session = start_session(permit_of(alice), alice, group_id=group_with(alice, [bob]).pk)
    browser = signed_in(alice)
    done = events_in(send(browser, session, "Run a snapshot on NVDA", stream=True))[-1][1]
    task = reverse("web:task", args=[said_in(alice, session)[0].pk])
    page = browser.get(reverse("web:chat_session", args=[session.pk])).content.decode()
    for html in (done["html"], page):
        assert "Started: Snapshot, Nvidia" in html
        assert "Waiting" in html
        assert task in html
        assert 'hx-trigger="every 2s"' in html
    drain()
    page = browser.get(reverse("web:chat_session", args=[session.pk]), headers={"HX-Request": "true"}).content.decode()
    assert "Done" in page
    assert 'hx-trigger="every 2s"' not in page
    assert browser.get(task).status_code == 200
    others = signed_in(bob).get(reverse("web:chat_session", args=[session.pk])).content.decode()
    assert "data-started" not in others
    assert task not in others
