"""A stand-in embedding model that costs next to nothing, to measure everything else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from foundation.embeddings import configuration
from foundation.embeddings.hashed_vectors import HASHED_DIMENSIONS, hashed_vector


class StandIn:
    """An ``Embedder`` of hashed words."""

    is_local = True
    model_id = "bench-stand-in"
    dimensions = HASHED_DIMENSIONS

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """A row for each text."""
        return np.stack([hashed_vector(text) for text in texts])

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The same as of passages."""
        return self.embed_passages(texts)


@contextmanager
def stand_in_configured() -> Iterator[None]:
    """In this process the settings ask for it."""
    with patch.object(configuration, "_embedder", lambda *_: StandIn()):
        yield
