"""Hashed n-grams of a text, made for all its positions at once.

Words are runs of letters and digits, single CJK characters, and single marks. A polynomial hash of every prefix gives
the hash of any stretch by two look-ups, so that the whole is a few dozen array operations, linear in the text.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

_BUCKET_BITS: Final = 18
BUCKETS: Final = 1 << _BUCKET_BITS
LONGEST: Final = 8_000
"""The most characters of a text that are read."""

_CHARACTER_SIZES: Final = (2, 3, 4, 5)
_WORD_SHAPES: Final = ((0,), (0, 1), (0, 1, 2), (0, 2))
"""The words of an n-gram, counted from its first; the last shape leaves out the one in the middle."""
_BASE: Final = 0x9E3779B97F4A7C15 | 1
_MASK: Final = (1 << 64) - 1
_INVERSE: Final = pow(_BASE, -1, 1 << 64)
_MIX: Final = np.uint64(0xFF51AFD7ED558CCD)
_SHIFT: Final = np.uint64(64 - _BUCKET_BITS)
_SPACE, _LETTER, _CJK, _MARK = range(4)
_PLANE: Final = 0x10000

Hashes = NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class TextNgrams:
    """The n-grams of a text: the ``buckets`` they fall into, and the ``positions`` (characters) at which they begin."""

    buckets: NDArray[np.int64]
    positions: NDArray[np.int64]


def ngrams_of(text: str) -> TextNgrams:
    """The n-grams of a normalized text's first ``LONGEST`` characters."""
    codes = np.frombuffer(f" {text[:LONGEST]} ".encode("utf-32-le", "replace"), dtype=np.uint32)
    hashes = _prefix_hashes(codes)
    found = [*_character_ngrams(codes, hashes), *_word_ngrams(codes, hashes)]
    buckets, positions = zip(*found, strict=True)
    starts = np.maximum(np.concatenate(positions) - 1, 0)  # the space before the text is no part of it
    return TextNgrams((np.concatenate(buckets) * _MIX >> _SHIFT).astype(np.int64), starts)


def _character_ngrams(codes: NDArray[np.uint32], hashes: Hashes) -> list[tuple[Hashes, NDArray[np.int64]]]:
    found = []
    for size in _CHARACTER_SIZES:
        starts = np.arange(max(0, len(codes) - size + 1), dtype=np.int64)
        found.append((_stretch_hashes(hashes, starts, starts + size) + np.uint64(size), starts))
    return found


def _word_ngrams(codes: NDArray[np.uint32], hashes: Hashes) -> list[tuple[Hashes, NDArray[np.int64]]]:
    starts, ends = _words(codes)
    words = _stretch_hashes(hashes, starts, ends)
    found = []
    for number, shape in enumerate(_WORD_SHAPES):
        count = max(0, len(words) - shape[-1])
        joined = np.full(count, 0x1000 + number, dtype=np.uint64)
        for place in shape:
            joined = joined * np.uint64(_BASE) + words[place : place + count]
        found.append((joined, starts[:count]))
    return found


def _words(codes: NDArray[np.uint32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where the words begin and end."""
    kinds = _kinds()[np.minimum(codes, _PLANE - 1)]
    kinds[codes >= _PLANE] = _CJK
    alone = (kinds == _CJK) | (kinds == _MARK)
    begins = (kinds != _SPACE) & (alone | np.concatenate([[True], kinds[1:] != kinds[:-1]]))
    starts = np.flatnonzero(begins)
    stops = np.flatnonzero(np.concatenate([alone[:-1] | (kinds[:-1] != kinds[1:]), [True]]) & (kinds != _SPACE))
    return starts, stops + 1


@cache
def _kinds() -> NDArray[np.uint8]:
    """The kind of every character of the first plane."""
    kinds = np.full(_PLANE, _MARK, dtype=np.uint8)
    for code in range(_PLANE):
        character = chr(code)
        if character.isspace():
            kinds[code] = _SPACE
        elif 0x2E80 <= code <= 0x9FFF and character.isalnum():
            kinds[code] = _CJK
        elif character.isalnum() or character in "'’_":
            kinds[code] = _LETTER
    return kinds


def _prefix_hashes(codes: NDArray[np.uint32]) -> Hashes:
    """The hash of each prefix, shape (len + 1,): the sum of the codes times the powers of the base, modulo 2^64."""
    sums = np.cumsum(codes.astype(np.uint64) * _powers()[: len(codes)], dtype=np.uint64)
    return np.concatenate([np.zeros(1, dtype=np.uint64), sums])


def _stretch_hashes(hashes: Hashes, starts: NDArray[np.int64], ends: NDArray[np.int64]) -> Hashes:
    """The hash of each stretch ``[start, end)``, the same wherever it stands."""
    return (hashes[ends] - hashes[starts]) * _inverse_powers()[starts]


@cache
def _powers() -> Hashes:
    return _power_table(_BASE)


@cache
def _inverse_powers() -> Hashes:
    return _power_table(_INVERSE)


def _power_table(base: int) -> Hashes:
    power, table = 1, []
    for _ in range(LONGEST + 8):
        table.append(power)
        power = power * base & _MASK
    return np.array(table, dtype=np.uint64)
