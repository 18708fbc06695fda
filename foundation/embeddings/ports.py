"""The interface of embedding models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


class Embedder(Protocol):
    """Turns texts into unit vectors whose dot product is their likeness."""

    @property
    def is_local(self) -> bool:
        """Whether it answers in this process, at once: only then may it be asked inside a transaction."""
        ...

    @property
    def model_id(self) -> str:
        """Names the vector space: vectors of two different ids must never be compared."""
        ...

    @property
    def dimensions(self) -> int:
        """The length of one vector. Where only a server knows it, raises ``EmbeddingUnavailable``."""
        ...

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of what is stored and searched: one row for each text, shape (len(texts), dimensions), every row of
        length 1.

        Raises ``EmbeddingUnavailable`` when no usable vectors can be had.
        """
        ...

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of questions, to be compared with those of passages; otherwise as ``embed_passages``.

        Where a model does not tell the two apart, they are the same.
        """
        ...
