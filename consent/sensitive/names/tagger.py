"""Finds names of private people that are given as such: each candidate is weighed, the likeliest are kept."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import numpy as np

from consent.sensitive.names.han_features import han_candidates
from consent.sensitive.names.latin_features import latin_candidates
from consent.sensitive.names.weights import name_weights
from consent.sensitive.types import Finding, SensitiveKind

HAN_THRESHOLD: Final = 3.0
LATIN_THRESHOLD: Final = 2.0
_HAN: Final = re.compile("[\u4e00-\u9fff]{2}")

Scored = tuple[float, int, int]


def find(text: str) -> Iterator[Finding]:
    """Names in either script."""
    for start, end in _apart([*_weigh_han(text), *_weigh_latin(text)]):
        yield Finding(SensitiveKind.PERSONAL_NAME, start, end)


def _weigh_han(text: str) -> list[Scored]:
    if _HAN.search(text) is None:
        return []
    found = han_candidates(text)
    weights = name_weights()
    scale, bias = weights["han.scale"]
    scores = weights["han.weights"][found.buckets].sum(axis=1, dtype=np.int32) * scale + bias
    likely = np.flatnonzero(scores > HAN_THRESHOLD)
    return [(float(scores[at]), int(found.starts[at]), int(found.ends[at])) for at in likely]


def _weigh_latin(text: str) -> Iterator[Scored]:
    weights = name_weights()
    scale, bias = weights["latin.scale"]
    for candidate in latin_candidates(text):
        score = float(weights["latin.weights"][candidate.buckets].sum(dtype=np.int32) * scale + bias)
        if score > LATIN_THRESHOLD:
            yield score, candidate.start, candidate.end


def _apart(scored: list[Scored]) -> list[tuple[int, int]]:
    """The likeliest stretches that do not overlap."""
    taken: set[int] = set()
    kept = []
    for _, start, end in sorted(scored, key=lambda one: (-one[0], one[1])):
        if not taken.intersection(range(start, end)):
            taken.update(range(start, end))
            kept.append((start, end))
    return sorted(kept)
