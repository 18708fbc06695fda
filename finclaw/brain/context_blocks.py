"""Makes the context block: what a turn would be given of memory and knowledge, for a prompt that the caller writes.

It is recalled, sanitized, judged and cut as for a turn, under the same consent. No model is asked and nothing is
stored: the block comes with the list of what it holds, and why.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from django.utils import timezone

from consent.permit import Permit
from consent.services import note_personalization, permit_for
from finclaw.brain.answers.model_answers import find_overruled_memories, sanitize_recalled
from finclaw.brain.context_slices import stated_fields
from finclaw.brain.prompt.budget import configured_policy
from finclaw.brain.prompt.composition import ComposedBlock, compose_block
from finclaw.brain.prompt.layers import PromptParts
from finclaw.brain.recall.organisation_knowledge import KnowledgeQuery, begin_query, organisation_aliases
from finclaw.brain.recall.overruled_statements import CONFLICT, overruled_decisions, summary_decisions
from finclaw.brain.recall.search import RecallResult, embed_queries, recall
from finclaw.brain.recall.window import active_window
from finclaw.brain.sanitization.candidates import sanitize_context, sanitize_snippets
from finclaw.brain.types import CandidateDecision, Intent, PromptCandidate, TurnContext, TurnRequest
from finclaw.brain.understanding.intent import classify
from finclaw.brain.understanding.query_rewrites import named_query
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as, give_back_connection
from foundation.sanitization.types import SafeText
from foundation.telemetry.degradations import collect_degradations
from foundation.telemetry.spans import traced
from foundation.text import estimate_tokens
from memory.models import CognitiveEvent, Session
from memory.retrieval.services import EmbeddedQuery
from memory.services.sessions import session_of

LEAST_TOKENS: Final = 100
MOST_TOKENS: Final = 32_000
USUAL_TOKENS: Final = 2_000
ORGANISATION: Final = "organisation"
"""The reason for a piece of the organisation's knowledge."""
EARLIER: Final = "earlier"
"""The reason for a summary of the part of the conversation that is no longer shown."""
STATED: Final = "stated"
"""The reason for the stated context."""


@dataclass(frozen=True)
class BlockPart:
    """One thing in the block, in its order. ``ref`` is the id in its address: an event's ``ref``, "user:<id>" or
    "group:<id>" of a portrait, else the row's id."""

    kind: str
    ref: str
    text: str
    reason: str
    provenance: str | None = None
    epistemic_type: str | None = None
    confidence: float | None = None
    occurred_at: datetime | None = None


@dataclass(frozen=True)
class ContextBlock:
    """The block as text and in parts, its size by estimate, and what was found and left out, and why.

    ``withheld`` is the reason where memory was not searched, "" where it was.
    """

    text: str
    tokens: int
    parts: tuple[BlockPart, ...]
    left_out: tuple[BlockPart, ...]
    withheld: str
    degraded: tuple[str, ...]


@traced("context_block")
def read_context_block(user: User, query: str, tokens: int, session_id: UUID | None = None) -> ContextBlock:
    """What a turn that says ``query`` would be given, in at most ``tokens``. Call outside any transaction.

    In a stored conversation the messages that it still shows are left out, and a group is shown only what a group may
    see. Raises ``NotFound`` for a conversation out of the user's reach.
    """
    degraded: dict[str, None] = {}
    with collect_degradations(degraded):
        context = _begin(user, query, session_id)
        intent = classify(context.request.message, timezone.make_naive(timezone.now(), context.zone))
        questions = embed_queries(named_query(context.request.text, intent, context.names))
        consultation = begin_query(user, questions[0], context.request.platform, in_group=context.in_group)
        recalled, summaries = _recall(context, questions)
        composed = _compose(context, intent, recalled, summaries, consultation, tokens)
    with acting_as(user.pk):
        parts, left_out = _explain(context, composed, recalled)
    why_not_searched = next((search.withheld for search in recalled.searches), "") if recalled.is_withheld else ""
    tokens_used = estimate_tokens(composed.text)
    return ContextBlock(composed.text, tokens_used, parts, left_out, why_not_searched, tuple(degraded))


def _begin(user: User, query: str, session_id: UUID | None) -> TurnContext:
    """The context of a turn that is never answered: in a new conversation, which is not stored, or in a stored one."""
    with acting_as(user.pk):
        permit = permit_for(user)
        session = Session(user=user) if session_id is None else session_of(permit, session_id)
        request = TurnRequest(session.pk, ({"type": "text", "text": query},))
        return TurnContext(user, session, request, permit.erasures, organisation_aliases())


def _recall(context: TurnContext, questions: Sequence[EmbeddedQuery]) -> tuple[RecallResult, tuple[SafeText, ...]]:
    """What is found, and the summaries of what the conversation no longer shows."""
    with acting_as(context.user.pk):
        permit = _permit_to_read(context.user)
        window = active_window(context.session)
        return recall(permit, context.session, questions, context.user.name, window.since), window.summaries


def _permit_to_read(user: User) -> Permit:
    """The permit as for an answer; a user who never decided on consent gets nothing, and no error."""
    permit = permit_for(user)
    note_personalization(permit)
    return permit.for_answers()


def _compose(
    context: TurnContext,
    intent: Intent,
    recalled: RecallResult,
    shown_summaries: tuple[SafeText, ...],
    consultation: KnowledgeQuery,
    tokens: int,
) -> ComposedBlock:
    known = consultation.result()
    overruled = find_overruled_memories(context.user, known)
    give_back_connection()
    candidates = tuple(map(overruled.judge, sanitize_recalled(context, recalled)))
    summaries = overruled.summaries_left(shown_summaries)
    parts = PromptParts(
        message=context.request.text,
        intent=intent,
        memories=(),
        context=sanitize_context(stated_fields(recalled.context)),
        entity_slots={},
        summaries=summaries,
        recent=(),
        knowledge=sanitize_snippets(known.snippets),
    )
    return compose_block(
        parts,
        [candidate for candidate in candidates if candidate.left_out != CONFLICT],
        tokens,
        configured_policy(),
        depth=context.session.last_seq // 2,  # exchanges: a question and its answer each
        refused=(*overruled_decisions(candidates), *summary_decisions(context.session, shown_summaries, summaries)),
    )


def _explain(
    context: TurnContext, composed: ComposedBlock, recalled: RecallResult
) -> tuple[tuple[BlockPart, ...], tuple[BlockPart, ...]]:
    """The parts of the block in their order, and what was left out, without its text."""
    decisions = composed.assembly.decisions
    refs = _event_refs(decision.candidate for decision in decisions)
    portrait = f"group:{context.session.group_id}" if context.in_group else f"user:{context.user.pk}"

    def ref_of(candidate: PromptCandidate) -> str:
        if candidate.kind == "profile":
            return portrait
        return refs.get(candidate.id, str(candidate.id))

    accepted = sorted((decision for decision in decisions if decision.accepted), key=lambda taken: taken.position or 0)
    parts = (
        *(BlockPart("summary", str(context.session.pk), text, EARLIER) for text in composed.parts.summaries),
        *(BlockPart("knowledge", str(snippet.id), snippet.text, ORGANISATION) for snippet in composed.parts.knowledge),
        *(_memory_part(decision, ref_of(decision.candidate)) for decision in accepted),
        *_stated_part(composed.parts.context, recalled),
    )
    refused = (decision for decision in decisions if not decision.accepted)
    left_out = (
        BlockPart(decision.candidate.kind, ref_of(decision.candidate), "", decision.reason) for decision in refused
    )
    return parts, tuple(left_out)


def _event_refs(candidates: Iterable[PromptCandidate]) -> dict[UUID, str]:
    keys = [candidate.id for candidate in candidates if candidate.kind == "event"]
    return {event.pk: event.ref for event in CognitiveEvent.objects.filter(pk__in=keys)} if keys else {}


def _memory_part(decision: CandidateDecision, ref: str) -> BlockPart:
    memory = decision.candidate
    return BlockPart(
        memory.kind,
        ref,
        memory.text,
        decision.reason,
        memory.provenance,
        memory.epistemic_type,
        memory.confidence,
        memory.occurred_at,
    )


def _stated_part(stated: Mapping[str, SafeText], recalled: RecallResult) -> Iterator[BlockPart]:
    if recalled.context is not None and stated:
        text = "\n".join(f"{name}: {value}" for name, value in stated.items())
        yield BlockPart("context", str(recalled.context.pk), text, STATED)
