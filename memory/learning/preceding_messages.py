"""Relates a message to those before it: whom it answers, what it may quote, and which one it corrects."""

from __future__ import annotations

from collections.abc import Sequence

from consent.permit import Permit
from foundation.language import split_sentences
from memory.evolution.implicit_corrections import (
    PrecedingMessage,
    corrected_statement,
    is_implicit_correction,
    preceding_message,
    replacement_word,
)
from memory.evolution.quality_gateway import PrecedingAnswer
from memory.evolution.types import StatementCandidate, Utterance
from memory.learning.extraction import EmbeddedCandidate
from memory.learning.item_lookup import memories_taught_by
from memory.models import ConversationEvent
from memory.services.reply_traces import TraceEntry, traces_of
from memory.services.sessions import own_message_before


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


def preceding_answer(permit: Permit, before: ConversationEvent | None) -> PrecedingAnswer:
    """What the assistant said just before, including an answer that only repeats memories, and what it was given."""
    if before is None or before.role != ConversationEvent.Role.ASSISTANT or before.user_id != permit.user_id:
        return PrecedingAnswer()
    given = [entry for trace in traces_of(permit, [before.pk]).values() for entry in trace.memories]
    return PrecedingAnswer(before.text, tuple(text for entry in given for text in _foreign_words(entry)))


def _foreign_words(given: TraceEntry) -> list[str]:
    """The parts of a given memory that are not the user's own words: our sentences, and other speakers'."""
    if given.kind == "turn":
        return [] if given.mine else split_sentences(given.text)
    return [given.text] if given.kind in ("item", "event", "document") else []


def corrected_message(
    event: ConversationEvent, utterance: Utterance, said: Sequence[StatementCandidate]
) -> PrecedingMessage:
    """The user's message before, looked up only where a candidate may correct it."""
    before = own_message_before(event) if any(map(is_implicit_correction, said)) else None
    if before is None:
        return PrecedingMessage()
    return preceding_message(str(before.pk), utterance.text, utterance.addressed_by_assistant, said)


def candidates_of_correction(permit: Permit, event: ConversationEvent, utterance: Utterance) -> list[EmbeddedCandidate]:
    """The candidates of a message like "I meant coffee", if the message before it taught exactly one memory."""
    before = own_message_before(event) if replacement_word(utterance.text) else None
    taught = memories_taught_by(permit, [before.pk]) if before else []
    if before is None or len(taught) != 1:
        return []
    candidate = corrected_statement(before.text, taught[0], utterance)
    return [EmbeddedCandidate(candidate)] if candidate else []
