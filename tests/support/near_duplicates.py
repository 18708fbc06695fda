"""Finds texts of a corpus that are nearly other ones."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain
from math import ceil
from typing import Final

from foundation.language import normalize

NEAR: Final = 0.6
"""The Jaccard index of two texts' 5-grams from which they are nearly the same."""


def grams_of(text: str) -> frozenset[str]:
    """The runs of five characters of a text, folded; of a shorter one the text."""
    folded = " ".join(normalize(text).split())
    return frozenset([folded[at : at + 5] for at in range(len(folded) - 4)]) or frozenset({folded})


def near_duplicates(of: Sequence[frozenset[str]], among: Sequence[frozenset[str]]) -> Iterator[list[int]]:
    """For each of ``of``, which of ``among`` are near it.

    Two sets as near as that share one of the rarest ``1 - NEAR`` of their grams, and the smaller is no smaller than
    ``NEAR`` of the larger (prefix and length filtering, Chaudhuri et al., 2006): only those are looked up.
    """
    frequency = Counter(chain.from_iterable((*of, *among)))
    rank = {gram: number for number, gram in enumerate(sorted(frequency, key=frequency.__getitem__))}

    def rarest(grams: frozenset[str]) -> list[int]:
        ordered = sorted(map(rank.__getitem__, grams))
        return ordered[: len(ordered) - ceil(NEAR * len(ordered)) + 1]

    by_size = sorted(range(len(among)), key=lambda number: len(among[number]))
    sizes = [len(among[number]) for number in by_size]
    holding: dict[int, list[int]] = defaultdict(list)
    for place, number in enumerate(by_size):
        for gram in rarest(among[number]):
            holding[gram].append(place)
    for grams in of:
        smallest, largest = bisect_left(sizes, NEAR * len(grams)), bisect_right(sizes, len(grams) / NEAR)
        candidates: set[int] = set()
        for gram in rarest(grams):
            places = holding.get(gram, [])
            candidates.update(places[bisect_left(places, smallest) : bisect_left(places, largest)])
        yield [by_size[place] for place in sorted(candidates) if _are_near(grams, among[by_size[place]])]


def _are_near(one: frozenset[str], other: frozenset[str]) -> bool:
    shared = len(one & other)
    return shared >= NEAR * (len(one) + len(other) - shared)
