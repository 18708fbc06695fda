"""Scores doubtful names a second time, by the sentence encoder's states of the name's tokens and those around it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final, Literal

import numpy as np
from django.core.cache.backends.locmem import LocMemCache
from numpy.typing import NDArray

from consent.sensitive.names.weights import name_weights
from foundation.encoder import E5Embedder
from foundation.guards.context_classifier import normalized_states
from foundation.language import normalize

LAYERS: Final = (5, 8, 10)
"""The encoder's layers, counted from 0, whose states are read."""
_REACH: Final = 80
"""Characters of context around a name; names that start at most so far after the first share its context."""
_BESIDE: Final = 2
"""How many tokens right before, and right after, a name are features of their own."""
_MOST_READ: Final = 8
"""At most so many stretches of a text are encoded; further names, as in a long list, keep their first score."""

_WORDS_ALONE: Final = {"han": 3.5, "short": 3.5, "latin": 2.1}
"""The log odds by words alone above which a candidate counts as a name where no encoder scores it."""

Script = Literal["han", "short", "latin"]
"""Chinese names of two characters are "short": they may be first names alone, and have weights of their own."""
Features = NDArray[np.float32]

# Odds by the hash of the stretch, in an in-process cache whatever CACHES says. It stores no text.
_read: Final = LocMemCache("names.in_context", {"timeout": 3600, "max_entries": 4096})


@dataclass(frozen=True, slots=True)
class NameCandidate:
    """A stretch of a text that may be a name, with the log odds of its words."""

    odds: float
    start: int
    end: int
    script: Script


def read_in_context(
    encoder: E5Embedder, text: str, candidates: Sequence[NameCandidate]
) -> Iterator[tuple[NameCandidate, float]]:
    """The candidates with the log odds of words and context together, above 0 for a name.

    Beyond ``_MOST_READ`` stretches, candidates keep the odds of their words alone.
    """
    for number, (stretch, spans, group) in enumerate(_stretches(text, candidates)):
        if number < _MOST_READ:
            yield from zip(group, _read_odds(encoder, stretch, spans, group), strict=True)
        else:
            yield from ((candidate, margin_by_words(candidate)) for candidate in group)


def margin_by_words(candidate: NameCandidate) -> float:
    """The log odds of a candidate's words minus the threshold for names that no encoder scores."""
    return candidate.odds - _WORDS_ALONE[candidate.script]


def _read_odds(
    encoder: E5Embedder, stretch: str, spans: Sequence[tuple[int, int]], group: Sequence[NameCandidate]
) -> list[float]:
    key = sha256(f"{spans} {stretch}".encode("utf-8", "replace")).hexdigest()
    odds: list[float] | None = _read.get(key)
    if odds is None:
        features = _features_in(encoder, stretch, spans)
        odds = [_mixed(*both) for both in zip(group, features, strict=True)]
        _read.set(key, odds)
    return odds


def features_in_context(
    encoder: E5Embedder, text: str, candidates: Sequence[NameCandidate]
) -> Iterator[tuple[NameCandidate, Features]]:
    """The candidates with their features: mean states of their own tokens, of those before, of those after, of all."""
    for stretch, spans, group in _stretches(text, candidates):
        yield from zip(group, _features_in(encoder, stretch, spans), strict=True)


def _features_in(encoder: E5Embedder, stretch: str, spans: Sequence[tuple[int, int]]) -> Iterator[Features]:
    placed = encoder.placed_states(_folded(stretch), LAYERS)
    states = normalized_states(placed.states)
    for start, end in spans:
        own = np.flatnonzero((placed.ends > start) & (placed.starts < end) & (placed.ends > placed.starts))
        first, last = (int(own[0]), int(own[-1]) + 1) if len(own) else (0, 0)
        parts = (states[first:last], states[max(0, first - _BESIDE) : first], states[last : last + _BESIDE], states)
        yield np.concatenate([_mean(part) for part in parts])


def _mean(states: Features) -> Features:
    return np.asarray(states.mean(axis=0) if len(states) else np.zeros(states.shape[1]), dtype=np.float32)


def _mixed(candidate: NameCandidate, features: Features) -> float:
    weights = name_weights()
    context = float(features @ weights[f"context.{candidate.script}"] + weights[f"context.{candidate.script}.bias"])
    word_weight, context_weight, offset = weights[f"mixture.{candidate.script}"].tolist()
    return float(word_weight * candidate.odds + context_weight * context + offset)


def _stretches(
    text: str, candidates: Sequence[NameCandidate]
) -> Iterator[tuple[str, list[tuple[int, int]], list[NameCandidate]]]:
    """The stretches of a text for the encoder, each with its candidates and their places in it."""
    for group in _near_each_other(candidates):
        begin = max(0, group[0].start - _REACH)
        stretch = text[begin : max(candidate.end for candidate in group) + _REACH]
        yield stretch, [(candidate.start - begin, candidate.end - begin) for candidate in group], group


def _near_each_other(candidates: Sequence[NameCandidate]) -> Iterator[list[NameCandidate]]:
    """The candidates in order, in groups that share one stretch."""
    group: list[NameCandidate] = []
    for candidate in sorted(candidates, key=lambda candidate: candidate.start):
        if group and candidate.start - group[0].start > _REACH:
            yield group
            group = []
        group.append(candidate)
    if group:
        yield group


def _folded(stretch: str) -> str:
    """The stretch in the encoder's normal form, in lower case or unchanged: the first form that keeps all offsets."""
    forms = (normalize(stretch), stretch.lower(), stretch)
    return next(form for form in forms if len(form) == len(stretch))
