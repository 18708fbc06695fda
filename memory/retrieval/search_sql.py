"""Builds the SQL of hybrid search from ``sql/search.sql`` and ``sql/first_look.sql``; see ``docs/search.md``.

Its text depends on the kinds and filters asked for and on whether a time is named, never on the words: they are passed
as one array. If a user has few entries, all are read, and the result is exact. If a user has very many, a first look at
an index that holds only Bloom filters and quantized vectors chooses those to read. An approximate index over
everybody's vectors would be slower under a user filter, and lose rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pgvector import HalfVector
from psycopg.types.multirange import Multirange
from psycopg.types.range import TimestamptzRange

from memory.bitemporal import believed
from memory.projection.nearest import NO_NEAREST, NearestEntries
from memory.retrieval import formula
from memory.retrieval.periods import Period
from memory.types import Kind, SearchQuery, Strategy

_SQL = Path(__file__).parent / "sql"
_SEARCH = (_SQL / "search.sql").read_text(encoding="utf-8")
_FIRST_LOOK = (_SQL / "first_look.sql").read_text(encoding="utf-8").strip()


@dataclass
class SqlStatement:
    """SQL text and its named parameters."""

    sql: str
    parameters: dict[str, Any] = field(default_factory=dict)


def build_search(
    query: SearchQuery, *, user_id: object, terms: Sequence[str], periods: Sequence[Period], vector: HalfVector | None,
    model_id: str, strategy: Strategy, limit: int, nearest: NearestEntries = NO_NEAREST,
) -> SqlStatement:  # fmt: skip
    """The statement for ``terms`` (distinct index tokens), ``periods`` and ``vector`` (None for full text only).

    Where another store said which entries are ``nearest``, these are read as well, whatever their signs say.
    """
    where, parameters = _where(query)
    parameters |= {
        "user": user_id, "limit": limit, "model": model_id, "terms": list(terms), "most_terms": formula.MAX_TERMS,
        "periods": Multirange([TimestamptzRange(*period) for period in periods]), "few": formula.FEW,
        "sample": formula.SAMPLE, "second_look": max(limit, formula.SECOND_LOOK),
    }  # fmt: skip
    vectors = _WITHOUT_VECTOR
    if vector is not None:
        parameters["vector"] = vector
        vectors = _WITH_VECTOR
    if nearest.keys:
        parameters |= {"nearest": list(nearest.keys), "cosines": list(nearest.cosines)}
        vectors = _WITH_NEAREST
    parts = {
        "where": where,
        "first_look_words": _FIRST_LOOK_WORDS[strategy],
        "score": _SCORES[strategy],
        **vectors,
        **(_WITH_PERIODS if periods else _WITHOUT_PERIODS),
        **_FORMULA,
        **_sources(query.kinds),
    }
    return SqlStatement(_SEARCH.format(first_look=_FIRST_LOOK.format(**parts), **parts), parameters)


def build_size(query: SearchQuery, *, user_id: object) -> SqlStatement:
    """The statement that says whether a query is over more entries than are all read."""
    where, parameters = _where(query)
    begun = f"SELECT FROM memory_searchentry e WHERE {where} LIMIT %(few)s::bigint + 1"
    sql = f"SELECT count(*) > %(few)s::bigint FROM ({begun}) begun"  # noqa: S608
    return SqlStatement(sql, parameters | {"user": user_id, "few": formula.FEW})


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
    # A memory's ``occurred_at`` is when it became true; it was said when its row, or an earlier message, was written.
    "said_until": """
        CASE e.kind WHEN 'item' THEN EXISTS (
            SELECT FROM memory_memoryitem w WHERE w.id = e.id AND (w.created_at <= %(said_until)s OR EXISTS (
                SELECT FROM memory_conversationevent m
                WHERE m.user_id = w.user_id AND m.occurred_at <= %(said_until)s AND m.tombstone_id IS NULL
                AND m.id = ANY (ARRAY(SELECT jsonb_array_elements_text(w.provenance_detail->'message_ids'))::uuid[])
            ))
        ) ELSE e.occurred_at <= %(said_until)s END""",
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
    then = believed("i", known="coalesce(%(known_at)s, now())", valid="coalesce(%(valid_at)s, now())")
    return f"""(e.kind <> 'item' OR EXISTS (
        SELECT FROM memory_memoryitem i WHERE i.id = e.id AND {then}))"""


def _sources(kinds: Sequence[Kind]) -> dict[str, str]:
    """The joins of the final select: only tables of the kinds asked for are planned."""
    sources: dict[str, list[str]] = {name: [] for name in _COLUMNS}
    joins = ""
    for kind in kinds:
        table, alias, own = _TABLES[kind]
        row = f"SELECT * FROM {table} WHERE id = b.id AND b.kind = '{kind}' OFFSET 0"  # noqa: S608  our own tables
        joins += f"\nLEFT JOIN LATERAL ({row}) {alias} ON true"
        for name, column in own.items():
            sources[name].append(f"{alias}.{column}")
    columns = (f"coalesce({', '.join(found or ['NULL'])}) AS {name}" for name, found in sources.items())
    return {"columns": ", ".join(columns), "joins": joins}


_COLUMNS = (
    "text", "content", "occurred_at", "speaker", "category", "memory_type", "provenance", "epistemic_type",
    "confidence", "last_validated_at", "injection_count", "positive_count", "unused_count", "said_in", "slot", "chain",
    "may_change",
)  # fmt: skip
_OF_ITEM = (
    "category", "memory_type", "provenance", "epistemic_type", "confidence", "last_validated_at", "injection_count",
    "positive_count", "unused_count",
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
            "chain": "chain_id",
            "may_change": "provenance_detail -> 'may_change'",
        }
        | {name: name for name in _OF_ITEM},
    ),
    "event": ("memory_cognitiveevent", "v", {"text": "canonical_text", "occurred_at": "timestamp_utc"}),
    "profile": ("memory_entityprofile", "p", {"text": "body", "occurred_at": "updated_at"}),
    "turn": (
        "memory_conversationevent", "t", {"content": "content", "occurred_at": "occurred_at", "speaker": "speaker"}
    ),
    "document": ("media_mediapassage", "d", {"text": "text", "occurred_at": "created_at", "speaker": "file_name"}),
}  # fmt: skip


def _real(value: float) -> str:
    """A real literal: a bare one is numeric, whose arithmetic is many times slower."""
    return f"{value}::float8"


def _truly_holding(among: str) -> str:
    """How many of so many entries hold the word that ``seen`` seem to; of a time (n = -1) the index knows."""
    false = _real(formula.FALSE_POSITIVES)
    return f"CASE WHEN n > 0 THEN greatest(seen - {false} * {among}, 0) / (1 - {false}) ELSE seen END"


def _gain(weight: str, average: str) -> str:
    """What a word brings for each unit of its idf: BM25 (Robertson and Zaragoza, 2009) over binary term presence.

    A term of a neighbouring message has a weight below 1.
    """
    k1, b = formula.K1, formula.B
    saturation = f"{_real(k1 * (1 - b))} + {_real(k1 * b)} * length / {average}"
    return f"{weight} * {_real(k1 + 1)} / ({weight} + {saturation})"


def _lexical_weight(highest: str) -> str:
    """What words weigh in the fused score where the best entry holds so large a share of the question's idf."""
    return f"{_real(formula.LEXICAL_WEIGHT)} * sqrt(least({highest}, 1))"


_FIRST_LOOK_WORDS: dict[Strategy, str] = {  # the weight that the strategy gives them, or more: see FIRST_LOOK_EMPHASIS
    "score": f"least({_real(formula.FIRST_LOOK_EMPHASIS)} * {_lexical_weight('highest')}, 1)",
    "rrf": _real(0.5),
    "lexical": _real(1),
    "vector": _real(0),
}
_LOOKED_AT = f"greatest(%(second_look)s::bigint, signatures / {formula.SECOND_LOOK_SHARE})"
_WITH_VECTOR = {
    "quantized": "binary_quantize(%(vector)s::halfvec)::varbit",
    "apart": "CASE WHEN e.model_id = %(model)s THEN bit_count(e.quantized # sought) END",
    "cosine": "CASE WHEN e.model_id = %(model)s THEN -(e.vector <#> %(vector)s::halfvec) END",
    "signature_apart": "CASE WHEN e.model_id = %(model)s THEN bit_count(e.quantized # sought) END",
    "looked_at": _LOOKED_AT,
    "nearest": "",
}
# Without a working extension PostgreSQL cannot even read a NULL as a vector: the statement leaves the columns out.
_WITHOUT_VECTOR = {
    "quantized": "NULL::varbit",
    "apart": "NULL::bigint",
    "cosine": "NULL::float8",
    "signature_apart": "NULL::bigint",
    "looked_at": _LOOKED_AT,
    "nearest": "",
}
# What a store found nearest is read beside what the first look chose. An entry of another model than the question's has
# the cosine that the store gave, because the database has no vector of the question's model for it.
_WITH_NEAREST = _WITH_VECTOR | {
    "cosine": f"coalesce({_WITH_VECTOR['cosine']}, (%(cosines)s::float8[])[array_position(%(nearest)s::uuid[], e.id)])",
    "nearest": "UNION SELECT id, seeming FROM signature WHERE id = ANY(%(nearest)s::uuid[])",
}

# Where a question names no time, no entry is asked whether it was said then: that took a tenth of the first look.
_WITHIN = "e.occurred_at <@ %(periods)s::tstzmultirange"
_WITH_PERIODS = {
    "seems_within": f"UNION ALL SELECT -1 WHERE {_WITHIN}", "is_within": f"UNION ALL SELECT -1, 1 WHERE {_WITHIN}"
}  # fmt: skip
_WITHOUT_PERIODS = {"seems_within": "", "is_within": ""}

# Rounded, because two entries that hold the same words have sums that differ in their last bit, and yet one rank.
_RANK = "rank() OVER (ORDER BY round({value} * 1e9::float8) DESC NULLS LAST)"
_RRF_LEG = f"CASE WHEN {{value}} > {{floor}} AND {_RANK} <= {{depth}} THEN 1.0 / ({{k}} + {_RANK}) ELSE 0 END"
_LEXICAL = "coalesce(bm25 / nullif(highest_bm25, 0), 0)"
_SCORES: dict[Strategy, str] = {
    "score": f"({_real(1 - formula.LEXICAL_WEIGHT)} + lexical_weight)"
    f" * coalesce(lexical_weight * {_LEXICAL} + (1 - lexical_weight) * semantic, {_LEXICAL})",
    "rrf": " + ".join(
        _RRF_LEG.format(value=value, floor=floor, depth=formula.RRF_DEPTH, k=formula.RRF_K)
        for value, floor in (("bm25", "0"), ("cosine", "-2"))  # every cosine is above -2
    ),
    "lexical": _LEXICAL,
    "vector": "coalesce(semantic, 0)",
}
_FORMULA = {
    "terms_held": "ts_filter(setweight(e.terms, 'D', %(terms)s::text[]), '{d}')",
    "near": _real(formula.NEAR_WEIGHT),
    "far": _real(formula.FAR_WEIGHT),
    "truly_among_all": _truly_holding("total"),
    "truly_among_unread": _truly_holding("(total - read)"),
    "idf": "ln(1 + (total - holding + 0.5::float8) / (holding + 0.5::float8))"
    f" * CASE WHEN n = -1 THEN {_real(formula.PERIOD_WEIGHT)} ELSE 1 END",
    "gain": f"idf * {_gain('weight', 'average_length')}",
    "first_look_gain": _gain(_real(1), "greatest(average, 1)"),
    "semantic": "CASE WHEN cosine IS NOT NULL THEN coalesce((cosine - low) / nullif(high - low, 0), 1) END",
    "lexical_weight": _lexical_weight("coalesce(highest_bm25 / nullif(asked, 0), 0)"),
}
