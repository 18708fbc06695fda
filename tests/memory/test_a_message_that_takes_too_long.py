"""A message on which some function runs away ends alone: its job is a dead letter, everything else goes on."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import pytest
from pytest_django import Settings

from foundation.accounts.models import User
from foundation.database.acting_user import in_role
from foundation.database.roles import WORKER_ROLE
from foundation.outbox.models import OutboxMessage
from memory.evolution.rule_analyzer import analyze
from memory.evolution.types import StatementCandidate, Utterance
from memory.learning import extraction
from memory.learning.services import OBSERVE_TOPIC
from tests.support.cast import allow
from tests.support.talk import memories, open_session, say

HOSTILE: Final = "a" * 40
_EXPONENTIAL: Final = re.compile(r"(?:a|a)*b")
State = OutboxMessage.State


@pytest.fixture(autouse=True)
def runs_away(monkeypatch: pytest.MonkeyPatch, settings: Settings, alice: User) -> None:
    """One text takes the analyzer hours; everything else it reads as ever."""
    allow(alice)
    say(alice, open_session(alice), "Hello")  # what is loaded at the first message takes its time

    def analyzed(utterance: Utterance) -> list[StatementCandidate]:
        _EXPONENTIAL.fullmatch(utterance.text)
        return analyze(utterance)

    monkeypatch.setattr(extraction, "analyze", analyzed)
    settings.LEARNING_DEADLINE_SECONDS = 0.3


def jobs() -> Sequence[OutboxMessage]:
    with in_role(WORKER_ROLE):
        return list(OutboxMessage.objects.filter(topic=OBSERVE_TOPIC).order_by("created_at"))


def test_its_job_is_a_dead_letter_at_once_and_the_next_message_is_learned(alice: User) -> None:
    session = open_session(alice)

    say(alice, session, HOSTILE)
    say(alice, session, "I follow BTC")

    _, hostile, harmless = jobs()
    assert (hostile.state, hostile.attempts, hostile.error_class) == (State.FAILED, 1, "DeadlineExceeded")
    assert harmless.state == State.DONE
    assert [item.attributes["value"] for item in memories(alice)] == ["BTC"]


def test_of_many_messages_learned_together_it_alone_is_lost(alice: User) -> None:
    said = say(alice, open_session(alice), "I follow BTC", HOSTILE, "I live in Berlin")

    _, together, *alone = jobs()
    assert together.state == State.DONE
    by_message = {job.payload["messages"][0]: job for job in alone}
    assert [by_message[str(event.pk)].state for event in said] == [State.DONE, State.FAILED, State.DONE]
    assert by_message[str(said[1].pk)].error_class == "DeadlineExceeded"
    assert {item.attributes["value"] for item in memories(alice)} == {"BTC", "Berlin"}
