"""Finds candidates for a turn: the stated context, a portrait, memories, events and earlier messages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from time import perf_counter
from typing import Final, NamedTuple
from uuid import UUID

from django.conf import settings

from consent.permit import Permit
from finclaw.brain.prompt.memory_lines import memory_tokens
from finclaw.brain.recall.ended_statements import mark_ended
from finclaw.brain.recall.portraits import load_portraits
from finclaw.brain.recall.relevance import judge_relevance
from finclaw.brain.recall.replaced_statements import cut_replaced_sentences
from finclaw.brain.routing_parameters import USUAL_ROUTING, RecallThresholds
from finclaw.brain.types import PromptCandidate
from finclaw.brain.understanding.query_rewrites import QueryRewrites
from finclaw.brain.understanding.question_slots import RequestedSlots, requested_slots
from foundation.llm.types import THE_USER
from foundation.telemetry.degradations import note_degraded, report_degraded
from foundation.telemetry.spans import traced
from foundation.text import tokenize
from memory.core import MEMORY
from memory.evolution.slots import STATEMENT
from memory.evolution.supposition import is_supposition
from memory.exceptions import MemoryUnavailable
from memory.models import Session, UserContext
from memory.portraits.sentence_classifier import classify_sentence
from memory.research.profile_context import profile_context
from memory.retrieval.services import EmbeddedQuery, embed_query
from memory.types import SearchHit, SearchQuery, SearchResult

QUERY_REWRITE_FAILED: Final = "query_rewrite_failed"
"""The reason a receipt gives where other wordings of the question were not searched for."""
FILES_TOP_K = 4  # passages
EARLIER_TURNS_TOP_K = 6  # more than enter the prompt, since some repeat memories or are outdated


@dataclass(frozen=True)
class RecallResult:
    """Candidates best first within a kind, the searches behind them, the stated context, and whether memory could be
    searched.
    """

    candidates: tuple[PromptCandidate, ...]
    searches: tuple[SearchResult, ...]
    context: UserContext | None
    was_read: bool = True

    @property
    def is_withheld(self) -> bool:
        """Whether no search ran: the consent opens nothing, or nothing could be read."""
        return all(search.withheld for search in self.searches)


NOTHING_RECALLED: Final = RecallResult((), (), None)


def embed_queries(rewritten: QueryRewrites) -> tuple[EmbeddedQuery, ...]:
    """The queries with their vectors, the message's own first, with the other names of what it mentions.

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
    said_until: datetime | None = None,
    thresholds: RecallThresholds = USUAL_ROUTING.thresholds,
) -> RecallResult:
    """Search everything the permit allows, each row once, with the portrait first; nothing is found where memory cannot
    be read in time.

    What ``speaker`` said is marked as the user's. Of the conversation itself, the prompt holds what was said from
    ``shown_since`` on (everything without it), so only earlier messages are searched for. Nothing is found that was
    said after ``said_until``.
    """
    # The user's stated context is private and never used in a group.
    context = None if session.group_id else profile_context(permit)
    started = perf_counter()
    try:
        searched = list(_search_questions(permit, session, questions, shown_since, said_until))
    except MemoryUnavailable as error:
        report_degraded(error.code)
        return RecallResult((), (_failed_search(error.code, started),), context, was_read=False)
    found = _with_found(RecallResult((), (), context), permit, searched, speaker, thresholds)
    portraits = (
        portrait
        for portrait in load_portraits(permit, session)
        if said_until is None or portrait.occurred_at <= said_until
    )
    return replace(found, candidates=(*portraits, *found.candidates))


def recall_more(
    permit: Permit,
    session: Session,
    questions: Sequence[EmbeddedQuery],
    speaker: str,
    shown_since: datetime | None,
    first: RecallResult,
    said_until: datetime | None = None,
    thresholds: RecallThresholds = USUAL_ROUTING.thresholds,
) -> RecallResult:
    """What was recalled ``first``, and what further questions find besides.

    Where memory cannot be read or no time is left, they are not searched for: reported as ``query_rewrite_failed``.
    """
    if not questions or first.is_withheld:
        return first
    try:
        spent = sum(search.latency_ms for search in first.searches)
        searched = list(_search_questions(permit, session, questions, shown_since, said_until, spent_ms=spent))
    except MemoryUnavailable:
        searched = []
    if not searched:
        report_degraded(QUERY_REWRITE_FAILED)
    return _with_found(first, permit, searched, speaker, thresholds)


def _with_found(
    first: RecallResult,
    permit: Permit,
    searched: Sequence[_SearchedQuery],
    speaker: str,
    thresholds: RecallThresholds,
) -> RecallResult:
    """What was recalled ``first`` and what these queries found, each row once, with its size.

    Sizes are computed last: the element of a candidate, which is measured, also says whether it was asked for.
    """
    searches = [search for question in searched for search in question.found]
    for search in searches:
        note_degraded(search.degraded)
    judged = (candidate for question in searched for candidate in _judge_found(permit, question, speaker, thresholds))
    best = _best_events(_best_per_row((*first.candidates, *judged)))
    candidates = tuple(candidate if candidate.tokens else resized(candidate) for candidate in best)
    return replace(first, candidates=candidates, searches=(*first.searches, *searches))


def _failed_search(code: str, started: float) -> SearchResult:
    """The search that was given up, with the time it took: the receipt says that somebody waited."""
    return SearchResult((), settings.RETRIEVAL_STRATEGY, (perf_counter() - started) * 1000, (code,), withheld=code)


class _SearchedQuery(NamedTuple):
    """A query, the slots it asks for, and the results of each of its searches."""

    question: EmbeddedQuery
    requested: RequestedSlots
    found: list[SearchResult]


def _search_questions(
    permit: Permit,
    session: Session,
    questions: Sequence[EmbeddedQuery],
    shown_since: datetime | None,
    said_until: datetime | None,
    *,
    spent_ms: float = 0.0,
) -> Iterator[_SearchedQuery]:
    """The results for the message and, while time is left, for further questions, which only add to them.

    ``spent_ms`` is what searches before these took of the turn's time.
    """
    started = perf_counter()
    searches_files = session.group_id is None and session.finds_files is not False
    for number, question in enumerate(questions):
        is_further = number > 0 or spent_ms > 0
        if is_further and (perf_counter() - started) * 1000 + spent_ms > settings.RECALL_TIMEOUT_MS:
            break
        requested = requested_slots(question.text)
        wanted = _search_queries(session, question.text, requested, shown_since)
        if searches_files:
            wanted.append(SearchQuery(question.text, ("document",), top_k=FILES_TOP_K, floored=True))
        queries = [replace(query, said_until=said_until) for query in wanted]
        yield _SearchedQuery(question, requested, MEMORY.read_personal_memories(permit, queries, question))


def _judge_found(
    permit: Permit, searched: _SearchedQuery, speaker: str, thresholds: RecallThresholds
) -> list[PromptCandidate]:
    """The candidates found for one query, each judged beside the others, their sizes not computed yet."""
    found = [_unsized_candidate(hit, speaker) for found in searched.found for hit in found.hits]
    current = mark_ended(permit, found, speaker, about_past=searched.requested.about_past)
    if not searched.requested.about_past:
        current = cut_replaced_sentences(permit, current, speaker, searched.question.terms)
    candidates = [_with_told_slot(candidate, searched.requested, speaker) for candidate in current]
    return judge_relevance(candidates, searched.requested, searched.question.terms, thresholds)


def _with_told_slot(item: PromptCandidate, requested: RequestedSlots, name: str) -> PromptCandidate:
    """The candidate with the slot its text fills for ``name``, if the query asks for it: verbatim memories ("Lives in
    Berlin") and whole sentences have no slot of their own.
    """
    if item.kind != "item" or item.slot not in ("", STATEMENT) or not requested.slots:
        return item
    slot = classify_sentence(item.text, name, item.occurred_at).slot
    return replace(item, slot=slot) if requested.covers(slot) else item


def _best_per_row(candidates: Iterable[PromptCandidate]) -> tuple[PromptCandidate, ...]:
    """Each row once, with the query it fits best."""
    best: dict[UUID, PromptCandidate] = {}
    for candidate in candidates:
        known = best.get(candidate.id)
        if known is None or (known.relevant, known.score) < (candidate.relevant, candidate.score):
            best[candidate.id] = candidate
    return tuple(best.values())


def _best_events(candidates: Sequence[PromptCandidate]) -> tuple[PromptCandidate, ...]:
    """At most ``COGNITIVE_AUTO_TOP_K`` events, however many queries found some."""
    events = [candidate for candidate in candidates if candidate.kind == "event"]
    best = sorted(events, key=lambda event: (event.relevant, event.score), reverse=True)[
        : settings.COGNITIVE_AUTO_TOP_K
    ]
    kept = {event.id for event in best}
    return tuple(candidate for candidate in candidates if candidate.kind != "event" or candidate.id in kept)


def _search_queries(
    session: Session, text: str, requested: RequestedSlots, shown_since: datetime | None
) -> list[SearchQuery]:
    """In a group: the group's events, and what the speaker said there. In private: everything of the user's own."""
    group = session.group_id
    events = SearchQuery(text, ("event",), group_id=group, top_k=settings.COGNITIVE_AUTO_TOP_K)
    return [
        SearchQuery(
            text,
            ("item",),
            group_id=group,
            speaker_only=True,
            top_k=settings.RETRIEVAL_TOP_K,
            more_terms=requested.terms,
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


def hit_candidate(hit: SearchHit, speaker: str) -> PromptCandidate:
    """A search hit as a prompt candidate; what ``speaker`` said is marked as the user's."""
    return resized(_unsized_candidate(hit, speaker))


def _unsized_candidate(hit: SearchHit, speaker: str) -> PromptCandidate:
    return PromptCandidate(
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
        is_past=hit.is_past,
        is_prechecked=hit.is_prechecked,
        manipulative=hit.manipulative,
        is_supposed=hit.kind == "turn" and is_supposition(hit.text),
        provenance=hit.provenance,
        epistemic_type=hit.epistemic_type,
        confidence=hit.confidence,
        signals=hit.signals,
    )


def resized(candidate: PromptCandidate) -> PromptCandidate:
    """The candidate with the tokens that its element takes as it stands."""
    return replace(candidate, tokens=memory_tokens(candidate))
