"""Learns from messages: each candidate statement in a message is refused, or decided on and written.

``observe`` queues what was said; the worker indexes and reads it, and calls ``learn`` (``memory.tasks``). A candidate
passes the gateway or is refused, ``decisions`` says what it does to what is known, ``decision_writing`` writes that. A
model may read the message again later: ``amend``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final
from uuid import UUID

from consent.permit import Permit
from consent.services import scope_held_since
from foundation.outbox import services as outbox
from foundation.outbox.capacity import has_room
from foundation.outbox.models import OutboxMessage, Priority
from foundation.personal_data import ConsentScope
from foundation.telemetry.metrics import CANDIDATES_REFUSED
from memory.evolution.quality_gateway import Refusal, refusal_of
from memory.evolution.rule_analyzer import analyze, is_correction
from memory.evolution.slots import OWN_SENTENCE
from memory.evolution.types import Utterance
from memory.learning.decision_writing import write_decision
from memory.learning.decisions import decide_candidate
from memory.learning.extraction import EmbeddedCandidate
from memory.learning.item_lookup import memories_taught_by
from memory.learning.model_amendment import drop_answered_questions, new_candidates
from memory.learning.preceding_messages import (
    candidates_of_correction,
    corrected_message,
    preceding_answer,
    utterance_of,
)
from memory.learning.style_refusal import style_refusal
from memory.models import ConversationEvent
from memory.services.sessions import message_before
from memory.types import ItemChange

OBSERVE_TOPIC = "memory.observe"
_READ_AT_ONCE: Final = 1_000  # characters


@dataclass(frozen=True)
class LearningResult:
    """The changes that a message made, and why the rest of what was found in it was refused."""

    changes: tuple[ItemChange, ...] = ()
    refused: tuple[str, ...] = ()


def observe(
    permit: Permit,
    events: Sequence[ConversationEvent],
    *,
    priority: Priority = Priority.NORMAL,
    wake: bool = True,
) -> OutboxMessage | None:
    """Queue messages for indexing and analysis, unless learning is not allowed or the queue is full.

    Corrections are queued as urgent, but not those in an import, for which nobody waits.
    """
    learnable = [event for event in events if event.learnable]
    if not learnable or not permit.allows(ConsentScope.MEMORY_LEARNING) or not has_room(priority):
        return None
    if priority == Priority.NORMAL and any(_is_correction(event) for event in learnable):
        priority = Priority.URGENT
    messages = [str(event.pk) for event in learnable]
    return queue(permit.user_id, str(learnable[0].session_id), messages, priority, wake=wake)


def queue(
    user_id: UUID, session_id: str, messages: Sequence[str], priority: Priority, *, wake: bool = True
) -> OutboxMessage:
    """Queue messages of one conversation, by their ids, for indexing and analysis."""
    return outbox.enqueue(
        OBSERVE_TOPIC,
        user_id=user_id,
        payload={"session": session_id, "messages": list(messages)},
        scope=ConsentScope.MEMORY_LEARNING.value,
        priority=priority,
        wake=wake,
    )


def _is_correction(event: ConversationEvent) -> bool:
    """Whether a message begins with a correction.

    The user waits meanwhile, so only its beginning is read; a correction further down is learned a moment later.
    """
    return event.role == ConversationEvent.Role.USER and is_correction(event.text[:_READ_AT_ONCE])


def learn(
    permit: Permit,
    event: ConversationEvent,
    previous: ConversationEvent | None,
    read: Mapping[Utterance, Sequence[EmbeddedCandidate]],
) -> LearningResult:
    """Learn what one message teaches about its speaker: insert, supersede, retire or confirm each candidate.

    ``read`` was found before the transaction; a message whose words have changed since is read again, by rules. Call
    while the permit is held, so that one message of a user is learned at a time: two about the same slot, learned side
    by side, would both win.
    """
    utterance = utterance_of(event, previous)
    found = read[utterance] if utterance in read else [EmbeddedCandidate(candidate) for candidate in analyze(utterance)]
    if all(embedded.candidate.rule in OWN_SENTENCE for embedded in found):
        # "I meant coffee" can be understood only with the words of the message before.
        found = candidates_of_correction(permit, event, utterance) or found
    return learn_candidates(permit, event, previous, found)


def amend(
    permit: Permit, event: ConversationEvent, previous: ConversationEvent | None, found: Sequence[EmbeddedCandidate]
) -> LearningResult:
    """Learn what a model found in a message, beside what the rules learned of it.

    Left out is what the rules' memories say already, and what would change a memory that is gone since. Call as
    ``learn`` is.
    """
    if not found:
        return LearningResult()
    fresh, dropped = new_candidates(permit, found, memories_taught_by(permit, [event.pk]))
    learned = learn_candidates(permit, event, previous, fresh)
    drop_answered_questions(permit, event, {change.memory_id for change in learned.changes if change.event != "NONE"})
    return replace(learned, refused=(*_count_refused(dropped), *learned.refused))


def learn_candidates(
    permit: Permit, event: ConversationEvent, previous: ConversationEvent | None, found: Sequence[EmbeddedCandidate]
) -> LearningResult:
    """Learn the candidates found in one message and nothing beside them. Call as ``learn`` is."""
    if not found:
        return LearningResult()
    utterance = utterance_of(event, previous)
    recalled = preceding_answer(permit, previous or message_before(event))
    before = corrected_message(event, utterance, [embedded.candidate for embedded in found])
    since = scope_held_since(permit.user_id, ConsentScope.MEMORY_LEARNING)
    changes: list[ItemChange] = []
    refused: list[Refusal] = []
    for embedded in found:
        reason = refusal_of(embedded.candidate, utterance, recalled) or style_refusal(permit, embedded.candidate, event)
        if reason is not None:
            refused.append(reason)
        elif (reviewed := decide_candidate(permit, embedded, event, since, before)) is not None:
            changes += write_decision(permit, embedded, event, reviewed)
    return LearningResult(tuple(changes), _count_refused(refused))


def _count_refused(reasons: Sequence[Refusal]) -> tuple[Refusal, ...]:
    for reason in reasons:
        CANDIDATES_REFUSED.labels(reason=reason).inc()
    return tuple(reasons)


def job_result(learned: Sequence[LearningResult], degraded: Iterable[str]) -> dict[str, Any]:
    """What a job's row keeps of its result: ids, verbs and reasons, no text."""
    changes = [change for result in learned for change in result.changes]
    told = {
        "refused": [reason for result in learned for reason in result.refused],
        "degraded": sorted(set(degraded)),
    }
    results = [{"memory_id": str(change.memory_id), "event": change.event} for change in changes]
    return {"results": results} | {name: reasons for name, reasons in told.items() if reasons}
