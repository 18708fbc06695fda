"""Lets a small model amend what the rules learned, several messages of a conversation in one call.

The rules read a message in the job that indexes it. If a model is configured, it reads the message again with its
context: after a short wait, in which further messages of the conversation can join, or at once if the message corrects
something.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Final
from uuid import UUID

import structlog
from django.conf import settings
from django.utils import timezone

from consent.permit import Permit
from consent.sensitive.exceptions import SensitiveInput
from consent.sensitive.services import screen_text
from consent.services import scope_held_since
from foundation.accounts.models import User
from foundation.llm import LanguageModel, MalformedReply, ModelUnavailable, model_id_for
from foundation.outbox import services as outbox
from foundation.outbox.models import Priority
from foundation.personal_data import ConsentScope
from foundation.telemetry.metrics import CANDIDATES_REFUSED, DEGRADED
from foundation.text import tokenize
from memory.evolution import quality_gateway
from memory.evolution.model_extraction import (
    SCHEMA,
    ConversationPassage,
    ExtractedCandidates,
    SpokenLine,
    believed_candidates,
    prompt_for,
)
from memory.evolution.quality_gateway import Refusal
from memory.evolution.review_reasons import ASKED_BY_GATE
from memory.evolution.types import KnownItem, StatementCandidate
from memory.indexing import services as indexing
from memory.indexing.documents import item_text
from memory.indexing.withheld_messages import find_withheld_messages
from memory.learning.extraction import EmbeddedCandidate
from memory.learning.item_lookup import memories_taught_by, named_item, nearest_items
from memory.learning.preceding_messages import utterance_of
from memory.models import ConversationEvent
from memory.services import item_queries, items
from memory.services.sessions import FIRST_SEQ

AMEND_TOPIC = "memory.amend"
READ_BY_MODEL: Final = "gate.read"
"""The rule by which a pending question of the gate is dropped: a model has read the sentence."""
ANALYSIS_FALLBACK: Final = "analysis_fallback"
EARLIER_MESSAGES: Final = 6
"""How many messages of both sides the model sees before the new ones."""
MOST_MESSAGES: Final = 8
MOST_CHARACTERS: Final = 8_000
"""The most characters of new messages in one call; a longer message is read alone."""
MAX_ANSWER_TOKENS: Final = 1_200
Spoken = tuple[ConversationEvent, ConversationEvent | None]
"""A message of the user's with the message before it."""
log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Amendment:
    """A passage and what the model found in it. ``degraded`` names what failed."""

    spoken: tuple[Spoken, ...]
    passage: ConversationPassage
    answer: ExtractedCandidates = field(default_factory=ExtractedCandidates)
    degraded: tuple[str, ...] = ()


def queue_messages(user_id: UUID, session_id: UUID, messages: Sequence[str], priority: Priority) -> None:
    """Queue these messages for a model, together with those of the conversation that wait already.

    The job waits ``LEARNING_MODEL_WAIT_SECONDS`` for more of them, counted from the first. An urgent message, and those
    that wait with it, are read at once.
    """
    wait = 0.0 if priority == Priority.URGENT else settings.LEARNING_MODEL_WAIT_SECONDS
    due = timezone.now() + timedelta(seconds=wait)
    payload = {"session": str(session_id), "messages": list(messages)}
    if not outbox.join_waiting(AMEND_TOPIC, user_id=user_id, payload=payload, available_at=due):
        scope = ConsentScope.MEMORY_LEARNING.value
        outbox.enqueue(AMEND_TOPIC, user_id=user_id, payload=payload, scope=scope, priority=priority, available_at=due)


def gather_passages(permit: Permit, spoken: Sequence[Spoken]) -> list[Amendment]:
    """Group the messages into passages for one model call each, with their context.

    Call in a transaction acting for the user.
    """
    return [_build_passage(permit, group) for group in _group_messages(spoken)]


def _group_messages(spoken: Sequence[Spoken]) -> Iterator[tuple[Spoken, ...]]:
    group: list[Spoken] = []
    for spoken_line in spoken:
        characters = sum(len(event.text) for event, _ in [*group, spoken_line])
        if group and (len(group) == MOST_MESSAGES or characters > MOST_CHARACTERS):
            yield tuple(group)
            group = []
        group.append(spoken_line)
    if group:
        yield tuple(group)


def _build_passage(permit: Permit, spoken: tuple[Spoken, ...]) -> Amendment:
    keys = [event.pk for event, _ in spoken]
    taught = {item.memory_id: item for item in memories_taught_by(permit, keys)}
    nearest = nearest_items(permit, keys, settings.LEARNING_KNOWN_ITEMS)
    known = {**taught, **{item.memory_id: item for item in nearest}}
    passage = ConversationPassage(
        new=tuple(utterance_of(*spoken_line) for spoken_line in spoken),
        earlier=_earlier(permit, spoken[0][0]),
        known=tuple(known.values()),
        taught_now=frozenset(taught),
    )
    return Amendment(spoken, passage)


def _earlier(permit: Permit, first: ConversationEvent) -> tuple[SpokenLine, ...]:
    """What the user and the assistant said before, under a consent that has held since.

    Without what awaits the user's confirmation, or was refused.
    """
    if first.seq == FIRST_SEQ:
        return ()
    since = scope_held_since(permit.user_id, ConsentScope.MEMORY_LEARNING)
    before = ConversationEvent.objects.filter(
        session_id=first.session_id, user_id=permit.user_id, seq__lt=first.seq, learnable=True, redacted_at=None,
        consent_version__gte=since,
    )  # fmt: skip
    lines = list(before.order_by("-seq")[:EARLIER_MESSAGES])
    unused = find_withheld_messages(permit.user_id, [line.pk for line in lines])
    return tuple(
        SpokenLine("user" if line.role == ConversationEvent.Role.USER else "assistant", line.text)
        for line in reversed(lines)
        if line.pk not in unused
    )


def ask_model(amendment: Amendment, model: LanguageModel) -> Amendment:
    """Ask the model about a passage, and once more if its answer is malformed. Call outside any transaction.

    If it fails for this passage only, what the rules learned stays. Raises ``ModelUnavailable`` if it is down for all:
    the passage is then read once it is back.
    """
    try:
        answer = _ask_twice(amendment.passage, model)
    except ModelUnavailable as error:
        if error.is_providers_fault:
            raise
        DEGRADED.labels(reason=ANALYSIS_FALLBACK).inc()
        log.warning("analysis_fallback", reason=error.details.get("reason"))
        return replace(amendment, degraded=(ANALYSIS_FALLBACK,))
    for reason in answer.refused:
        CANDIDATES_REFUSED.labels(reason=reason).inc()
    return replace(amendment, answer=answer)


def candidates_by_message(amendments: Sequence[Amendment]) -> dict[UUID, list[EmbeddedCandidate]]:
    """The candidates found in each message, by its id, with vectors. Call outside any transaction."""
    pairs = [
        (amendment.spoken[place][0].pk, found) for amendment in amendments for place, found in amendment.answer.found
    ]
    vectors, model_id = indexing.embed([item_text(candidate.category, candidate.content) for _, candidate in pairs])
    by_message: dict[UUID, list[EmbeddedCandidate]] = defaultdict(list)
    for (key, candidate), vector in zip(pairs, vectors, strict=True):
        by_message[key].append(EmbeddedCandidate(candidate, vector, model_id))
    return by_message


def _ask_twice(passage: ConversationPassage, model: LanguageModel) -> ExtractedCandidates:
    try:
        return _ask_once(passage, model)
    except MalformedReply:
        return _ask_once(passage, model)


def _ask_once(passage: ConversationPassage, model: LanguageModel) -> ExtractedCandidates:
    prompt, small = prompt_for(passage), model_id_for("small")
    reply = model.call(prompt, small, kind="learning", schema=SCHEMA, max_tokens=MAX_ANSWER_TOKENS)
    return believed_candidates(reply.text, passage)


def new_candidates(
    permit: Permit, found: Sequence[EmbeddedCandidate], taught: Sequence[KnownItem]
) -> tuple[list[EmbeddedCandidate], tuple[Refusal, ...]]:
    """What a model found beside what the rules ``taught``, and why the rest is dropped."""
    reasons = [_reason_to_drop(permit, embedded.candidate, taught) for embedded in found]
    fresh = [embedded for embedded, reason in zip(found, reasons, strict=True) if reason is None]
    return fresh, tuple(reason for reason in reasons if reason)


def drop_answered_questions(permit: Permit, event: ConversationEvent, read: Collection[UUID]) -> None:
    """Drop the questions that wait for the user about a message, where a memory that a model ``read`` has the same
    words.

    Such a question is a memory in quarantine, which the gate found and was not sure of.

    The words count as the same if the question has at least half of the memory's index tokens.
    """
    if not read:
        return
    memory_tokens = [frozenset(tokenize(item.content)) for item in item_queries.items_of(permit).filter(pk__in=read)]
    pending_questions = item_queries.review_queue(permit).exclude(pk__in=read).filter(
        provenance_detail__doubt=ASKED_BY_GATE, provenance_detail__message_ids=[str(event.pk)]
    )  # fmt: skip
    for item in pending_questions:
        question_tokens = frozenset(tokenize(item.content))
        if any(len(tokens & question_tokens) * 2 >= len(tokens) for tokens in memory_tokens):
            items.retire(permit, item, at=item.valid_at, rule=READ_BY_MODEL, is_restated=True)


def _reason_to_drop(permit: Permit, candidate: StatementCandidate, taught: Sequence[KnownItem]) -> Refusal | None:
    """Why a model's finding is dropped: known already, about a gone memory, or sensitive.

    The words are the model's, not the user's, so they are screened like any text that is to be stored.
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
