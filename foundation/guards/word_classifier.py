"""Scores windows of sentences by a linear classifier of hashed n-grams, so that one line hidden in a page is found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from foundation.guards.ngrams import LONGEST, ngrams_of
from foundation.language import split_sentences

MOST_SENTENCES: Final = 3
"""The most sentences in one window."""


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
        found, windows = ngrams_of(text), _windows(text)
        size = min(len(text), LONGEST) + 1
        starts, ends = np.minimum(np.array(windows, dtype=np.int64).T, size)
        counts = _running_totals(found.positions, size)
        sums = _running_totals(found.positions, size, self.weights[found.buckets])
        number = np.maximum(1, counts[ends] - counts[starts])
        odds = (sums[ends] - sums[starts]) * self.scale / np.sqrt(number) + self.bias
        return [(value, *window) for value, window in zip(odds.tolist(), windows, strict=True)]


def _running_totals(
    positions: NDArray[np.int64], size: int, weights: NDArray[np.int8] | None = None
) -> NDArray[np.float64]:
    """The number of n-grams (or the sum of their weights) that begin before each character of a text.

    All are whole numbers, so the order of adding does not change the sums.
    """
    totals = np.bincount(positions, weights, minlength=size)
    return np.concatenate([[0.0], np.cumsum(totals)])


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
