"""What could be brought up in this turn: the stated context, a portrait, memories, events, and earlier turns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from time import perf_counter
from typing import Final, NamedTuple
from uuid import UUID

from django.conf import settings

from consent.permit import Permit
from finclaw.brain.candidate_content import with_slot
from finclaw.brain.portraits import portraits
from finclaw.brain.prompt import element_tokens
from finclaw.brain.query_rewrites import Rewritten
from finclaw.brain.question_slots import Asked, topics_of
from finclaw.brain.relevance import judged
from finclaw.brain.types import Candidate
from foundation.llm.types import THE_USER
from foundation.telemetry.metrics import DEGRADED
from foundation.telemetry.spans import traced
from foundation.text import tokenize
from memory.evolution.supposition import is_supposition
from memory.exceptions import MemoryUnavailable
from memory.models import Session, UserContext
from memory.retrieval.services import EmbeddedQuery, embed_query, search_each
from memory.services.profile_context import profile_context
from memory.types import SearchHit, SearchQuery, SearchResult

EARLIER_TURNS_TOP_K = 6  # some of which say again what a memory holds, or what holds no more


@dataclass(frozen=True)
class Recalled:
    """Candidates best first a kind, the searches behind them, the stated context, and what ran degraded."""

    candidates: tuple[Candidate, ...]
    searches: tuple[SearchResult, ...]
    context: UserContext | None
    degraded: tuple[str, ...]

    @property
    def was_read(self) -> bool:
        """Whether memory could be looked into."""
        return MemoryUnavailable.code not in self.degraded


NOTHING_RECALLED: Final = Recalled((), (), None, ())


def embedded(rewritten: Rewritten) -> tuple[EmbeddedQuery, ...]:
    """The queries ready to be searched for, the message's own first, with the other names of what it speaks of.

    Call outside any transaction. Raises what ``embed_query`` raises.
    """
    message, *others = map(embed_query, rewritten.queries)
    terms = dict.fromkeys([*message.terms, *tokenize("\n".join(rewritten.names))])
    return (replace(message, terms=tuple(terms)), *others)


@traced("recall")
def recall(
    permit: Permit,
    session: Session,
    questions: Sequence[EmbeddedQuery],
    speaker: str,
    shown_since: datetime | None = None,
) -> Recalled:
    """Search everything the permit opens, each row once, with the portrait before it. When memory cannot be read in
    time the turn goes on without.

    What ``speaker`` said themselves is marked as the user's. Of the conversation itself the prompt holds what was said
    from ``shown_since`` on (everything without it): a topic from before that is found again.
    """
    # What somebody states about themselves is theirs alone: a group never sees it at work.
    context = None if session.group_id else profile_context(permit)
    try:
        searched = list(_searched(permit, session, questions, shown_since))
    except MemoryUnavailable as error:
        DEGRADED.labels(reason=error.code).inc()
        return Recalled((), (), context, (error.code,))
    found = _best_events(_best_of_each(one for question in searched for one in _judged(question, speaker)))
    searches = tuple(one for question in searched for one in question.found)
    return Recalled((*portraits(permit, session), *found), searches, context, _degraded(searches))


class _Searched(NamedTuple):
    """A question, what it asks for, and what each search found for it."""

    question: EmbeddedQuery
    asked: Asked
    found: list[SearchResult]


def _searched(
    permit: Permit, session: Session, questions: Sequence[EmbeddedQuery], shown_since: datetime | None
) -> Iterator[_Searched]:
    """What the message finds, and its rewritings while there is time: they only add to it."""
    started = perf_counter()
    for number, question in enumerate(questions):
        if number and (perf_counter() - started) * 1000 > settings.RECALL_TIMEOUT_MS:
            break
        asked = topics_of(question.text)
        queries = _queries(session, question.text, asked, shown_since)
        yield _Searched(question, asked, search_each(permit, queries, question))


def _judged(searched: _Searched, speaker: str) -> list[Candidate]:
    """What was found for one question, each judged beside the others."""
    found = [candidate_of(hit, speaker) for found in searched.found for hit in found.hits]
    candidates = [with_slot(one, searched.asked, speaker) for one in found]
    return [_sized(one) for one in judged(candidates, searched.asked, searched.question.terms)]


def _best_of_each(candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """Each row once: by the question that it fits best."""
    best: dict[UUID, Candidate] = {}
    for candidate in candidates:
        known = best.get(candidate.id)
        if known is None or (known.relevant, known.score) < (candidate.relevant, candidate.score):
            best[candidate.id] = candidate
    return tuple(best.values())


def _best_events(candidates: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """At most ``COGNITIVE_AUTO_TOP_K`` events, however many questions found some (seed D §4.1)."""
    events = [one for one in candidates if one.kind == "event"]
    best = sorted(events, key=lambda one: (one.relevant, one.score), reverse=True)[: settings.COGNITIVE_AUTO_TOP_K]
    kept = {one.id for one in best}
    return tuple(one for one in candidates if one.kind != "event" or one.id in kept)


def _queries(session: Session, text: str, asked: Asked, shown_since: datetime | None) -> list[SearchQuery]:
    """In a group: the group's events, and what the speaker said there. In private: the person's own."""
    group = session.group_id
    events = SearchQuery(text, ("event",), group_id=group, top_k=settings.COGNITIVE_AUTO_TOP_K)
    return [
        SearchQuery(
            text,
            ("item",),
            group_id=group,
            speaker_only=True,
            top_k=settings.RETRIEVAL_TOP_K,
            more_terms=asked.terms,
        ),
        *([events] if settings.COGNITIVE_ENABLED else []),
        SearchQuery(
            text,
            ("turn",),
            group_id=group,
            speaker_only=True,
            top_k=EARLIER_TURNS_TOP_K,
            exclude_session=session.pk,
            exclude_since=shown_since,
            with_past=True,
        ),
    ]


def candidate_of(hit: SearchHit, speaker: str) -> Candidate:
    """A row found, as what could stand in the prompt. What ``speaker`` said is marked as the user's."""
    candidate = Candidate(
        kind=hit.kind,
        id=hit.id,
        text=hit.text,
        score=hit.score,
        tokens=0,
        occurred_at=hit.occurred_at,
        said_by=THE_USER if hit.said_by == speaker else hit.said_by,
        category=hit.category,
        memory_type=hit.memory_type,
        slot=hit.slot,
        said_in=hit.said_in,
        past=hit.past,
        supposed=hit.kind == "turn" and is_supposition(hit.text),
        provenance=hit.provenance,
        epistemic_type=hit.epistemic_type,
        confidence=hit.confidence,
        signals=hit.signals,
    )
    return _sized(candidate)


def _sized(candidate: Candidate) -> Candidate:
    return replace(candidate, tokens=element_tokens(candidate))


def _degraded(searches: Iterable[SearchResult]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(reason for found in searches for reason in found.degraded))
