"""Classifies statements by topic, with a small linear model over sentence vectors and words.

Uses the vectors of the search index where the embedded e5 made them, else static ones. ``data/README.md`` tells where
the weights come from and how good they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final, Literal
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from finclaw.brain.self_questions.topics import topics_by_words
from foundation.embeddings import E5Embedder, configured_embedder
from foundation.embeddings.static_vectors import static_vectors
from foundation.model_weights import read_weights
from memory.models import SearchEntry

Vectors = Literal["e5", "light"]
Matrix = NDArray[np.float32]

WEIGHTS_FILE: Final = Path(__file__).parent / "data" / "topics.npz"
DATA_CARD: Final = WEIGHTS_FILE.with_name("README.md")
LEAST_CHANCE: Final = 0.4
"""From this probability a statement belongs to a topic; to its likeliest topic it belongs from ``LEAST_OF_BEST``."""
LEAST_OF_BEST: Final = 0.2
STRETCH: Final[Mapping[Vectors, float]] = {"e5": 6.0, "light": 3.0}
"""Factor on the centred vectors, which stand beside topic words of 0 or 1."""


@dataclass(frozen=True, slots=True)
class TopicHead:
    """A linear model. ``weights`` has shape (vector dimensions + topics + 1, topics), the last row for the bias;
    ``mean`` is that of the training vectors.
    """

    topics: tuple[str, ...]
    weights: Matrix
    mean: Matrix

    def chances(self, kind: Vectors, vectors: Matrix, texts: Sequence[str]) -> Matrix:
        """Probability of each topic for each statement, shape (statements, topics)."""
        inputs = inputs_of(kind, vectors, self.mean, texts, self.topics)
        return np.asarray(1 / (1 + np.exp(-(inputs @ self.weights))), dtype=np.float32)


def inputs_of(kind: Vectors, vectors: Matrix, mean: Matrix, texts: Sequence[str], topics: Sequence[str]) -> Matrix:
    """Feature rows of statements: centred vector, topic words, and a one for the bias."""
    words = np.array([[topic in found for topic in topics] for found in map(topics_by_words, texts)], dtype=np.float32)
    ones = np.ones((len(texts), 1), dtype=np.float32)
    return np.concatenate([(vectors - mean) * np.float32(STRETCH[kind]), words, ones], axis=1)


@cache
def topic_head(kind: Vectors) -> TopicHead:
    """The model for vectors of this kind, loaded once in a process. Raises ``DamagedWeights``."""
    arrays = read_weights(WEIGHTS_FILE, DATA_CARD.read_text(encoding="utf-8"))
    return TopicHead(
        tuple(str(name) for name in arrays["topics"]),
        arrays[f"{kind}.weights"].astype(np.float32),
        arrays[f"{kind}.mean"].astype(np.float32),
    )


def classify_topics(texts: Mapping[UUID, str]) -> dict[UUID, frozenset[str]]:
    """Topics of statements, given by the ids of their memories. Call acting for the user."""
    stored = _stored_vectors(list(texts))
    light = {key: static_vectors().vector(text) for key, text in texts.items() if key not in stored}
    return _classify("e5", stored, texts) | _classify("light", light, texts)


def _stored_vectors(keys: Sequence[UUID]) -> dict[UUID, Matrix]:
    """The e5 vectors in the search index for these memories."""
    embedder = configured_embedder()
    if not isinstance(embedder, E5Embedder) or not keys:
        return {}
    rows = SearchEntry.objects.filter(pk__in=keys, model_id=embedder.model_id, vector__isnull=False)
    return {key: np.asarray(vector, dtype=np.float32) for key, vector in rows.values_list("pk", "vector")}


def _classify(kind: Vectors, vectors: Mapping[UUID, Matrix], texts: Mapping[UUID, str]) -> dict[UUID, frozenset[str]]:
    if not vectors:
        return {}
    head = topic_head(kind)
    chances = head.chances(kind, np.stack(list(vectors.values())), [texts[key] for key in vectors])
    return {key: frozenset(_choose_topics(head.topics, row)) for key, row in zip(vectors, chances, strict=True)}


def _choose_topics(topics: Sequence[str], chances: Matrix) -> list[str]:
    best = int(chances.argmax())
    likely = [number for number, chance in enumerate(chances) if chance >= LEAST_CHANCE]
    return [topics[number] for number in likely or ([best] if chances[best] >= LEAST_OF_BEST else [])]
