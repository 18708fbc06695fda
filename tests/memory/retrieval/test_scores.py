"""Search scores every entry as the formula says, whatever question and corpus; the reference is plain Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from math import log, sqrt
from statistics import fmean
from unittest import mock
from uuid import UUID

import pytest
from django.db import transaction
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from pgvector import HalfVector

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.ids import new_id
from foundation.text import tokenize
from memory.indexing import services as indexing
from memory.indexing.documents import SearchDocument
from memory.retrieval import formula
from memory.retrieval import services as retrieval
from memory.retrieval.periods import Period
from memory.retrieval.services import EmbeddedQuery
from memory.types import SearchHit, SearchQuery, Strategy
from tests.support.cast import A_MONDAY, allow
from tests.support.talk import permit_of

MODEL = "eight-small-numbers"
A_DAY = timedelta(days=1)
WORDS = ("silver", "boat", "harbour", "coffee", "ledger", "600519", "12.5%", "咖啡", "花园里", "茅台股票", "winter")
TOP_K = 5


@dataclass(frozen=True)
class Told:
    """One entry of a corpus: its own words, those of the turns one and two away, its vector (None for one that has not
    been embedded yet), and on which day after the first it was said.
    """

    own: tuple[str, ...]
    near: tuple[str, ...]
    far: tuple[str, ...]
    vector: tuple[int, ...] | None
    day: int = 0


@dataclass(frozen=True)
class Entry:
    """An entry as the formula sees it. ``weights`` of its index terms: 1 own, less for a neighbour's; ``length`` is
    their number, to which the period that is asked about, and in which it was said, does not count.
    """

    id: UUID
    weights: Mapping[str, float]
    cosine: float | None
    length: int


words = st.lists(st.sampled_from(WORDS), max_size=4).map(tuple)
vectors = st.tuples(*[st.integers(-3, 3)] * 8)
told = st.builds(Told, words, words, words, st.none() | vectors, st.integers(0, 2))
corpora = st.lists(told, min_size=1, max_size=12)
questions = st.lists(st.sampled_from(WORDS), min_size=1, max_size=8, unique=True)
PERIOD = "the period asked about"


def document(owner: User, one: Told) -> SearchDocument:
    text, near, far = (" ".join(part) for part in (one.own, one.near, one.far))
    return SearchDocument(new_id(), "turn", owner.pk, None, None, A_MONDAY + one.day * A_DAY, text, (near,), (far,))


def entry(made: SearchDocument, one: Told, asked: Sequence[int], period: Period | None) -> Entry:
    weights: dict[str, float] = {}
    levels = ((1.0, (made.text,)), (formula.NEAR_WEIGHT, made.near), (formula.FAR_WEIGHT, made.far))
    for weight, texts in levels:
        for term in (term for text in texts for term in tokenize(text)):
            weights.setdefault(term, weight)
    length = len(weights)
    if period and period[0] <= made.occurred_at < period[1]:
        weights[PERIOD] = 1.0
    cosine = None if one.vector is None else float(sum(a * b for a, b in zip(one.vector, asked, strict=True)))
    return Entry(made.id, weights, cosine, length)


def chosen(terms: Sequence[str], of: Sequence[Entry]) -> list[str]:
    """All terms; of a long question those that fewest entries hold, and any does. A period is used beside them."""
    named = [term for term in terms if term == PERIOD]
    words = [term for term in terms if term != PERIOD]
    if len(words) <= formula.MAX_TERMS:
        return words + named
    holding = {term: sum(term in one.weights for one in of) for term in words}
    by_rarity = sorted((term for term in words if holding[term]), key=lambda term: (holding[term], term))
    return by_rarity[: formula.MAX_TERMS] + named


def inverse_frequencies(of: Sequence[Entry], terms: Sequence[str]) -> dict[str, float]:
    used = chosen(terms, of)
    holding = {term: sum(term in one.weights for one in of) for term in used}
    return {
        term: log(1 + (len(of) - holding[term] + 0.5) / (holding[term] + 0.5))
        * (formula.PERIOD_WEIGHT if term == PERIOD else 1)
        for term in used
    }


def bm25(of: Sequence[Entry], terms: Sequence[str]) -> list[float]:
    average = max(1.0, fmean(one.length for one in of))
    idf = inverse_frequencies(of, terms)
    k1, b = formula.K1, formula.B
    return [
        sum(
            idf[term] * one.weights[term] * (k1 + 1)
            / (one.weights[term] + k1 * (1 - b + b * one.length / average))
            for term in idf if term in one.weights
        )
        for one in of
    ]  # fmt: skip


def lexical(of: Sequence[Entry], terms: Sequence[str]) -> list[float]:
    values = bm25(of, terms)
    highest = max(values)
    return [value / highest if highest else 0.0 for value in values]


def semantic(of: Sequence[Entry]) -> list[float | None]:
    known = [one.cosine for one in of if one.cosine is not None]
    low, high = min(known, default=0.0), max(known, default=0.0)
    return [
        None if one.cosine is None else (one.cosine - low) / (high - low) if high > low else 1.0 for one in of
    ]  # fmt: skip


def by_vector(of: Sequence[Entry], _terms: Sequence[str]) -> list[float]:
    return [value or 0.0 for value in semantic(of)]


def fused(of: Sequence[Entry], terms: Sequence[str]) -> list[float]:
    best, whole = max(bm25(of, terms)), sum(inverse_frequencies(of, terms).values())
    weight = formula.LEXICAL_WEIGHT * sqrt(min(best / whole, 1)) if whole else 0.0
    scale = 1 - formula.LEXICAL_WEIGHT + weight
    return [
        scale * (a if b is None else weight * a + (1 - weight) * b)
        for a, b in zip(lexical(of, terms), semantic(of), strict=True)
    ]  # fmt: skip


def reciprocal_ranks(of: Sequence[Entry], terms: Sequence[str]) -> list[float]:
    def leg(values: Sequence[float], *, above: float) -> Iterator[float]:
        rounded = [round(value, 9) for value in values]  # sums of the same numbers differ by their order
        for value in rounded:
            rank = 1 + sum(other > value for other in rounded)
            yield 1 / (formula.RRF_K + rank) if value > above and rank <= formula.RRF_DEPTH else 0.0

    cosines = [float("-inf") if one.cosine is None else one.cosine for one in of]
    legs = leg(bm25(of, terms), above=0), leg(cosines, above=-2)
    return [a + b for a, b in zip(*legs, strict=True)]


REFERENCES: dict[Strategy, Callable[[Sequence[Entry], Sequence[str]], list[float]]] = {
    "score": fused, "lexical": lexical, "vector": by_vector, "rrf": reciprocal_ranks,
}  # fmt: skip


@contextmanager
def remembered(owner: User, made: Sequence[SearchDocument], corpus: Sequence[Told]) -> Iterator[None]:
    with acting_as(owner.pk), transaction.atomic():
        stored = [None if one.vector is None else list(map(float, one.vector)) for one in corpus]
        indexing.store_entries(made, stored, MODEL)
        yield
        transaction.set_rollback(True)


def found(
    owner: User, terms: Sequence[str], period: Period | None, vector: Sequence[int], strategy: Strategy
) -> tuple[SearchHit, ...]:
    numbers = HalfVector(list(map(float, vector)))
    embedded = EmbeddedQuery("", tuple(terms), numbers, MODEL, periods=(period,) if period else ())
    query = SearchQuery("", ("turn",), top_k=TOP_K, strategy=strategy)
    return retrieval.search(permit_of(owner), query, embedded).hits


@pytest.fixture
def owner(alice: User) -> User:
    allow(alice)
    return alice


@pytest.mark.parametrize("by_first_look", [False, True], ids=["all are read", "a first look chooses"])
@pytest.mark.parametrize("most_terms", [3, 64], ids=["a long question", "a short one"])
@pytest.mark.parametrize("strategy", REFERENCES)
@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(corpus=corpora, asked=questions, vector=vectors, asked_day=st.none() | st.integers(0, 2))
@example(corpus=[Told((), (), (), (0,) * 8)], asked=["silver"], vector=(0,) * 8, asked_day=None)
@example(
    corpus=[Told(("silver",), (), (), None), Told((), (), (), (1,) * 8)],
    asked=["silver"], vector=(1,) * 8, asked_day=0,
)  # fmt: skip
def test_the_best_entries_have_the_scores_of_the_formula(
    owner: User, strategy: Strategy, most_terms: int, by_first_look: bool,
    corpus: list[Told], asked: list[str], vector: tuple[int, ...], asked_day: int | None,
) -> None:  # fmt: skip
    terms = tuple(dict.fromkeys(tokenize(" ".join(asked))))
    begin = A_MONDAY + (asked_day or 0) * A_DAY
    period = None if asked_day is None else (begin, begin + A_DAY)
    made = [document(owner, one) for one in corpus]
    of = [entry(document, one, vector, period) for document, one in zip(made, corpus, strict=True)]
    sought = terms if period is None else (*terms, PERIOD)
    with mock.patch.multiple(formula, MAX_TERMS=most_terms, FEW=0 if by_first_look else formula.FEW):
        expected = dict(zip((one.id for one in of), REFERENCES[strategy](of, sought), strict=True))
        with remembered(owner, made, corpus):
            hits = found(owner, terms, period, vector, strategy)
    best = [score for score in sorted(expected.values(), reverse=True)[:TOP_K] if score > 0]
    assert [hit.score for hit in hits] == pytest.approx(best, abs=1e-6)
    assert [expected[hit.id] for hit in hits] == pytest.approx(best, abs=1e-6)
