"""What could be brought up in this turn: the stated context, memories, events, and earlier turns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.conf import settings

from consent.permit import Permit
from finclaw.brain.types import Candidate
from foundation.llm.types import THE_USER
from foundation.telemetry.metrics import DEGRADED
from foundation.text import estimate_tokens
from memory.exceptions import MemoryUnavailable
from memory.models import Session, UserContext
from memory.retrieval.services import EmbeddedQuery, search_each
from memory.services.contexts import profile_context
from memory.types import Found, Hit, SearchQuery

EARLIER_TURNS_TOP_K = 4
TAG_TOKENS = 30  # the element and its attributes around each memory
# Below it a memory shares neither a word nor a direction with the question (measured on the embedded default).
MIN_COSINE = 0.3


@dataclass(frozen=True)
class Recalled:
    """Candidates best first a kind, the searches behind them, the stated context, and what ran degraded."""

    candidates: tuple[Candidate, ...]
    searches: tuple[Found, ...]
    context: UserContext | None
    degraded: tuple[str, ...]


def recall(permit: Permit, session: Session, query: EmbeddedQuery, speaker: str) -> Recalled:
    """Search everything the permit opens. When memory cannot be read in time the turn goes on without it.

    What ``speaker`` said themselves is marked as the user's.
    """
    # What somebody states about themselves is theirs alone: a group never sees it at work.
    context = None if session.group_id else profile_context(permit)
    try:
        searches = tuple(search_each(permit, _queries(session, query.text), query))
    except MemoryUnavailable as error:
        DEGRADED.labels(reason=error.code).inc()
        return Recalled((), (), context, (error.code,))
    candidates = tuple(_candidate(hit, speaker) for found in searches for hit in found.hits)
    return Recalled(candidates, searches, context, _degraded(searches))


def _queries(session: Session, text: str) -> list[SearchQuery]:
    """In a group: the group's events, and what the speaker said there. In private: the person's own."""
    group = session.group_id
    return [
        SearchQuery(text, ("item",), group_id=group, speaker_only=True, top_k=settings.RETRIEVAL_TOP_K),
        SearchQuery(text, ("event",), group_id=group, top_k=settings.EVENTS_TOP_K),
        SearchQuery(
            text, ("turn",), group_id=group, speaker_only=True, top_k=EARLIER_TURNS_TOP_K, exclude_session=session.pk
        ),
    ]


def _candidate(hit: Hit, speaker: str) -> Candidate:
    return Candidate(
        kind=hit.kind,
        id=hit.id,
        text=hit.text,
        score=hit.score,
        tokens=estimate_tokens(hit.text) + TAG_TOKENS,
        occurred_at=hit.occurred_at,
        said_by=THE_USER if hit.said_by == speaker else hit.said_by,
        category=hit.category,
        memory_type=hit.memory_type,
        provenance=hit.provenance,
        epistemic_type=hit.epistemic_type,
        confidence=hit.confidence,
        relevant=_touches(hit),
        signals=hit.signals,
    )


def _touches(hit: Hit) -> bool:
    return hit.signals["lexical"] > 0 or hit.signals["semantic"] >= MIN_COSINE


def _degraded(searches: Iterable[Found]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(reason for found in searches for reason in found.degraded))
