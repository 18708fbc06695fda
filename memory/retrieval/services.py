"""Hybrid search over what one user, or one group, may recall."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, Final, cast
from uuid import UUID

from django.conf import settings
from django.db import DatabaseError, connection
from django.utils import timezone
from pgvector import HalfVector
from pgvector.psycopg.halfvec import HalfVectorBinaryDumper

from consent.models import Capability
from consent.permit import Permit
from consent.sensitive.services import screen_text
from foundation.embeddings import configured_embedder
from foundation.embeddings.cosine_floors import UNMEASURED_FLOOR
from foundation.embeddings.exceptions import EmbeddingUnavailable
from foundation.personal_data import ConsentScope
from foundation.sanitization.verdicts import is_current_verdict, is_marked
from foundation.telemetry.memory_operations import count_search
from foundation.telemetry.metrics import DEGRADED, RETRIEVAL_SECONDS
from foundation.text import tokenize
from memory.exceptions import MemoryUnavailable
from memory.indexing.vector_failures import VECTOR_UNAVAILABLE, is_vector_failure
from memory.models import Receipt
from memory.models.sessions import text_of
from memory.projection.nearest import NO_NEAREST, QDRANT_UNAVAILABLE, NearestEntries, nearest_entries
from memory.projection.registry import searched_projection, searching_embedder
from memory.retrieval import formula
from memory.retrieval.evidence_floor import bears_on_question, floor_for
from memory.retrieval.formula import ItemSignals
from memory.retrieval.periods import Period, periods_named
from memory.retrieval.search_sql import build_search, build_size
from memory.types import Kind, SearchHit, SearchQuery, SearchResult, Strategy

COGNITIVE_DISABLED: Final = "cognitive_disabled"
_COGNITIVE: Final[frozenset[Kind]] = frozenset({"event", "profile"})
"""The kinds of rows that ``COGNITIVE_ENABLED=false`` switches off."""


@dataclass(frozen=True)
class EmbeddedQuery:
    """A question ready for search. Make it outside any transaction, because an embedding server may be called.

    ``terms`` are its index tokens, ``periods`` the times that it names; ``vector`` is None without a working model.
    """

    text: str
    terms: tuple[str, ...]
    vector: HalfVector | None
    model_id: str
    degraded: tuple[str, ...] = ()
    periods: tuple[Period, ...] = ()


def embed_query(text: str) -> EmbeddedQuery:
    """The tokens and the vector of a question. Without a working model: full text only, ``vector_unavailable``.

    Raises ``SensitiveInput`` for a question that holds a secret: it would go to the model.
    """
    text = screen_text("query", text).text
    terms = tuple(dict.fromkeys(tokenize(text)))
    periods = periods_named(text, timezone.now().date())
    embedder = searching_embedder()
    try:
        vector = HalfVector(embedder.embed_queries([text])[0])
        return EmbeddedQuery(text, terms, vector, embedder.model_id, periods=periods)
    except EmbeddingUnavailable:
        DEGRADED.labels(reason=VECTOR_UNAVAILABLE).inc()
        return EmbeddedQuery(text, terms, None, "", (VECTOR_UNAVAILABLE,), periods)


def search(permit: Permit, query: SearchQuery, embedded: EmbeddedQuery | None = None) -> SearchResult:
    """The best ``top_k`` rows for the query, in one SQL statement.

    Without ``memory_learning_allowed`` nothing is read. A search for events and portraits alone finds nothing
    (``cognitive_disabled``) while these are switched off. Without a vector the search uses full text only. Raises
    ``MemoryUnavailable`` when the database fails or exceeds the time-out.
    """
    return search_each(permit, [query], embedded or embed_query(query.text))[0]


def search_each(permit: Permit, queries: Sequence[SearchQuery], embedded: EmbeddedQuery) -> list[SearchResult]:
    """Run several searches for one question under one guard; they fail together, as ``search`` does.

    Where the database fails on vectors they are run again on full text alone, ``vector_unavailable``.
    """
    try:
        return _search_each(permit, queries, embedded)
    except MemoryUnavailable as error:
        if embedded.vector is None or not is_vector_failure(error.__cause__):
            raise
        without = replace(embedded, vector=None, model_id="", degraded=(*embedded.degraded, VECTOR_UNAVAILABLE))
        return _search_each(permit, queries, without)


def _search_each(permit: Permit, queries: Sequence[SearchQuery], embedded: EmbeddedQuery) -> list[SearchResult]:
    started, found = perf_counter(), []
    with _guarded():
        for query in queries:
            if (perf_counter() - started) * 1000 > settings.RECALL_TIMEOUT_MS:
                raise MemoryUnavailable()
            found.append(_search_rows(permit, query, embedded))
    return found


@contextmanager
def _guarded() -> Iterator[None]:
    """Run in a savepoint with a time-out for each statement; both end with the transaction.

    A failure leaves the caller's transaction usable, and takes the time-out back.
    """
    with connection.cursor() as cursor:
        try:
            cursor.execute(_GUARD.format(milliseconds=int(settings.RETRIEVAL_TIMEOUT_MS)))
            yield
        except DatabaseError as error:
            with suppress(DatabaseError):  # a lost connection has nothing to go back to
                cursor.execute("ROLLBACK TO SAVEPOINT before_search")
            raise MemoryUnavailable() from error


# The savepoint is set by hand and never released, so a search waits for two round trips rather than four. No bitmap
# scans: row-level security says "own rows, or those of one's groups", for which the planner would build a bitmap
# although one index holds all that is asked for. The generic plan is made once a connection: planning each question
# anew takes as long as reading a hundred rows.
_GUARD = (
    "SAVEPOINT before_search; SET LOCAL statement_timeout = {milliseconds}; SET LOCAL enable_bitmapscan = off;"
    " SET LOCAL enable_nestloop = off;"
    " SET LOCAL plan_cache_mode = force_generic_plan"
)


def _search_rows(permit: Permit, query: SearchQuery, question: EmbeddedQuery) -> SearchResult:
    strategy = query.strategy or cast("Strategy", settings.RETRIEVAL_STRATEGY)
    if not permit.allows(ConsentScope.MEMORY_LEARNING):
        is_off = Capability.PERSONALIZATION in permit.stopped
        reason = Receipt.Unsearched.PERSONALIZATION_OFF if is_off else Receipt.Unsearched.CONSENT_MISSING
        return SearchResult((), strategy, 0.0, withheld=reason)
    if not settings.COGNITIVE_ENABLED and _COGNITIVE.issuperset(query.kinds):
        return SearchResult((), strategy, 0.0, (COGNITIVE_DISABLED,))
    started = perf_counter()
    if question.vector is None:
        strategy = "lexical"
    nearest = _nearest(permit, query, strategy, question)
    rows = _execute(permit, query, strategy, question, nearest)
    if query.floored:
        rows = _above_floor(rows, question)
    ranked = sorted((_reranked(hit, row) for hit, row in map(_hit, rows)), key=lambda hit: hit.score, reverse=True)
    hits = newer_first(ranked, _in_conflict(rows))
    seconds = perf_counter() - started
    RETRIEVAL_SECONDS.observe(seconds)
    count_search(query.kinds)
    degraded = (*question.degraded, QDRANT_UNAVAILABLE) if nearest.is_degraded else question.degraded
    return SearchResult(tuple(hits[: query.top_k]), strategy, seconds * 1000, degraded)


def _nearest(permit: Permit, query: SearchQuery, strategy: Strategy, question: EmbeddedQuery) -> NearestEntries:
    """The entries that the projection finds nearest, where the settings have it searched.

    It is not asked where the database reads every entry, or where conditions that only the database knows might leave
    nothing of what it would answer. A projection of another than the configured model is asked all the same: it alone
    has the vectors that the question is compared with.
    """
    if question.vector is None or strategy == "lexical" or query.is_narrowed:
        return NO_NEAREST
    projection = searched_projection()
    if projection is None:
        return NO_NEAREST
    if projection.model_id == configured_embedder().model_id and not _is_large(permit, query):
        return NO_NEAREST
    return nearest_entries(permit.user_id, query.kinds, question.vector, question.model_id)


def _is_large(permit: Permit, query: SearchQuery) -> bool:
    statement = build_size(query, user_id=permit.user_id)
    with connection.cursor() as cursor:
        cursor.execute(statement.sql, statement.parameters)
        return bool(cursor.fetchone()[0])


def _execute(
    permit: Permit, query: SearchQuery, strategy: Strategy, question: EmbeddedQuery, nearest: NearestEntries
) -> list[dict[str, Any]]:
    statement = build_search(
        query,
        user_id=permit.user_id,
        terms=tuple(dict.fromkeys([*question.terms, *query.more_terms])),
        periods=question.periods,
        vector=question.vector,
        model_id=question.model_id,
        strategy=strategy,
        # The rerank may lift an item from below the cut, so more candidates than asked for; nothing else is reranked.
        limit=max(query.top_k, settings.RETRIEVAL_CANDIDATES) if "item" in query.kinds else query.top_k,
        nearest=nearest,
    )
    with connection.cursor() as cursor:
        cursor.adapters.register_dumper(HalfVector, HalfVectorBinaryDumper)  # as text it takes ten times as long
        cursor.execute(statement.sql, statement.parameters)
        rows = cursor.fetchall()
        columns = [column.name for column in cursor.description]
        return [dict(zip(columns, row, strict=True)) for row in rows]


def _above_floor(rows: list[dict[str, Any]], question: EmbeddedQuery) -> list[dict[str, Any]]:
    """The rows that bear on the question.

    With a measured floor, a row does that reaches it or holds most of the question's words (``MOST_WORDS``). For a
    model without one, a row does that holds any of the words, or has a cosine of at least ``UNMEASURED_FLOOR``.
    """
    floor = floor_for(question.model_id, question.text)
    if floor is None:
        return [row for row in rows if row["bm25"] > 0 or (row["cosine"] or 0.0) >= UNMEASURED_FLOOR]
    return [row for row in rows if _holds_most(row) or bears_on_question(row["cosine"], row["held"] or 0.0, floor)]


def _holds_most(row: dict[str, Any]) -> bool:
    return (row["held"] or 0.0) >= formula.MOST_WORDS


def newer_first(hits: Sequence[SearchHit], conflicts: Mapping[UUID, Collection[UUID]]) -> list[SearchHit]:
    """Move each hit that may change others before the first of these; ``conflicts`` maps its id to their ids."""
    ordered = list(hits)
    for newer in (hit for hit in hits if hit.id in conflicts):
        first = next(place for place, hit in enumerate(ordered) if hit.id in conflicts[newer.id] or hit is newer)
        ordered.remove(newer)
        ordered.insert(first, newer)
    return ordered


def _in_conflict(rows: Sequence[dict[str, Any]]) -> dict[UUID, set[UUID]]:
    """The found items that may change older found items: maps each one's id to the ids of the older ones."""
    by_chain = {row["chain"]: row["id"] for row in rows if row["chain"]}
    changed = {row["id"]: map(UUID, json.loads(row["may_change"])) for row in rows if row["may_change"]}
    found = {key: {by_chain[chain] for chain in chains if chain in by_chain} for key, chains in changed.items()}
    return {key: older for key, older in found.items() if older}


def _hit(row: dict[str, Any]) -> tuple[SearchHit, dict[str, Any]]:
    text = row["text"] or text_of(json.loads(row["content"] or "[]"))
    verdict, mark = row["verdicts"] or ("", "")
    hit = SearchHit(
        kind=row["kind"],
        id=row["id"],
        text=text,
        score=row["score"],
        occurred_at=row["occurred_at"],
        said_by=row["speaker"] or "",
        category=row["category"] or "",
        memory_type=row["memory_type"] or "",
        slot=row["slot"] or "",
        provenance=row["provenance"],
        epistemic_type=row["epistemic_type"],
        confidence=row["confidence"],
        said_in=tuple(UUID(key) for key in json.loads(row["said_in"] or "[]")),
        is_past=not row["live"],
        is_prechecked=is_current_verdict(verdict, text),
        manipulative=is_marked(mark, text),
        signals={"lexical": round(row["bm25"], 4), "semantic": round(row["cosine"] or 0.0, 4)},
    )
    return hit, row


def _reranked(hit: SearchHit, row: dict[str, Any]) -> SearchHit:
    """Apply the rerank's factors to an item's fused score; turns and events have no confidence to weigh."""
    if hit.kind != "item":
        return hit
    at = timezone.now()
    by_name = formula.rerank_factors(
        ItemSignals(
            age=at - hit.occurred_at,
            since_validated=at - row["last_validated_at"],
            confidence=hit.confidence or 0.0,
            provenance=hit.provenance or "",
            uses=row["injection_count"],
            positive=row["positive_count"],
            unused=row["unused_count"],
        )
    )
    score = hit.score
    for factor in by_name.values():
        score *= factor
    return replace(hit, score=score, signals=hit.signals | by_name)
