"""A linear classifier of hashed n-grams, read in windows of sentences, so that a line hidden in a page shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from foundation.guards.ngrams import ngrams_of
from foundation.language import split_sentences

MOST_SENTENCES: Final = 3
"""Of a window that is judged as one text."""


@dataclass(frozen=True, slots=True)
class WordClassifier:
    """Weights of one guard: ``weights`` int8 of shape (BUCKETS,), to be multiplied by ``scale``, and a ``bias``."""

    weights: NDArray[np.int8]
    scale: float
    bias: float

    def window_odds(self, text: str) -> list[tuple[float, int, int]]:
        """The log odds of each window of one to three sentences of a normalized text, with where it begins and ends.

        A text has at least one window. The odds of a window are the sum of its n-grams' weights over the square root
        of their number, so that long and short ones compare.
        """
        found = ngrams_of(text)
        order = np.argsort(found.positions, kind="stable")
        positions = found.positions[order]
        sums = np.concatenate([[0.0], np.cumsum(self.weights[found.buckets[order]].astype(np.float64))])
        windows = _windows(text)
        first = np.searchsorted(positions, [start for start, _ in windows])
        last = np.searchsorted(positions, [end for _, end in windows])
        odds = (sums[last] - sums[first]) * self.scale / np.sqrt(np.maximum(1, last - first)) + self.bias
        return [(float(value), *window) for value, window in zip(odds, windows, strict=True)]


def _windows(text: str) -> list[tuple[int, int]]:
    """The stretches of one sentence, of two and of three, each from its first character to its last."""
    bounds: list[tuple[int, int]] = []
    at = 0
    for sentence in split_sentences(text):
        at = text.index(sentence, at)
        bounds.append((at, at + len(sentence)))
        at += len(sentence)
    sizes = range(1, min(MOST_SENTENCES, len(bounds)) + 1)
    windows = [(bounds[i][0], bounds[i + size - 1][1]) for size in sizes for i in range(len(bounds) - size + 1)]
    return windows or [(0, len(text))]
