"""Loads the weights of the gate, the linear classifier that judges whether a sentence teaches something.

They are small integers in one file, checked against the hash in its data card.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from foundation.language import Language
from foundation.model_weights import read_weights

Vectors = Literal["light", "e5"]

WEIGHTS_FILE: Final = Path(__file__).parent / "data" / "weights.npz"
DATA_CARD: Final = WEIGHTS_FILE.with_name("README.md")
LANGUAGES: Final[tuple[Language, ...]] = ("en", "zh")

Matrix = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class LinearHead:
    """A linear model over one kind of sentence vector.

    ``hashed`` is int8 of shape (HASHED, classes), to be multiplied by ``scales`` (classes,); ``dense`` of shape
    (25 + dimensions of the vector, classes) is for the form and for the vector less ``mean``, times ``vector_scale``
    (dimensions,); ``bias`` (classes,). The classes are "teaches", "own claim", "change", and the kinds that teach.
    For each language, ``calibrations`` holds slope and offset of the log odds of the first three (Platt's), and
    ``thresholds`` the least chances to remember and to ask.
    """

    hashed: NDArray[np.int8]
    scales: Matrix
    dense: Matrix
    bias: Matrix
    mean: Matrix
    vector_scale: Matrix
    calibrations: dict[Language, NDArray[np.float64]]
    thresholds: dict[Language, tuple[float, float]]

    def odds(self, ngram_ids: NDArray[np.int64], ngram_weights: Matrix, form: Matrix, vector: Matrix) -> Matrix:
        """The log odds of each class, an array (classes,), not calibrated.

        ``ngram_ids`` are the rows of ``hashed`` that the sentence's n-grams fall into, each with its weight, and
        ``form`` the 25 figures of its form (both as ``features.py`` makes them).
        """
        words: Matrix = (ngram_weights @ self.hashed[ngram_ids].astype(np.float32)) * self.scales
        dense_inputs = np.concatenate([form, (vector - self.mean) * self.vector_scale])
        return np.asarray(words + dense_inputs @ self.dense + self.bias, dtype=np.float32)


@cache
def linear_head(vectors: Vectors) -> LinearHead:
    """The classifier for sentence vectors of this kind, loaded once in a process.

    Raises ``DamagedWeights`` where the file and its data card differ.
    """
    arrays = read_weights(WEIGHTS_FILE, DATA_CARD.read_text(encoding="utf-8"))
    of_vectors = f"{vectors}."
    named = {name.removeprefix(of_vectors): array for name, array in arrays.items() if name.startswith(of_vectors)}
    return LinearHead(
        hashed=named["hashed"],
        scales=named["scales"],
        dense=named["dense"].astype(np.float32),
        bias=named["bias"],
        mean=named["mean"].astype(np.float32),
        vector_scale=named["stretch"],
        calibrations=dict(zip(LANGUAGES, named["calibrations"], strict=True)),
        thresholds={
            language: (float(row[0]), float(row[1]))
            for language, row in zip(LANGUAGES, named["thresholds"], strict=True)
        },
    )
