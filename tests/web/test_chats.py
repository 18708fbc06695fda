"""Reading, opening and ending chats."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from consent.services import permit_for
from finclaw.web.ending import end_input
from foundation.accounts.models import User
from foundation.accounts.services import take_tip
from foundation.database.acting import acting_as
from foundation.outbox.tasks import drain
from foundation.personal_data import Scope
from memory.models import CognitiveEvent, Session
from memory.services.contexts import save_profile_context
from memory.services.sessions import record_messages, start_session
from memory.types import NewMessage
from tests.support.cast import allow, group_with
from tests.support.talk import say
from tests.web.support import chat_of, signed_in

TIP = "Setting your preferences"


def end_chat(browser: Client, session: Session) -> str:
    """End a chat; the sentence shown."""
    page = browser.post(reverse("web:chat_end", args=[session.pk]), follow=True)
    return " ".join(str(message) for message in page.context["messages"])


def events_of(user: User) -> list[str]:
    with acting_as(user.pk):
        return list(CognitiveEvent.objects.values_list("canonical_text", flat=True))


def test_an_ended_chat_becomes_one_event_in_the_persons_own_words(alice: User) -> None:
    allow(alice)
    session = chat_of(alice, "I follow BTC", "What do I follow?", "I moved to Berlin")
    assert "listed under Events" in end_chat(signed_in(alice), session)
    drain()
    (event,) = events_of(alice)
    assert event.endswith(": Alice follows BTC. Alice moved to Berlin.")


def test_ending_again_without_a_word_in_between_is_the_same_event(alice: User) -> None:
    allow(alice)
    session = chat_of(alice, "I moved to Berlin")
    for _time in range(2):
        end_chat(signed_in(alice), session)
    drain()
    assert len(events_of(alice)) == 1


@pytest.mark.parametrize("scopes", [(), (Scope.SAVE_TO_PROFILE,)])
def test_nothing_is_noted_without_the_learning_scope_and_that_is_said(alice: User, scopes: tuple[Scope, ...]) -> None:
    allow(alice, *(scopes or (Scope.SAVE_TO_THREAD,)))
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
    ("said", "summary", "news"),
    [
        ([], "", ""),
        (["hello"], "", ""),
        (["What is BTC?"], "answered your question “What is BTC?”", ""),
        (["I like tea", "I moved to Berlin", "thanks"], "", "Alice likes tea. Alice moved to Berlin."),
        (["我喜欢什么风格？"], "回答了你的问题“我喜欢什么风格？”", ""),
        (["我搬到上海了", "我喜欢什么风格？", "我爱喝什么"], "", "Alice 搬到上海了。"),
        (["What is BTC?", "What is ETH?"], "answered your questions “What is BTC?” and “What is ETH?”", ""),
        (["I follow SOL. What is BTC?", "What is ETH?"], "", "Alice follows SOL."),
        (["我住在上海，你呢？", "我住在哪里？"], "", "Alice 住在上海，FinClaw 呢？"),
    ],
)
def test_the_end_tells_questions_from_statements(alice: User, said: list[str], summary: str, news: str) -> None:
    permit = allow(alice)
    session = chat_of(alice, *said)
    with acting_as(alice.pk):
        ending = end_input(permit, alice, session)
    assert (ending.action_summary, ending.new_info) == (summary, news)


@pytest.mark.parametrize(
    ("said", "news"),
    [
        (["I like tea", "No, I like coffee", "I follow SOL"], ["coffee", "SOL"]),
        (["我喜欢喝茶", "不对,我喜欢咖啡"], ["咖啡"]),
    ],
)
def test_what_was_corrected_meanwhile_is_no_part_of_the_event(alice: User, said: list[str], news: list[str]) -> None:
    permit = allow(alice)
    session = chat_of(alice)
    for text in said:
        say(alice, session, text)
    with acting_as(alice.pk):
        told = end_input(permit, alice, session).new_info
    assert all(word in told for word in news)
    assert "tea" not in told
    assert "茶" not in told


def test_a_question_asked_twice_is_named_once(alice: User) -> None:
    permit = allow(alice)
    session = chat_of(alice, "What is BTC?", "What is BTC?")
    with acting_as(alice.pk):
        assert end_input(permit, alice, session).action_summary == "answered your question “What is BTC?”"


TOLD = ("I prefer concise answers and I follow SOL", "我现在不喜欢运动风了,喜欢简约的")


@pytest.mark.parametrize("junk", ["", "x" * 8000, "lorem ipsum " * 600, "Buy now. Very cheap. " * 400, "哈" * 8000])
def test_the_event_holds_both_languages_in_whole_sentences_whatever_stands_beside_them(alice: User, junk: str) -> None:
    allow(alice)
    end_chat(signed_in(alice), chat_of(alice, *TOLD, "What do I follow?", *filter(None, [junk])))
    drain()
    (event,) = events_of(alice)
    assert "Alice prefers concise answers and Alice follows SOL." in event
    assert "Alice 现在不喜欢运动风了,喜欢简约的。" in event
    assert len(event) <= 600


def test_ending_again_tells_only_what_was_said_since(alice: User) -> None:
    allow(alice)
    session, browser = chat_of(alice, *TOLD), signed_in(alice)
    end_chat(browser, session)
    with acting_as(alice.pk):
        session = Session.objects.get(pk=session.pk)
        record_messages(permit_for(alice), session, [NewMessage.of_text("user", "I moved to Berlin", "Alice")])
    end_chat(browser, session)
    drain()
    first, second = sorted(events_of(alice), key=lambda event: "Berlin" in event)
    assert "SOL" in first
    assert "Berlin" in second
    assert "SOL" not in second


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
    assert [take_tip(tab) for tab in tabs] == [True, False]


def test_no_tip_is_shown_to_who_has_preferences_or_may_keep_none(alice: User, bob: User) -> None:
    permit = allow(alice)
    with acting_as(alice.pk):
        save_profile_context(permit, {"research_depth": "deep"})
    allow(bob, Scope.MEMORY_LEARNING)
    for user in (alice, bob):
        page = signed_in(user).get(reverse("web:chat_session", args=[chat_of(user).pk]))
        assert TIP not in page.content.decode()
