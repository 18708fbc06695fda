"""A correction is in force in the next message of the same conversation (M-15)."""

from __future__ import annotations

from uuid import UUID

import pytest

from finclaw.brain import turn
from finclaw.brain.types import TurnRequest
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.leases import claim
from foundation.outbox.models import OutboxMessage, Priority
from foundation.outbox.tasks import drain
from memory.learning.services import OBSERVE_TOPIC
from memory.services.history import undo
from tests.memory.evolution.support import believed, changes, recallable
from tests.support.cast import allow
from tests.support.talk import memories, open_session, permit_of, say

CASES = pytest.mark.parametrize(
    ("first", "correction", "question", "new"),
    [
        ("I live in Berlin", "Actually, I live in Hamburg", "Where do I live?", "Hamburg"),
        ("I prefer detailed answers", "No, I now prefer short answers", "How do I like answers?", "short"),
        ("我住在北京", "不对，我现在住在上海", "我住在哪里？", "上海"),
        ("我喜欢运动风", "我现在不喜欢运动风了,喜欢简约的", "我喜欢什么风格？", "简约"),
    ],
)


def _request(session_id: UUID, text: str) -> TurnRequest:
    return TurnRequest(session_id, ({"type": "text", "text": text},))


@CASES
def test_the_next_message_is_answered_with_what_is_right(
    alice: User, first: str, correction: str, question: str, new: str
) -> None:
    allow(alice)
    session = open_session(alice)
    turn.reply(alice, _request(session.pk, first))
    drain()
    [wrong] = believed(alice)
    turn.reply(alice, _request(session.pk, correction))
    drain()

    prepared = turn.prepare(alice, _request(session.pk, question))

    items = [memory.text for memory in prepared.assembly.injected if memory.kind == "item"]
    assert any(new in text for text in items)
    assert wrong not in items


@CASES
def test_the_old_is_replaced_at_the_confidence_of_a_correction_and_comes_back_on_undo(
    alice: User, first: str, correction: str, question: str, new: str
) -> None:
    allow(alice)
    session = open_session(alice)
    say(alice, session, first)
    [before] = believed(alice)
    say(alice, session, correction)
    [current] = [item for item in memories(alice, state="active") if new in item.content]
    assert (current.provenance, current.confidence) == ("confirmed_by_user", 0.9)
    assert before not in recallable(alice)
    assert changes(alice)[-1].action == "superseded"
    with acting_as(alice.pk):
        undo(permit_of(alice), current.pk)
    assert believed(alice) == recallable(alice) == {before}


@pytest.mark.parametrize("text", ["Actually, I live in Hamburg", "不对，我现在住在上海"])
def test_a_worker_takes_a_correction_before_what_waited_longer(alice: User, text: str) -> None:
    allow(alice)
    session = open_session(alice)
    for number in range(3):
        turn.reply(alice, _request(session.pk, f"I follow stock number {number}00"))
    turn.reply(alice, _request(session.pk, text))
    first = claim()
    assert first is not None
    assert (first.topic, first.priority) == (OBSERVE_TOPIC, Priority.URGENT)
    with acting_as(alice.pk):
        assert OutboxMessage.objects.filter(topic=OBSERVE_TOPIC, state=OutboxMessage.State.PENDING).count() == 3
