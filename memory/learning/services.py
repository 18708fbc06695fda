"""Learning from messages: observation → analysis → evolution → write."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final
from uuid import UUID

from consent.permit import Permit
from consent.sensitive.exceptions import SensitiveInput
from consent.sensitive.services import screen_text
from consent.services import scope_held_since
from foundation.accounts.models import User
from foundation.outbox import services as outbox
from foundation.outbox.models import OutboxMessage, Priority
from foundation.personal_data import ConsentScope
from foundation.telemetry.metrics import CANDIDATES_REFUSED
from foundation.text import split_sentences, tokenize
from memory.evolution import quality_gateway
from memory.evolution.implicit_corrections import (
    PrecedingMessage,
    corrected_statement,
    is_implicit_correction,
    preceding_message,
    replacement_word,
)
from memory.evolution.quality_gateway import PrecedingAnswer, Refusal
from memory.evolution.review_reasons import ASKED
from memory.evolution.rule_analyzer import analyze, is_correction
from memory.evolution.slots import OWN_SENTENCE
from memory.evolution.types import KnownItem, StatementCandidate, Utterance
from memory.learning.decision_writing import evolve
from memory.learning.extraction import EmbeddedCandidate
from memory.learning.item_lookup import named_item, taught_by
from memory.learning.style_refusal import style_refusal
from memory.models import ConversationEvent
from memory.services import item_queries, items
from memory.services.reply_traces import TraceEntry, traces_of
from memory.services.sessions import message_before, own_message_before
from memory.types import ItemChange

OBSERVE_TOPIC = "memory.observe"
READ_BY_MODEL: Final = "gate.read"
"""The rule by which a pending question of the gate is dropped: a model has read the sentence."""


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

    Corrections go before all else that waits, except imports, which nobody waits for.
    """
    learnable = [event for event in events if event.learnable]
    if not learnable or not permit.allows(ConsentScope.MEMORY_LEARNING) or not outbox.has_room(priority):
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
        # "I meant coffee" is understood in the words of the message before alone.
        found = _candidates_of_correction(permit, event, utterance) or found
    return _learn_each(permit, found, event, utterance, previous) if found else LearningResult()


def amend(
    permit: Permit, event: ConversationEvent, previous: ConversationEvent | None, found: Sequence[EmbeddedCandidate]
) -> LearningResult:
    """Learn what a model found in a message, beside what the rules learned of it.

    Left out is what the rules' memories say already, and what would change a memory that is gone since. Call as
    ``learn`` is.
    """
    taught = taught_by(permit, event.pk)
    fresh: list[EmbeddedCandidate] = []
    refused: list[str] = []
    for embedded in found:
        reason = _reason_to_drop(permit, embedded.candidate, taught)
        if reason is None:
            fresh.append(embedded)
        else:
            CANDIDATES_REFUSED.labels(reason=reason).inc()
            refused.append(reason)
    learned = _learn_each(permit, fresh, event, utterance_of(event, previous), previous) if fresh else LearningResult()
    _drop_answered_questions(permit, event, {change.memory_id for change in learned.changes if change.event != "NONE"})
    return replace(learned, refused=(*refused, *learned.refused))


def _drop_answered_questions(permit: Permit, event: ConversationEvent, read: Collection[UUID]) -> None:
    """Drop what the gate only asked about a message, where a model ``read`` a memory in the same words."""
    told = [frozenset(tokenize(item.content)) for item in item_queries.items_of(permit).filter(pk__in=read)]
    mine = item_queries.review_queue(permit).exclude(pk__in=read).filter(
        provenance_detail__doubt=ASKED, provenance_detail__message_ids=[str(event.pk)]
    )  # fmt: skip
    for item in mine:
        asked = frozenset(tokenize(item.content))
        if any(len(tokens & asked) * 2 >= len(tokens) for tokens in told):
            items.retire(permit, item, at=item.valid_at, rule=READ_BY_MODEL, said_anew=True)


def _reason_to_drop(permit: Permit, candidate: StatementCandidate, taught: Sequence[KnownItem]) -> Refusal | None:
    """Why a model's finding is dropped: known already, about a gone memory, or sensitive.

    Its words are not the user's: what no field may hold, it may not write.
    """
    if candidate.related is None and quality_gateway.restates(candidate, taught):
        return "known_already"
    if candidate.related is not None and named_item(permit, candidate) is None:
        return "unknown_memory"
    return "sensitive" if _is_sensitive(permit, candidate) else None


def _is_sensitive(permit: Permit, candidate: StatementCandidate) -> bool:
    names = [User.objects.get(pk=permit.user_id).name]
    try:
        return any(screen_text("content", text, names).text != text for text in _stored_texts(candidate))
    except SensitiveInput:
        return True


def _stored_texts(candidate: StatementCandidate) -> tuple[str, ...]:
    return candidate.content, candidate.attributes["value"], candidate.attributes["slot"], candidate.category


def learn_candidates(
    permit: Permit, event: ConversationEvent, previous: ConversationEvent | None, found: Sequence[EmbeddedCandidate]
) -> LearningResult:
    """Learn the candidates found in one message and nothing beside them. Call as ``learn`` is."""
    return _learn_each(permit, found, event, utterance_of(event, previous), previous) if found else LearningResult()


def _candidates_of_correction(
    permit: Permit, event: ConversationEvent, utterance: Utterance
) -> list[EmbeddedCandidate]:
    """The candidates of a message that only names a word, where the message before it taught one thing alone."""
    before = own_message_before(event) if replacement_word(utterance.text) else None
    taught = taught_by(permit, before.pk) if before else []
    if before is None or len(taught) != 1:
        return []
    candidate = corrected_statement(before.text, taught[0], utterance)
    return [EmbeddedCandidate(candidate)] if candidate else []


def _learn_each(
    permit: Permit,
    found: Sequence[EmbeddedCandidate],
    event: ConversationEvent,
    utterance: Utterance,
    previous: ConversationEvent | None,
) -> LearningResult:
    recalled = _preceding_answer(permit, previous or message_before(event))
    since = scope_held_since(permit.user_id, ConsentScope.MEMORY_LEARNING)
    before = _preceding_message(event, utterance, [embedded.candidate for embedded in found])
    changes: list[ItemChange] = []
    refused: list[str] = []
    for embedded in found:
        reason = quality_gateway.refusal_of(embedded.candidate, utterance, recalled) or style_refusal(
            permit, embedded.candidate, event
        )
        if reason is not None:
            CANDIDATES_REFUSED.labels(reason=reason).inc()
            refused.append(reason)
        else:
            changes += evolve(permit, embedded, event, since, before)
    return LearningResult(tuple(changes), tuple(refused))


def utterance_of(event: ConversationEvent, previous: ConversationEvent | None) -> Utterance:
    """A message as an utterance, with what the assistant had said to the same user just before."""
    return Utterance(
        text=event.text,
        speaker=event.speaker,
        said_at=event.occurred_at,
        addressed_by_assistant=previous.text if previous and _addresses_same_user(previous, event) else "",
        time_zone=getattr(event, "zone", "UTC"),
    )


def _addresses_same_user(previous: ConversationEvent, event: ConversationEvent) -> bool:
    """Whether the assistant spoke to this user: in a group, a "yes" answers no one else's question."""
    return previous.role == ConversationEvent.Role.ASSISTANT and previous.user_id == event.user_id


def _preceding_answer(permit: Permit, before: ConversationEvent | None) -> PrecedingAnswer:
    """What the assistant said just before, including an answer that only repeats memories, and what it was given."""
    if before is None or before.role != ConversationEvent.Role.ASSISTANT or before.user_id != permit.user_id:
        return PrecedingAnswer()
    given = [entry for trace in traces_of(permit, [before.pk]).values() for entry in trace.memories]
    return PrecedingAnswer(before.text, tuple(text for entry in given for text in _foreign_words(entry)))


def _foreign_words(given: TraceEntry) -> list[str]:
    """The parts of a given memory that are not the user's own words: our sentences, and other speakers'."""
    if given.kind == "turn":
        return [] if given.mine else split_sentences(given.text)
    return [given.text] if given.kind in ("item", "event") else []


def _preceding_message(
    event: ConversationEvent, utterance: Utterance, said: Sequence[StatementCandidate]
) -> PrecedingMessage:
    """The user's message before, looked up only where a candidate may correct it."""
    before = own_message_before(event) if any(map(is_implicit_correction, said)) else None
    return (
        preceding_message(str(before.pk), utterance.text, utterance.addressed_by_assistant, said)
        if before
        else PrecedingMessage()
    )


def job_result(learned: Sequence[LearningResult], degraded: Iterable[str]) -> dict[str, Any]:
    """What a job's row keeps of its result: ids, verbs and reasons, no text."""
    changes = [change for result in learned for change in result.changes]
    told = {
        "refused": [reason for result in learned for reason in result.refused],
        "degraded": sorted(set(degraded)),
    }
    results = [{"memory_id": str(change.memory_id), "event": change.event} for change in changes]
    return {"results": results} | {name: reasons for name, reasons in told.items() if reasons}
