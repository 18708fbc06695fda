"""Finds texts of a corpus that are nearly other ones."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from math import ceil
from typing import Final

from foundation.language import normalize

NEAR: Final = 0.6
"""The Jaccard index of two texts' 5-grams from which they are nearly the same."""


def grams_of(text: str) -> frozenset[str]:
    """The runs of five characters of a text, folded; of a shorter one the text."""
    folded = " ".join(normalize(text).split())
    return frozenset(folded[at : at + 5] for at in range(len(folded) - 4)) or frozenset({folded})


def near_duplicates(of: Sequence[frozenset[str]], among: Sequence[frozenset[str]]) -> Iterator[list[int]]:
    """For each of ``of``, which of ``among`` are near it.

    Two sets as near as that share one of the rarest ``1 - NEAR`` of their grams (prefix filtering, Chaudhuri et al.,
    2006): only those are looked up.
    """
    frequency = Counter(gram for grams in (*of, *among) for gram in grams)

    def rarest(grams: frozenset[str]) -> list[str]:
        ordered = sorted(grams, key=lambda gram: (frequency[gram], gram))
        return ordered[: len(ordered) - ceil(NEAR * len(ordered)) + 1]

    holding: dict[str, list[int]] = defaultdict(list)
    for number, grams in enumerate(among):
        for gram in rarest(grams):
            holding[gram].append(number)
    for grams in of:
        candidates = {number for gram in rarest(grams) for number in holding[gram]}
        yield [number for number in candidates if len(grams & among[number]) >= NEAR * len(grams | among[number])]
