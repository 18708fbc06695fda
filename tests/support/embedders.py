"""Embedding models of tests: another one than the installation's, and what was embedded by which."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import blake2b
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.embeddings import Embedder, EmbeddingUnavailable, configuration
from foundation.embeddings.unit_vectors import unit_rows
from foundation.encoder import E5Embedder, PlacedStates
from foundation.encoder.e5 import E5_DIMENSIONS
from foundation.text import tokenize
from memory.models import SearchEntry


@dataclass
class WordsEmbedder:
    """An ``Embedder`` by each text's own words, of other dimensions than the product's own; ``asked`` holds what it
    was asked for.

    ``before_answering`` is called with the texts once, the next time it is asked for passages.
    """

    model_id: str = "words-1"
    dimensions: int = 48
    is_local: bool = True
    answers: bool = True
    asked: list[str] = field(default_factory=list)
    before_answering: Callable[[Sequence[str]], object] | None = None

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """A row a text. Raises ``EmbeddingUnavailable`` unless it ``answers``."""
        self.asked += texts
        if self.before_answering is not None:
            interrupt, self.before_answering = self.before_answering, None
            interrupt(texts)
        return self.embed_queries(texts)

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """As ``embed_passages``, and nobody is told."""
        if not self.answers:
            raise EmbeddingUnavailable(details={"reason": "test"})
        return unit_rows(np.vstack([self._row(text) for text in texts]))

    def _row(self, text: str) -> NDArray[np.float32]:
        row = np.full(self.dimensions, -0.01, dtype=np.float32)  # below zero, for what goes by the signs alone
        for word in tokenize(text):
            row[int.from_bytes(blake2b(word.encode(), digest_size=4).digest(), "big") % self.dimensions] += 1
        return row


class ShapelessEncoder(E5Embedder):
    """An encoder that makes the same of every character; ``read`` holds the texts that it was given."""

    def __init__(self) -> None:
        self.read: list[str] = []

    def placed_states(self, text: str, layers: Sequence[int]) -> PlacedStates:
        """A token a character."""
        self.read.append(text)
        places = np.arange(len(text) + 1)
        return PlacedStates(
            [np.ones((len(text), E5_DIMENSIONS), dtype=np.float32)] * len(layers), places[:-1], places[1:]
        )


@contextmanager
def embedding_with(embedder: Embedder) -> Iterator[None]:
    """The settings ask for this embedder."""
    with patch.object(configuration, "_embedder", lambda *_: embedder):
        yield


def models_of(user: User) -> list[str]:
    """The models that embedded the user's own entries, the latest stored first; "" for one that none did."""
    with acting_as(user.pk):
        return list(SearchEntry.objects.filter(user=user).order_by("-pk").values_list("model_id", flat=True))
