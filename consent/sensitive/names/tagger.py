"""Finds names of private people: scores each candidate, and keeps the likeliest that do not overlap."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

import numpy as np

from consent.sensitive.names.context import NameCandidate, Script, margin_by_words, read_in_context
from consent.sensitive.names.han_features import han_candidates
from consent.sensitive.names.latin_features import latin_candidates
from consent.sensitive.names.weights import name_weights
from consent.sensitive.types import Finding, SensitiveKind
from foundation.encoder import embedded_encoder

DOUBTFUL: Final[Mapping[Script, float]] = {"han": -1.0, "short": -2.0, "latin": -2.0}
"""The log odds by words above which a candidate is scored in context: some 11 of 100 everyday sentences have one."""
_HAN: Final = re.compile("[\u4e00-\u9fff]{2}|[\u4e00-\u9fff]·")
_SHORT: Final = 2
"""Characters of a short Chinese name."""

Scored = tuple[float, int, int]


def find(text: str) -> Iterator[Finding]:
    """Names in either script, by the words around them and, where the embedded encoder serves, in context."""
    encoder, candidates = embedded_encoder(), name_candidates(text)
    if encoder is None:
        weighed = [(candidate, margin_by_words(candidate)) for candidate in candidates]
    else:
        weighed = list(read_in_context(encoder, text, candidates))
    scored = [(margin, found.start, found.end) for found, margin in weighed if margin > 0]
    for start, end in _apart(scored):
        yield Finding(SensitiveKind.PERSONAL_NAME, start, end)


def name_candidates(text: str, least: Mapping[Script, float] = DOUBTFUL) -> list[NameCandidate]:
    """The candidates whose log odds by words are above the threshold of their script."""
    return [*_weigh_han(text, least), *_weigh_latin(text, least["latin"])]


def _weigh_han(text: str, least: Mapping[Script, float]) -> Iterator[NameCandidate]:
    if _HAN.search(text) is None:
        return
    found = han_candidates(text)
    weights = name_weights()
    scale, bias = weights["han.scale"]
    scores = weights["han.weights"][found.buckets].sum(axis=1, dtype=np.int32) * scale + bias
    for at in np.flatnonzero(scores > min(least["han"], least["short"])):
        start, end, score = int(found.starts[at]), int(found.ends[at]), float(scores[at])
        script: Script = "short" if end - start == _SHORT else "han"
        if score > least[script]:
            yield NameCandidate(score, start, end, script)


def _weigh_latin(text: str, least: float) -> Iterator[NameCandidate]:
    weights = name_weights()
    scale, bias = weights["latin.scale"]
    for candidate in latin_candidates(text):
        score = float(weights["latin.weights"][candidate.buckets].sum(dtype=np.int32) * scale + bias)
        if score > least:
            yield NameCandidate(score, candidate.start, candidate.end, "latin")


def _apart(scored: list[Scored]) -> list[tuple[int, int]]:
    """The likeliest stretches that do not overlap."""
    taken: set[int] = set()
    kept = []
    for _, start, end in sorted(scored, key=lambda one: (-one[0], one[1])):
        if not taken.intersection(range(start, end)):
            taken.update(range(start, end))
            kept.append((start, end))
    return sorted(kept)
