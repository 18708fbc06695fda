"""What a turn told becomes an event without anybody ending the chat, and so does what a chat holds once it rests."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.conf import settings
from django.test import override_settings

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.ids import new_id
from foundation.outbox.models import OutboxMessage, Priority
from foundation.outbox.tasks import drain
from foundation.personal_data import ConsentScope
from memory.historian.archival import archive_session
from memory.historian.automatic_ends import END_TURNS_TOPIC, end_resting_sessions, turn_request_id
from memory.historian.services import END_TOPIC
from memory.learning.services import observe
from memory.models import CognitiveEvent, CognitiveJob, ConversationEvent, Session
from tests.support.cast import A_MONDAY, allow, allow_nothing, group_with
from tests.support.talk import open_session, permit_of, say

WAITED = timedelta(seconds=settings.END_WAIT_SECONDS + 1)
RESTED = timedelta(minutes=settings.SESSION_REST_MINUTES + 1)


def events(user: User) -> list[CognitiveEvent]:
    with acting_as(user.pk):
        return list(CognitiveEvent.objects.filter(perspective="sender").order_by("timestamp_utc", "id"))


def texts(user: User) -> str:
    return " ".join(event.canonical_text for event in events(user))


def named(user: User) -> list[list[str]]:
    """The messages each end was told of, in the order of the ends."""
    with acting_as(user.pk):
        return [[str(key) for key in job.message_ids] for job in CognitiveJob.objects.order_by("created_at", "end_seq")]


def waiting(user: User) -> int:
    with acting_as(user.pk):
        return OutboxMessage.objects.filter(topic=END_TURNS_TOPIC, state="pending").count()


def priorities(user: User) -> list[int]:
    with acting_as(user.pk):
        return list(
            OutboxMessage.objects.filter(topic=END_TOPIC).order_by("priority").values_list("priority", flat=True)
        )


def imported_session(user: User) -> Session:
    with acting_as(user.pk):
        return Session.objects.create(user=user, brought_by=new_id(), expires_at=A_MONDAY + timedelta(days=1))


@pytest.mark.parametrize(
    ("said", "word"), [("I moved to York in May.", "York"), ("我搬到上海了。", "上海")], ids=["English", "Chinese"]
)
def test_what_a_turn_told_becomes_an_event_by_itself(alice: User, said: str, word: str) -> None:
    allow(alice)
    with time_machine.travel(A_MONDAY, tick=False) as clock:
        [message] = say(alice, open_session(alice), said)
        assert events(alice) == []
        clock.shift(WAITED)
        drain()
    [event] = events(alice)
    assert word in event.canonical_text
    assert event.request_id == turn_request_id(message.pk)
    assert event.message_ids == [message.pk]
    assert event.timestamp_utc == message.occurred_at


@pytest.mark.parametrize(
    "said",
    [
        "Hello there!", "Thanks a lot, bye!", "What is a bond?", "Where do I live?", "Forget that I live in York.",
        "Please answer in English.", "你好！", "谢谢，再见！", "什么是债券？", "忘掉我住在约克这件事。",
    ],
)  # fmt: skip
def test_small_talk_questions_and_requests_are_ended_by_nobody(alice: User, said: str) -> None:
    allow(alice)
    with time_machine.travel(A_MONDAY, tick=False) as clock:
        say(alice, open_session(alice), said)
        assert waiting(alice) == 0
        clock.shift(RESTED)
        end_resting_sessions()
        drain()
    assert events(alice) == []


def test_what_is_said_in_one_breath_is_one_end(alice: User) -> None:
    allow(alice)
    with time_machine.travel(A_MONDAY, tick=False) as clock:
        session = open_session(alice)
        said = [message for text in ("I moved to York.", "I bought ASML.") for message in say(alice, session, text)]
        assert waiting(alice) == 1
        clock.shift(WAITED)
        drain()
    assert named(alice) == [[str(message.pk) for message in said]]


def test_what_is_corrected_at_once_is_told_as_it_is_right(alice: User) -> None:
    allow(alice)
    with time_machine.travel(A_MONDAY, tick=False) as clock:
        session = open_session(alice)
        say(alice, session, "I live in Leeds.")
        [right] = say(alice, session, "No, I live in York.")
        clock.shift(WAITED)
        drain()
    assert named(alice) == [[str(right.pk)]]
    assert "York" in texts(alice)
    assert "Leeds" not in texts(alice)


def test_an_end_of_the_whole_chat_takes_what_waits_with_it(alice: User) -> None:
    allow(alice)
    with time_machine.travel(A_MONDAY, tick=False) as clock:
        session = open_session(alice)
        [message] = say(alice, session, "I moved to York.")
        with acting_as(alice.pk):
            archive_session(permit_of(alice), alice, Session.objects.get(pk=session.pk))
        clock.shift(RESTED)
        end_resting_sessions()
        drain()
    assert named(alice) == [[str(message.pk)]]


def test_a_chat_that_rests_is_written_up_once_and_may_go_on(alice: User) -> None:
    allow(alice)
    with time_machine.travel(A_MONDAY, tick=False) as clock:
        session = open_session(alice)
        [first] = say(alice, session, "I moved to York.", learn=False)  # the queue was full, say
        clock.shift(RESTED - timedelta(minutes=2))
        assert end_resting_sessions() == 0
        learn_from(alice, first)
        clock.shift(timedelta(minutes=2))
        assert (end_resting_sessions(), end_resting_sessions()) == (1, 0)
        [second] = say(alice, session, "I bought ASML.")
        clock.shift(WAITED)
        drain()
        clock.shift(RESTED)
        assert end_resting_sessions() == 0
    assert named(alice) == [[str(first.pk)], [str(second.pk)]]
    with acting_as(alice.pk):
        rested = Session.objects.get(pk=session.pk)
    assert (rested.archived_at, rested.ended_seq) == (None, 2)


def test_a_long_chat_is_written_up_in_several_ends(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memory.historian.automatic_ends.ENDED_AT_ONCE", 2)
    allow(alice)
    with time_machine.travel(A_MONDAY, tick=False) as clock:
        session = open_session(alice)
        said = say(alice, session, "I moved to York.", "I bought ASML.", "I have a sister.", learn=False)
        clock.shift(RESTED)
        assert end_resting_sessions() == 1
        drain()
    keys = [str(message.pk) for message in said]
    assert named(alice) == [keys[:2], keys[2:]]


def test_nobody_waits_for_the_chats_that_somebody_imports(
    alice: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memory.historian.automatic_ends.BATCH", 2)
    allow(alice)
    allow(bob)
    with time_machine.travel(A_MONDAY, tick=False) as clock:
        for text in ("I moved to York.", "I moved to Leeds."):
            imported = imported_session(alice)
            say(alice, imported, text, learn=False)
            with acting_as(alice.pk):
                Session.objects.filter(pk=imported.pk).update(last_active_at=A_MONDAY - timedelta(days=900))
        [own] = say(alice, open_session(alice), "I bought ASML.", learn=False)
        [others] = say(bob, open_session(bob), "I moved to Bath.", learn=False)
        clock.shift(RESTED)
        assert end_resting_sessions() == 2
        assert (named(alice), named(bob)) == ([[str(own.pk)]], [[str(others.pk)]])
        assert priorities(alice) == priorities(bob) == [Priority.NORMAL]
        assert end_resting_sessions() == 2
    assert priorities(alice) == [Priority.NORMAL, Priority.LOW, Priority.LOW]


def test_what_was_forgotten_is_not_told_again_when_the_chat_rests(alice: User) -> None:
    allow(alice)
    with time_machine.travel(A_MONDAY, tick=False) as clock:
        session = open_session(alice)
        say(alice, session, "I moved to York.")
        clock.shift(RESTED)
        assert end_resting_sessions() == 1
        drain()
        with acting_as(alice.pk):
            CognitiveJob.objects.all().delete()
        assert end_resting_sessions() == 0
        clock.shift(WAITED)
        drain()
    with acting_as(alice.pk):
        assert not CognitiveJob.objects.exists()


@pytest.mark.parametrize("case", ["temporary", "without the scope", "switched off", "a model that ends itself"])
def test_nothing_is_ended_that_may_not(alice: User, case: str) -> None:
    allow_nothing(alice) if case == "without the scope" else allow(alice)
    off: dict[str, dict[str, Any]] = {
        "switched off": {"COGNITIVE_ENABLED": False},
        "a model that ends itself": {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "MODEL_CALLS_TOOLS": True},
    }
    with time_machine.travel(A_MONDAY, tick=False) as clock, override_settings(**off.get(case, {})):
        say(alice, open_session(alice, remember=case != "temporary"), "I moved to York.")
        assert waiting(alice) == 0
        if case != "a model that ends itself":  # which may have kept silent: then the rest of the chat tells it
            clock.shift(RESTED)
            assert end_resting_sessions() == 0
    with acting_as(alice.pk):
        assert not CognitiveJob.objects.exists()


def test_a_withdrawal_while_it_waits_leaves_nothing(alice: User) -> None:
    allow(alice)
    with time_machine.travel(A_MONDAY, tick=False) as clock:
        say(alice, open_session(alice), "I moved to York.")
        allow(alice, ConsentScope.SAVE_TO_PROFILE)
        clock.shift(RESTED)
        drain()
        end_resting_sessions()
    with acting_as(alice.pk):
        assert not CognitiveJob.objects.exists()


def test_in_a_group_each_members_own_words_are_ended_and_no_one_elses(alice: User, bob: User) -> None:
    allow(alice)
    allow(bob)
    with time_machine.travel(A_MONDAY, tick=False) as clock:
        session = open_session(alice, group_id=group_with(alice, [bob]).pk)
        [hers] = say(alice, session, "I moved to York.")
        [his] = say(bob, session, "I moved to Leeds.")
        clock.shift(WAITED)
        drain()
    assert (named(alice), named(bob)) == ([[str(hers.pk)]], [[str(his.pk)]])


def learn_from(user: User, message: ConversationEvent) -> None:
    with acting_as(user.pk):
        observe(permit_of(user), [message], priority=Priority.LOW)
    drain()
