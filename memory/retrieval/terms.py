"""What the statement of hybrid search asks of each term, and of each entry at first look: pieces of SQL."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from memory.indexing.documents import quoted
from memory.retrieval import formula
from memory.types import Strategy

# Statements for 1 to 4 terms share one text, those for 5 to 8 the next, so that a connection soon has them prepared.
_SLOTS = 4


def slots_for(terms: Sequence[str]) -> range:
    """As many slots as the text of the statement has, some of them without a term."""
    return range(-(-len(terms) // _SLOTS) * _SLOTS)


def parameters_of(terms: Sequence[str]) -> dict[str, Any]:
    """The named parameters of all slots."""
    parameters: dict[str, Any] = {}
    for number in slots_for(terms):
        term = terms[number] if number < len(terms) else None
        lexeme = term and quoted(term)
        parameters[f"term{number}"] = term
        parameters[f"t{number}"] = lexeme
        parameters[f"own{number}"] = lexeme and f"{lexeme}:A"
        parameters[f"near{number}"] = lexeme and f"{lexeme}:B"
    return parameters


def columns_of(terms: Sequence[str]) -> dict[str, str]:
    """The statement's lists with an entry a slot, by their places in its text."""
    return {name: "".join(map(column, slots_for(terms))) for name, column in _EACH_TERM.items()}


def _hashes(number: int) -> str:
    hashed = f"hashtextextended(%(term{number})s::text, 0)"
    return f",\n        ({hashed} & {_INT4})::int AS first{number}, ({hashed} >> 32 & {_INT4})::int AS second{number}"


def _seems(number: int) -> str:
    """What the Bloom filter says (migration 0013). No is NULL, which costs a row no room."""
    return (
        f",\n        CASE WHEN get_bit(bloom, first{number} & mask) = 1 THEN"
        f" CASE WHEN get_bit(bloom, second{number} & mask) = 1 THEN true END END AS s{number}"
    )


def _seen(number: int) -> str:
    rough = _inverse("count(id)", f"count(s{number})")
    return (
        f",\n        count(s{number}) AS seen{number},"
        f" CASE WHEN count(s{number}) > 0 THEN {rough} ELSE 0 END AS rough{number}"
    )


def promise(terms: Sequence[str], strategy: Strategy) -> str:
    """The share of the question's inverse document frequencies that an entry seems to hold, and how near its vector
    seems to be among all, weighed as the strategy weighs them.
    """
    weight = _LEXICAL_SHARE[strategy]
    held = " + ".join(f"CASE WHEN s{number} THEN rough{number} ELSE 0 END" for number in slots_for(terms)) or "0"
    of = " + ".join(f"rough{number}" for number in slots_for(terms)) or "0"
    near = "coalesce((farthest - apart) / nullif(farthest - nearest, 0)::float8, 0)"
    return f"{real(weight)} * coalesce(({held}) / nullif({of}, 0), 0) + {real(1 - weight)} * {near}"


def _match(number: int) -> str:
    # Most rows hold most terms nowhere: one test settles them.
    return (
        f",\n        CASE WHEN e.terms @@ %(t{number})s::tsquery THEN CASE"
        f" WHEN e.terms @@ %(own{number})s::tsquery THEN 1"
        f" WHEN e.terms @@ %(near{number})s::tsquery THEN {real(formula.NEAR_WEIGHT)}"
        f" ELSE {real(formula.FAR_WEIGHT)} END END AS m{number}"
    )


def _mistaken(number: int) -> str:
    return f", count(s{number}) - count(m{number}) AS mistaken{number}"


def _idf(number: int) -> str:
    return f",\n        {_inverse('greatest(total, read)', f'(seen{number} - mistaken{number})')} AS idf{number}"


def _inverse(rows: str, holding: str) -> str:
    """BM25's inverse document frequency."""
    half = real(0.5)
    return f"ln(1 + ({rows} - {holding} + {half}) / ({holding} + {half}))"


def bm25(terms: Sequence[str]) -> str:
    """The sum of what each term gives an entry."""
    return " + ".join(map(_bm25, slots_for(terms))) or "0"


def _bm25(number: int) -> str:
    length = f"{real(formula.K1 * (1 - formula.B))} + length_slope * length"
    value = f"idf{number} * m{number} * {real(formula.K1 + 1)} / (m{number} + {length})"
    return f"CASE WHEN m{number} IS NULL THEN 0 ELSE {value} END"


def real(value: float) -> str:
    """A literal: a bare one is numeric, whose arithmetic is many times slower."""
    return f"{value}::float8"


_INT4 = 2**31 - 1
_EACH_TERM: dict[str, Callable[[int], str]] = {
    "hashes": _hashes, "seems": _seems, "seen": _seen, "matches": _match, "mistaken": _mistaken, "idfs": _idf,
    "seeming": ", s{}".format, "not_seeming": ", NULL::boolean AS s{}".format,
}  # fmt: skip
_LEXICAL_SHARE: dict[Strategy, float] = {
    "score": formula.FIRST_LOOK_LEXICAL,
    "rrf": formula.FIRST_LOOK_LEXICAL,
    "lexical": 1.0,
    "vector": 0.0,
}
