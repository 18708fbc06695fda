"""Reading, opening and ending chats."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from consent.services import permit_for
from finclaw.web.chat_end import build_end_input
from foundation.accounts.models import User
from foundation.accounts.services import claim_tip
from foundation.database.acting_user import acting_as
from foundation.outbox.tasks import drain
from foundation.personal_data import ConsentScope
from memory.models import CognitiveEvent, Session
from memory.research.profile_context import save_profile_context
from memory.services.sessions import record_messages, start_session
from memory.types import NewMessage
from tests.support.cast import allow, group_with
from tests.web.support import chat_of, signed_in

TIP = "Setting your preferences"


def end_chat(browser: Client, session: Session) -> str:
    """End a chat; the sentence shown."""
    page = browser.post(reverse("web:chat_end", args=[session.pk]), follow=True)
    return " ".join(str(message) for message in page.context["messages"])


def events_of(user: User) -> list[str]:
    with acting_as(user.pk):
        events = CognitiveEvent.objects.order_by("timestamp_utc", "part")  # messages of one moment: as they were said
        return list(events.values_list("canonical_text", flat=True))


def test_an_ended_chat_becomes_an_event_for_each_thing_its_person_told(alice: User) -> None:
    allow(alice)
    session = chat_of(alice, "I follow BTC", "What do I follow?", "I moved to Berlin")
    assert "listed under Events" in end_chat(signed_in(alice), session)
    drain()
    assert {event.split(": ", 1)[1] for event in events_of(alice)} == {"Alice follows BTC.", "Alice moved to Berlin."}


def test_ending_again_without_a_word_in_between_is_the_same_event(alice: User) -> None:
    allow(alice)
    session = chat_of(alice, "I moved to Berlin")
    for _time in range(2):
        end_chat(signed_in(alice), session)
    drain()
    assert len(events_of(alice)) == 1


@pytest.mark.parametrize("scopes", [(), (ConsentScope.SAVE_TO_PROFILE,)])
def test_nothing_is_noted_without_the_learning_scope_and_that_is_said(
    alice: User, scopes: tuple[ConsentScope, ...]
) -> None:
    allow(alice, *(scopes or (ConsentScope.SAVE_TO_THREAD,)))
    assert "Nothing from it was noted" in end_chat(signed_in(alice), chat_of(alice, "I moved to Berlin"))
    drain()
    assert events_of(alice) == []


def test_a_temporary_chat_leaves_no_event(alice: User) -> None:
    allow(alice)
    browser = signed_in(alice)
    page = browser.post(reverse("web:chat_new"), {"temporary": "on"}, follow=True)
    with acting_as(alice.pk):
        session = Session.objects.get()
    assert not session.remember
    assert "This chat is temporary" in page.content.decode()
    assert "Nothing from it was noted" in end_chat(browser, session)


@pytest.mark.parametrize(
    ("said", "is_telling"),
    [
        ([], False),
        (["hello"], False),
        (["What is BTC?", "What is ETH?"], False),
        (["我喜欢什么风格？"], False),
        (["I like tea", "I moved to Berlin", "thanks"], True),
        (["我搬到上海了", "我爱喝什么"], True),
        (["I follow SOL. What is BTC?"], True),
    ],
)
def test_the_end_names_the_messages_where_one_tells_something(alice: User, said: list[str], is_telling: bool) -> None:
    permit = allow(alice)
    session = chat_of(alice, *said)
    with acting_as(alice.pk):
        ending = build_end_input(permit, alice, session)
    assert len(ending.message_ids) == (len(said) if is_telling else 0)
    assert (ending.action_summary, ending.new_info) == ("", "")


TOLD = ("I prefer concise answers and I follow SOL", "我从上海搬到了成都")


@pytest.mark.parametrize("junk", ["", "x" * 8000, "lorem ipsum " * 600, "Buy now. Very cheap. " * 40, "哈" * 8000])
def test_each_thing_told_is_an_event_in_its_own_language_whatever_stands_beside_it(alice: User, junk: str) -> None:
    allow(alice)
    end_chat(signed_in(alice), chat_of(alice, *TOLD, "What do I follow?", *filter(None, [junk])))
    drain()
    told = [event.split(": ", 1)[-1].split("：", 1)[-1] for event in events_of(alice)]
    assert told == ["Alice prefers concise answers and Alice follows SOL.", "Alice 从上海搬到了成都。"]


def test_ending_again_tells_only_what_was_said_since(alice: User) -> None:
    allow(alice)
    session, browser = chat_of(alice, *TOLD), signed_in(alice)
    end_chat(browser, session)
    with acting_as(alice.pk):
        session = Session.objects.get(pk=session.pk)
        record_messages(permit_for(alice), session, [NewMessage.of_text("user", "I moved to Berlin", "Alice")])
    end_chat(browser, session)
    drain()
    with acting_as(alice.pk):
        told = dict(CognitiveEvent.objects.exclude(new_info__contains="成都").values_list("event_id", "new_info"))
    assert sorted(told.values()) == ["Alice moved to Berlin.", "Alice prefers concise answers and Alice follows SOL."]
    assert len(told) == 2


def test_the_latest_chat_opens_first(alice: User) -> None:
    allow(alice)
    chat_of(alice, "one")
    latest = chat_of(alice, "two")
    assert signed_in(alice).get(reverse("web:chat"))["Location"] == reverse("web:chat_session", args=[latest.pk])


def test_an_ended_chat_stays_to_be_read_and_the_next_visit_starts_afresh(alice: User) -> None:
    allow(alice)
    chat_of(alice, "one")
    ended, browser = chat_of(alice, "two"), signed_in(alice)
    end_chat(browser, ended)
    assert browser.get(reverse("web:chat")).context["session"] is None
    page = browser.get(reverse("web:chat_session", args=[ended.pk]))
    assert [turn["text"] for turn in page.context["turns"]] == ["two"]
    assert "This chat ended on" in page.content.decode()


def test_a_group_chat_one_member_ends_stays_open(alice: User, bob: User) -> None:
    allow(alice)
    allow(bob)
    with acting_as(alice.pk):
        session = start_session(permit_for(alice), alice, group_id=group_with(alice, [bob]).pk)
    end_chat(signed_in(alice), session)
    page = signed_in(bob).get(reverse("web:chat_session", args=[session.pk]))
    assert page.context["session"]["ended_at"] is None


def test_a_long_chat_is_read_in_pieces_and_each_message_once(alice: User) -> None:
    allow(alice)
    texts = [f"message {number}" for number in range(130)]
    session = chat_of(alice, *texts)
    browser, address = signed_in(alice), "?"
    seen: list[str] = []
    while address:
        page = browser.get(reverse("web:chat_session", args=[session.pk]) + address).context
        seen = [turn["text"] for turn in page["turns"]] + seen
        address = page["earlier_url"]
    assert seen == texts


def test_the_tip_is_shown_once_in_24_hours(alice: User) -> None:
    allow(alice)
    browser, address = signed_in(alice), reverse("web:chat_session", args=[chat_of(alice).pk])
    shown = []
    with time_machine.travel(timezone.now(), tick=False) as clock:
        for passed in (timedelta(0), timedelta(hours=23, minutes=59), timedelta(minutes=1), timedelta(hours=1)):
            clock.shift(passed)
            shown.append(TIP in browser.get(address).content.decode())
    assert shown == [True, False, True, False]


def test_the_tip_is_shown_once_whatever_the_browser(alice: User) -> None:
    allow(alice)
    address = reverse("web:chat_session", args=[chat_of(alice).pk])
    pages = [signed_in(alice).get(address).content.decode() for _ in range(2)]
    assert [TIP in page for page in pages] == [True, False]


def test_of_two_pages_opened_at_once_one_shows_the_tip(alice: User) -> None:
    tabs = [User.objects.get(pk=alice.pk), User.objects.get(pk=alice.pk)]
    assert [claim_tip(tab.pk) for tab in tabs] == [True, False]


def test_no_tip_is_shown_to_who_has_preferences_or_may_keep_none(alice: User, bob: User) -> None:
    permit = allow(alice)
    with acting_as(alice.pk):
        save_profile_context(permit, {"research_depth": "deep"})
    allow(bob, ConsentScope.MEMORY_LEARNING)
    for user in (alice, bob):
        page = signed_in(user).get(reverse("web:chat_session", args=[chat_of(user).pk]))
        assert TIP not in page.content.decode()
