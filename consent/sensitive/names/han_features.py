"""Finds candidates for Chinese names in a text, and computes the tagger's hashed features of all of them at once.

A candidate begins with a surname and has one or two characters more, or is a name of another language in Chinese
characters (``foreign_spans``). Its features are its characters, how often they occur in names, what stands around it,
and the words that it would cut through if it were a name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from consent.sensitive.names.foreign_spans import DOT, DOTTED, JOINED, foreign_spans
from consent.sensitive.names.han_cues import cues_around
from consent.sensitive.names.han_words import (
    HAN,
    MIX,
    NAME_WORDS,
    PRIME,
    Codes,
    are_public,
    are_words,
    compound_surnames,
    end_otherwise,
    han_index,
    word_bits,
)  # fmt: skip
from consent.sensitive.names.weights import BUCKET_BITS, name_weights

PADDING: Final = 10
LEAST: Final = (0.5, -0.5)
"""The least log odds of the characters at which a name of two, and of three, is still a candidate."""
COMPOUND_ODDS: Final = 3.0  # given to a surname of two characters instead of those of its characters
_DOT: Final = ord(DOT)
_COMPOUND: Final = re.compile("|".join((*NAME_WORDS.words("compound"), *NAME_WORDS.words("japanese"))))
_LONGEST: Final = 64
"""A number above the length of any candidate."""
_LEFT, _RIGHT = 8, 5
_BEFORE: Final = [f"before{at}" for at in range(_LEFT)]
_AFTER: Final = [f"after{at}" for at in range(_RIGHT)]
_VALUES: Final = (
    *_BEFORE, *_AFTER, "surname", "second", "last", "size", "cut", "odds", "edge", "kind", "kind_before", "cue",
    "cue_after", "pair",
)  # fmt: skip
"""The values known of a candidate: the characters before and after it, its own, and numbers derived from them."""
_FEATURES: Final = (
    "before0", "before1 before0", "before2 before1 before0", "after0", "after0 after1", "before0 after0",
    "before0 size", "after0 size", "surname", "second size", "last size", "surname second", "surname second last",
    "cut", "odds size",
    "odds cut", "edge size", "edge odds", "cut edge", "kind kind_before odds", "cue", "cue_after", "cue cue_after",
    "cue size", "cue_after size", "cue odds", "cue cue_after odds", "cue cut", "cue after0", "cue_after before0",
    "cue cue_after edge", "cue before0",
    "pair size", "pair odds", "pair cue", "pair edge",
)  # fmt: skip
"""The values that each feature combines."""
_ANYWHERE: Final = (
    *((100, f"{one} {two}") for one, two in zip(_BEFORE[2:], _BEFORE[1:], strict=False)),
    *((101, f"{one} {two}") for one, two in pairwise(_AFTER)),
)
"""Pairs of neighbouring characters beside a candidate, hashed alike at any distance from it."""


def _rows(length: int) -> tuple[Codes, NDArray[np.int64]]:
    """The features of ``length`` values: their numbers, and the indices of their values, shape (features, length)."""
    rows = [(number, feature.split()) for number, feature in (*enumerate(_FEATURES, 1), *_ANYWHERE)]
    made = [(number, [_VALUES.index(value) for value in values]) for number, values in rows if len(values) == length]
    numbers, places = zip(*made, strict=True)
    return np.array(numbers, dtype=np.uint64), np.array(places, dtype=np.int64)


_ROWS: Final = [_rows(length) for length in (1, 2, 3)]
_LEVELS: Final = [
    *((0, value) for value in range(-48, 97, 24)),
    *((1, value) for value in range(-64, 97, 16)),
    *((2, value) for value in range(-80, 161, 16)),
]
_LEVEL_KINDS, _LEVEL_VALUES = np.array(_LEVELS, dtype=np.int64).T
_LEVEL_NUMBERS: Final = np.arange(200, 200 + len(_LEVELS), dtype=np.uint64)


@dataclass(frozen=True, slots=True)
class HanCandidates:
    """Candidates of a text: where they begin and end, and their hashed features (one a row)."""

    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    buckets: NDArray[np.int64]


def padded_codes(text: str) -> Codes:
    """The code points of a text, with line breaks before and after."""
    padded = "\n" * PADDING + text + "\n" * PADDING
    return np.frombuffer(padded.encode("utf-32-le", "surrogatepass"), dtype=np.uint32).astype(np.uint64)


def han_candidates(text: str) -> HanCandidates:
    """The candidates of a text with their features; linear in its length."""
    codes = padded_codes(text)
    places = han_index(codes)
    starts, ends = _spans(text, codes, places)
    starts, ends, sizes = _with_foreign(text, starts, ends, _sizes(codes, starts, ends))
    if not len(starts):
        return HanCandidates(starts, ends, np.zeros((0, 0), dtype=np.int64))
    cues = cues_around(text, starts - PADDING, ends - PADDING)
    return HanCandidates(starts - PADDING, ends - PADDING, _buckets(codes, places, starts, ends, sizes, cues))


def _with_foreign(
    text: str, starts: NDArray[np.int64], ends: NDArray[np.int64], sizes: Codes
) -> tuple[NDArray[np.int64], NDArray[np.int64], Codes]:
    """The candidates and those of other languages, each stretch once, with their sizes."""
    spans = foreign_spans(text)
    if not spans:
        return starts, ends, sizes
    begins, stops, kinds = (np.array(column, dtype=np.int64) for column in zip(*spans, strict=True))
    begins, stops = begins + PADDING, stops + PADDING
    others = ~np.isin(starts * _LONGEST + ends - starts, begins * _LONGEST + stops - begins)
    return (
        np.concatenate([starts[others], begins]),
        np.concatenate([ends[others], stops]),
        np.concatenate([sizes[others], kinds.astype(np.uint64)]),
    )


def _spans(text: str, codes: Codes, places: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    weights = name_weights()
    surname = weights["han.surname"][places].astype(np.float32) / 16
    first, last, only = (weights[f"han.{name}"][places].astype(np.float32) / 16 for name in ("first", "last", "only"))
    two, three = surname[:-3] + only[1:-2], surname[:-3] + first[1:-2] + last[2:-1]
    found = [(np.flatnonzero(two > LEAST[0]), 2), (np.flatnonzero(three > LEAST[1]), 3)]
    listed = [(match.start() + PADDING, match.end() - match.start()) for match in _COMPOUND.finditer(text)]
    if listed:
        begins, lengths = np.array(listed, dtype=np.int64).T
        after = begins + lengths
        han = places != HAN
        one, both = han[after], han[after] & han[after + 1]
        found += [(begins[one], lengths[one] + 1), (begins[both], lengths[both] + 2)]
    spans = np.unique(np.concatenate([ats * 8 + size for ats, size in found]))
    starts, ends = spans // 8, spans // 8 + spans % 8
    if not len(spans):
        return starts, ends
    kept = ~(are_public(codes, starts, ends) | (codes[starts - 1] == _DOT) | (codes[ends] == _DOT))
    kept &= ~(are_words(codes, starts, ends) | end_otherwise(codes, starts, ends))
    return starts[kept], ends[kept]


def _buckets(
    codes: Codes,
    places: NDArray[np.int64],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    size: Codes,
    cues: tuple[Codes, Codes],
) -> NDArray[np.int64]:
    before = [codes[starts - step] for step in range(1, _LEFT + 1)]
    after = [codes[ends + step] for step in range(_RIGHT)]
    name = [codes[starts], codes[starts + 1], codes[ends - 1]]
    joint = _cut_words(codes, starts, ends) * np.uint64(8) + size
    edge = _kinds(before[0]) * np.uint64(8) + _kinds(after[0])
    odds, pair = _odds(places, starts, ends, size), _pair_odds(places, starts, size)
    inner = [size, joint, odds, edge, _kinds(before[0]), _kinds(before[1]), *cues, pair]
    hashed = [_hashed(numbers, np.stack([*before, *after, *name, *inner])[columns]) for numbers, columns in _ROWS]
    hashed.append(_hashed(_LEVEL_NUMBERS, _levels(places, starts, ends, size)))
    return (np.concatenate(hashed).T * MIX >> np.uint64(64 - BUCKET_BITS)).astype(np.int64)


def _sizes(codes: Codes, starts: NDArray[np.int64], ends: NDArray[np.int64]) -> Codes:
    """2 and 3 for a name of so many characters, two more for one that has a surname of two or three.

    Names of other languages have the numbers of ``foreign_spans``.
    """
    sizes = (ends - starts).astype(np.uint64)
    compound = compound_surnames()[word_bits(codes[starts], codes[starts + 1])] & (sizes > 2)
    return sizes + np.where(compound, np.uint64(2), np.uint64(0))


def _hashed(numbers: Codes, values: Codes) -> Codes:
    """The hashes of features, shape (features, candidates), of their numbers and their values, shape (features, values,
    candidates).
    """
    hashed = np.broadcast_to(numbers[:, None], values.shape[::2])
    for at in range(values.shape[1]):
        hashed = (hashed * PRIME) ^ values[:, at]
    return np.asarray(hashed * PRIME)


def _kinds(codes: Codes) -> Codes:
    """0 for a line break or an end, 1 a space, 2 a digit, 3 a Latin letter, 4 a Chinese character, 5 a mark."""
    kinds = np.full(len(codes), 5, dtype=np.uint64)
    kinds[(codes >= 0x4E00) & (codes <= 0x9FFF)] = 4
    kinds[((codes | np.uint64(32)) >= 97) & ((codes | np.uint64(32)) <= 122)] = 3
    kinds[(codes >= 48) & (codes <= 57)] = 2
    kinds[codes == 32] = 1
    kinds[codes == 10] = 0
    return kinds


def _odds(places: NDArray[np.int64], starts: NDArray[np.int64], ends: NDArray[np.int64], size: Codes) -> Codes:
    """How common the characters are in names, in steps."""
    surname, given = _surname_and_given(places, starts, ends, size)
    return ((surname + 128) // 16 * 16 + (given + 128) // 12).astype(np.uint64)


def _pair_odds(places: NDArray[np.int64], starts: NDArray[np.int64], size: Codes) -> Codes:
    """How likely two characters are a first name, in steps: 文博 is one, and seldom somebody's whole name."""
    weights = name_weights()
    pair = weights["han.first"][places[starts]].astype(np.int64) + weights["han.last"][places[starts + 1]]
    return np.where(size == 2, np.clip(pair + 256, 0, 511) // 16, 0).astype(np.uint64)


def _surname_and_given(
    places: NDArray[np.int64], starts: NDArray[np.int64], ends: NDArray[np.int64], size: Codes
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The odds of the surname and of the given name; of a foreign name those of its first and last character."""
    weights = name_weights()
    surname = weights["han.surname"][places[starts]].astype(np.int64)
    given = np.where(
        ends - starts == 2,
        weights["han.only"][places[ends - 1]].astype(np.int64),
        (weights["han.first"][places[ends - 2]].astype(np.int64) + weights["han.last"][places[ends - 1]]) // 2,
    )
    foreign, odds = (size == DOTTED) | (size == JOINED), weights["han.foreign"]
    return np.where(foreign, odds[places[starts]], surname), np.where(foreign, odds[places[ends - 1]], given)


def _levels(places: NDArray[np.int64], starts: NDArray[np.int64], ends: NDArray[np.int64], size: Codes) -> Codes:
    """Whether the odds of the surname, of the given name and of both reach each level, shape (levels, 2, candidates),
    each with the size of the name.
    """
    surname, given = _surname_and_given(places, starts, ends, size)
    surname = np.where((size >= 5) & (size != DOTTED), np.int64(COMPOUND_ODDS * 16), surname)
    odds = np.stack([surname, given, surname + given])
    reached = (odds[_LEVEL_KINDS] >= _LEVEL_VALUES[:, None]).astype(np.uint64)
    alike = np.where(size == DOTTED, size, np.minimum(size, np.uint64(5)))
    return np.stack([reached, np.broadcast_to(alike, reached.shape)], axis=1)


def _cut_words(codes: Codes, starts: NDArray[np.int64], ends: NDArray[np.int64]) -> Codes:
    """Which words the candidate is, begins with, ends with, or cuts through: a bit each."""
    two, three = name_weights()["words.two"], name_weights()["words.three"]
    pairs = ((starts - 1, starts), (starts, starts + 1), (ends - 2, ends - 1), (ends - 1, ends))
    triples = (
        (starts, starts + 1, starts + 2), (starts - 1, starts, starts + 1), (ends - 1, ends, ends + 1),
        (ends - 2, ends - 1, ends),
    )  # fmt: skip
    bits = [two[word_bits(*(codes[place] for place in pair))] for pair in pairs]
    bits += [three[word_bits(*(codes[place] for place in triple))] for triple in triples]
    value = np.zeros(len(starts), dtype=np.uint64)
    for number, bit in enumerate(bits):
        value |= bit.astype(np.uint64) << np.uint64(number)
    return value
