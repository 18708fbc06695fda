"""The one statement of hybrid search.

A first look goes over all of the person's entries in an index that holds nothing but their Bloom filters and quantized
vectors, and chooses the most promising (see ``formula.SECOND_LOOK``). These are read: cosine, and per query term 1 for
an own match, less for a neighbour's. Averages, extremes and inverse document frequencies are taken, those of entries
not read from the first look; the last step scores and orders. For whoever has few entries it is exact. An approximate
index over everybody's vectors would be slower under a user filter, and lose rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pgvector import HalfVector

from memory.retrieval import formula
from memory.retrieval.terms import bm25, columns_of, parameters_of, promise, real
from memory.types import Kind, SearchQuery, Strategy


@dataclass
class Statement:
    """SQL text and its named parameters."""

    sql: str
    parameters: dict[str, Any] = field(default_factory=dict)


def build(
    query: SearchQuery, *, user_id: object, terms: Sequence[str], vector: HalfVector | None, model_id: str,
    strategy: Strategy, limit: int,
) -> Statement:  # fmt: skip
    """The statement for ``terms`` (index tokens) and ``vector`` (None for full text only)."""
    where, parameters = _where(query)
    parameters |= {"user": user_id, "limit": limit, "model": model_id}
    second_look = max(limit, formula.SECOND_LOOK)
    parameters |= {"second_look": second_look, "few": formula.FEW * second_look}
    parameters |= parameters_of(terms)
    quantized, apart, cosine = "NULL::varbit", "NULL::bigint", "NULL::float"
    if vector is not None:
        parameters["vector"] = vector
        quantized = "binary_quantize(%(vector)s::halfvec)::varbit"
        apart = "CASE WHEN model_id = %(model)s THEN bit_count(quantized # sought) END"
        cosine = "CASE WHEN e.model_id = %(model)s THEN -(e.vector <#> %(vector)s::halfvec) END"
    sql = _TEMPLATE.format(
        where=where,
        quantized=quantized,
        apart=apart,
        cosine=cosine,
        promise=promise(terms, strategy),
        semantic=_SEMANTIC,
        score=_SCORES[strategy],
        length_slope=_LENGTH_SLOPE,
        share=formula.SECOND_LOOK_SHARE,
        bm25=bm25(terms),
        **columns_of(terms),
        **_sources(query.kinds),
    )
    return Statement(sql, parameters)


def _where(query: SearchQuery) -> tuple[str, dict[str, Any]]:
    clauses = [f"e.kind IN ({', '.join(repr(str(kind)) for kind in query.kinds)})"]
    parameters: dict[str, Any] = {"exclude_since": query.exclude_since}
    if query.group_id is None:
        clauses.append("e.user_id = %(user)s")
        if {"event", "profile"} & set(query.kinds):  # a group's events and its portrait are searched in the group
            clauses.append("(e.kind NOT IN ('event', 'profile') OR e.group_id IS NULL)")
    else:
        clauses.append("e.group_id = %(group)s")
        parameters["group"] = query.group_id
        if query.speaker_only:
            clauses.append("(e.kind = 'event' OR e.user_id = %(user)s)")
    for name, clause in _OPTIONAL.items():
        value = getattr(query, name)
        if value is not None:
            clauses.append(clause)
            parameters[name] = value
    clauses.append(_as_of(query, parameters))
    return " AND ".join(clauses), parameters


_OPTIONAL = {
    "exclude_session": (
        "(e.session_id IS DISTINCT FROM %(exclude_session)s OR e.occurred_at < %(exclude_since)s::timestamptz)"
    ),
    "time_from": "e.occurred_at >= %(time_from)s",
    "time_to": "e.occurred_at <= %(time_to)s",
}


def _as_of(query: SearchQuery, parameters: dict[str, Any]) -> str:
    if "item" not in query.kinds:
        return "true" if query.with_past or query.valid_at or query.known_at else "e.live"
    if query.valid_at is None and query.known_at is None:
        return (
            "e.live AND (e.kind <> 'item' OR NOT EXISTS (SELECT FROM memory_memoryitem i WHERE i.id = e.id"
            " AND i.invalid_at <= now()))"
        )
    parameters |= {"valid_at": query.valid_at, "known_at": query.known_at}
    return f"""(e.kind <> 'item' OR EXISTS (
        SELECT FROM memory_memoryitem i WHERE i.id = e.id AND {_believed("i")}
        AND NOT EXISTS (
            SELECT FROM memory_memoryitem n WHERE n.user_id = i.user_id AND n.chain_id = i.chain_id
            AND n.version > i.version AND {_believed("n")})))"""  # noqa: S608  our own columns


def _believed(item: str) -> str:
    """As ``MemoryItemQuerySet.believed``: of a chain the latest version speaks."""
    return f"""{item}.state <> 'quarantined'
        AND {item}.created_at <= coalesce(%(known_at)s, now()) AND {item}.valid_at <= coalesce(%(valid_at)s, now())
        AND ({item}.invalid_at IS NULL OR {item}.invalid_at > coalesce(%(valid_at)s, now())
             OR {item}.superseded_at > coalesce(%(known_at)s, now()))"""


_LENGTH_SLOPE = f"{real(formula.K1 * formula.B)} / nullif(coalesce(average, average_read), 0)"
_LEXICAL = "coalesce(bm25 / nullif(highest_bm25, 0), 0)"
_SEMANTIC = "coalesce((cosine - low) / nullif(high - low, 0), CASE WHEN cosine IS NULL THEN 0 ELSE 1 END)"
_RRF_LEG = (
    "CASE WHEN {value} > {floor} AND rank() OVER (ORDER BY {value} DESC NULLS LAST) <= {depth}"
    " THEN 1.0 / ({k} + rank() OVER (ORDER BY {value} DESC NULLS LAST)) ELSE 0 END"
)
_RRF = " + ".join(
    _RRF_LEG.format(value=value, floor=floor, depth=formula.RRF_DEPTH, k=formula.RRF_K)
    for value, floor in (("bm25", "0"), ("cosine", "-2"))
)
_SCORES: dict[Strategy, str] = {
    "score": f"{real(formula.LEXICAL_WEIGHT)} * {_LEXICAL} + {real(1 - formula.LEXICAL_WEIGHT)} * semantic",
    "rrf": _RRF,
    "lexical": _LEXICAL,
    "vector": "semantic",
}


def _sources(kinds: Sequence[Kind]) -> dict[str, str]:
    """What the final select reads of each row found: only the tables of the kinds asked for are planned."""
    sources: dict[str, list[str]] = {name: [] for name in _COLUMNS}
    joins = ""
    for kind in kinds:
        table, alias, own = _TABLES[kind]
        joins += f"\nLEFT JOIN {table} {alias} ON {alias}.id = b.id AND b.kind = '{kind}'"
        for name, column in own.items():
            sources[name].append(f"{alias}.{column}")
    columns = (f"coalesce({', '.join(found or ['NULL'])}) AS {name}" for name, found in sources.items())
    return {"columns": ", ".join(columns), "joins": joins}


_COLUMNS = (
    "text", "content", "occurred_at", "speaker", "category", "memory_type", "provenance", "epistemic_type",
    "confidence", "last_validated_at", "injection_count", "positive_count", "said_in", "slot",
)  # fmt: skip
_OF_ITEM = (
    "category", "memory_type", "provenance", "epistemic_type", "confidence", "last_validated_at", "injection_count",
    "positive_count",
)  # fmt: skip
_TABLES: dict[Kind, tuple[str, str, dict[str, str]]] = {
    "item": (
        "memory_memoryitem",
        "i",
        {
            "text": "content",
            "occurred_at": "valid_at",
            "said_in": "provenance_detail -> 'message_ids'",
            "slot": "attributes ->> 'slot'",
        }
        | {name: name for name in _OF_ITEM},
    ),
    "event": ("memory_cognitiveevent", "v", {"text": "canonical_text", "occurred_at": "timestamp_utc"}),
    "profile": ("memory_entityprofile", "p", {"text": "body", "occurred_at": "updated_at"}),
    "turn": (
        "memory_conversationevent", "t", {"content": "content", "occurred_at": "occurred_at", "speaker": "speaker"}
    ),
}  # fmt: skip

# Every step is materialized: without statistics the planner takes a person's rows for one and would compute the
# averages again for each of them. Outer joins without a condition: only so the one row on the left is looked up once,
# and not for each row on the right; where there is none, the empty row they make has no id and no score. OFFSET 0 keeps
# apart what the planner would join otherwise. Whoever has few entries is spared the first look (``formula.FEW``).
_TEMPLATE = """
WITH asked AS MATERIALIZED (
    SELECT {quantized} AS sought{hashes},
        (SELECT count(*) FROM (SELECT FROM memory_searchentry e WHERE {where} LIMIT %(few)s::bigint + 1) begun)
            > %(few)s::bigint AS many
), first_look AS MATERIALIZED (
    SELECT id, length, {apart} AS apart{seems}
    FROM asked LEFT JOIN (
        SELECT e.id, e.length, e.model_id, e.quantized, e.bloom, length(e.bloom) - 1 AS mask
        FROM memory_searchentry e WHERE (SELECT many FROM asked) AND {where} OFFSET 0
    ) entries ON true
), everything AS MATERIALIZED (
    SELECT count(id) AS total, avg(length)::float8 AS average, min(apart) AS nearest, max(apart) AS farthest{seen}
    FROM first_look
), promising AS MATERIALIZED (
    SELECT id{seeming} FROM everything LEFT JOIN first_look ON true
    ORDER BY {promise} DESC, id DESC
    LIMIT (SELECT greatest(%(second_look)s::bigint, total / {share}) FROM everything)
), mine AS MATERIALIZED (
    SELECT e.id, e.kind, e.live, e.length, {cosine} AS cosine{matches}{not_seeming}
    FROM memory_searchentry e WHERE NOT (SELECT many FROM asked) AND {where}
    UNION ALL
    SELECT e.id, e.kind, e.live, e.length, {cosine}{matches}{seeming}
    FROM promising p, LATERAL (SELECT * FROM memory_searchentry WHERE id = p.id OFFSET 0) e
), second_look AS MATERIALIZED (
    SELECT count(*) AS read, avg(length)::float8 AS average_read, min(cosine) AS lowest, max(cosine) AS high{mistaken}
    FROM mine
), stats AS MATERIALIZED (
    SELECT {length_slope} AS length_slope, CASE WHEN read < total THEN least(lowest, 0) ELSE lowest END AS low,
        high{idfs}
    FROM everything, second_look
), scored AS MATERIALIZED (
    SELECT id, kind, live, cosine, {semantic} AS semantic, ({bm25})::float8 AS bm25
    FROM stats LEFT JOIN mine ON true
), peak AS MATERIALIZED (
    SELECT max(bm25) AS highest_bm25 FROM scored
), best AS MATERIALIZED (
    SELECT id, kind, live, cosine, bm25, ({score})::float8 AS score FROM peak LEFT JOIN scored ON true
    ORDER BY score DESC, id DESC LIMIT %(limit)s
)
SELECT b.id, b.kind, b.live, b.score, b.bm25, b.cosine, {columns}
FROM best b{joins}
WHERE b.score > 0
ORDER BY b.score DESC, b.id DESC
"""
