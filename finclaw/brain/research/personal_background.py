"""Finds the user's memories that bear on a task, for its personal part and a section of their own."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from types import MappingProxyType
from typing import Final, cast

from consent.permit import Permit
from finclaw.brain.recall.relevance import judge_relevance
from finclaw.brain.recall.search import hit_candidate
from finclaw.brain.sanitization.candidates import sanitize_candidates
from finclaw.brain.types import PromptCandidate
from finclaw.brain.understanding.question_slots import requested_slots
from foundation.llm import LanguageModel
from foundation.telemetry.degradations import note_degraded
from memory.exceptions import MemoryUnavailable
from memory.models import CognitiveEvent
from memory.research.types import ResearchStatement, SourceKind, StatementSource
from memory.retrieval.services import EmbeddedQuery, search_each
from memory.types import SearchQuery

BY_DEPTH: Final = MappingProxyType({"quick": 2, "standard": 4, "deep": 8})
"""How many memories a task may show, by research depth (slice S2)."""


def find_memories(permit: Permit, question: EmbeddedQuery, as_of: datetime | None) -> list[PromptCandidate]:
    """The user's own statements and events relevant to the question, as known at ``as_of``.

    Call in a transaction acting for the user.
    """
    text = question.text
    queries = [
        SearchQuery(text, ("item",), valid_at=as_of, known_at=as_of),
        SearchQuery(text, ("event",), time_to=as_of, top_k=BY_DEPTH["deep"]),
    ]
    try:
        found = search_each(permit, queries, question)
    except MemoryUnavailable as error:
        note_degraded([error.code])
        return []
    for search in found:
        note_degraded(search.degraded)
    candidates = [_as_of_then(hit_candidate(hit, ""), as_of) for search in found for hit in search.hits]
    relevant = [
        candidate
        for candidate in judge_relevance(candidates, requested_slots(text), question.terms)
        if candidate.relevant and not candidate.left_out
    ]
    return _without_later_events(relevant, as_of)


def _as_of_then(candidate: PromptCandidate, as_of: datetime | None) -> PromptCandidate:
    """A memory found as of a moment was in force then: a later correction was known to nobody."""
    return candidate if as_of is None or candidate.kind != "item" else replace(candidate, past=False)


def _without_later_events(candidates: list[PromptCandidate], as_of: datetime | None) -> list[PromptCandidate]:
    """Without events written after ``as_of``, whatever day they tell of."""
    if as_of is None:
        return candidates
    events = [candidate.id for candidate in candidates if candidate.kind == "event"]
    later = set(CognitiveEvent.objects.filter(pk__in=events, created_at__gt=as_of).values_list("pk", flat=True))
    return [candidate for candidate in candidates if candidate.id not in later]


def best_statements(
    candidates: list[PromptCandidate], depth: str, model: LanguageModel
) -> tuple[ResearchStatement, ...]:
    """The best candidates, sanitized, as statements that name their rows. Call outside any transaction."""
    fit = [candidate for candidate in sanitize_candidates(candidates, model) if candidate.safe_text]
    best = sorted(fit, key=lambda candidate: candidate.score, reverse=True)[: BY_DEPTH[depth]]
    return tuple(
        ResearchStatement(
            candidate.safe_text,
            candidate.occurred_at,
            (StatementSource(cast("SourceKind", candidate.kind), str(candidate.id)),),
        )
        for candidate in best
    )
