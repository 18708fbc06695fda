"""Search scores every row as the formula says, though it does not score every row."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import log
from statistics import fmean
from uuid import UUID

import numpy as np
import pytest
from django.utils import timezone

from foundation.accounts.models import User
from foundation.database.acting import acting_as
from foundation.embeddings import configured_embedder
from foundation.ids import new_id
from foundation.text import tokenize
from memory.indexing import services as indexing
from memory.indexing.documents import Document
from memory.retrieval import services as retrieval
from memory.types import SearchQuery, Strategy
from tests.support.cast import allow
from tests.support.talk import permit_of

QUESTION = "silver boat harbour"
OTHERS = ("coffee", "garden", "ledger", "winter", "puzzle", "violin", "market", "mountain", "letter", "bicycle")
TOP_K = 8


@dataclass(frozen=True)
class Row:
    """One entry's part in the formula. ``matches``: 1 for a word of its own, .75 and .5 for one of a neighbour's."""

    id: UUID
    length: int
    cosine: float
    matches: Mapping[str, float]


def documents(owner: User) -> list[Document]:
    """Eighty turns, most of them without a word of the question."""
    chance = random.Random(5)
    made = []
    for _ in range(80):
        words = chance.sample(OTHERS, chance.randint(2, 6)) + [w for w in QUESTION.split() if chance.random() < 0.12]
        near, far = (tuple(w for w in QUESTION.split() if chance.random() < 0.1) for _ in range(2))
        made.append(Document(new_id(), "turn", owner.pk, None, None, timezone.now(), " ".join(words), near, far))
    return made


def rows(made: list[Document]) -> list[Row]:
    embedder = configured_embedder()
    asked = embedder.embed_queries([QUESTION])[0].astype(np.float16).astype(np.float64)
    vectors = embedder.embed_passages([document.text for document in made]).astype(np.float16).astype(np.float64)
    found = []
    for document, vector in zip(made, vectors, strict=True):
        weights: dict[str, float] = {}
        for weight, texts in ((1.0, (document.text,)), (0.75, document.near), (0.5, document.far)):
            for term in (term for text in texts for term in tokenize(text)):
                weights.setdefault(term, weight)
        matches = {term: weights[term] for term in set(tokenize(QUESTION)) & weights.keys()}
        found.append(Row(document.id, len(weights), float(vector @ asked), matches))
    return found


def bm25(of: list[Row]) -> list[float]:
    average = fmean(row.length for row in of)
    idf = {
        term: log(1 + (len(of) - matching + 0.5) / (matching + 0.5))
        for term in set(tokenize(QUESTION))
        for matching in [sum(term in row.matches for row in of)]
    }
    return [
        sum(idf[term] * m * 1.9 / (m + 0.9 * (0.7 + 0.3 * row.length / average)) for term, m in row.matches.items())
        for row in of
    ]


def semantic(of: list[Row]) -> list[float]:
    low, high = min(row.cosine for row in of), max(row.cosine for row in of)
    return [(row.cosine - low) / (high - low) for row in of]


def lexical(of: list[Row]) -> list[float]:
    values = bm25(of)
    return [value / max(values) for value in values]


def fused(of: list[Row]) -> list[float]:
    return [0.5 * a + 0.5 * b for a, b in zip(lexical(of), semantic(of), strict=True)]


def reciprocal_ranks(of: list[Row]) -> list[float]:
    def leg(values: list[float], floor: float) -> list[float]:
        ranks = [1 + sum(other > value for other in values) for value in values]
        return [
            1 / (60 + rank) if value > floor and rank <= 20 else 0 for value, rank in zip(values, ranks, strict=True)
        ]

    return [a + b for a, b in zip(leg(bm25(of), 0), leg([row.cosine for row in of], -2), strict=True)]


@pytest.mark.parametrize(
    ("strategy", "formula"),
    [("score", fused), ("lexical", lexical), ("vector", semantic), ("rrf", reciprocal_ranks)],
)
def test_the_best_rows_have_the_scores_of_the_formula(
    alice: User, strategy: Strategy, formula: Callable[[list[Row]], list[float]]
) -> None:
    allow(alice)
    made = documents(alice)
    embedder = configured_embedder()
    with acting_as(alice.pk):
        indexing.store(made, list(embedder.embed_passages([document.text for document in made])), embedder.model_id)
        query = SearchQuery(QUESTION, ("turn",), top_k=TOP_K, strategy=strategy)
        hits = retrieval.search(permit_of(alice), query).hits
    every = rows(made)
    scores = dict(zip((row.id for row in every), formula(every), strict=True))
    assert [hit.score for hit in hits] == pytest.approx(sorted(scores.values(), reverse=True)[:TOP_K], abs=1e-4)
    assert [scores[hit.id] for hit in hits] == pytest.approx([hit.score for hit in hits], abs=1e-4)
