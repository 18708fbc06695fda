"""Words that a candidate for a Chinese name is no name with, as tables of characters and sets of hashed words."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from consent.sensitive.names.weights import WORD_BITS, name_weights
from foundation.lexicon import read_lexicon

Codes = NDArray[np.uint64]

NAME_WORDS: Final = read_lexicon(__file__, "names").of("zh")
"""Surnames of more than one character, parts of foreign names, and words that follow a surname in place of a name."""
FIRST_HAN: Final = 0x4E00
HAN: Final = 0x9FFF - FIRST_HAN + 1
"""The block of common Chinese characters; tables of characters have one entry more, for everything else."""
PRIME: Final = np.uint64(0x9E3779B97F4A7C15)
MIX: Final = np.uint64(0xFF51AFD7ED558CCD)


def han_index(codes: Codes) -> NDArray[np.int64]:
    """The indices of characters in a table of characters; the last index is for all that are not Chinese."""
    places = codes.astype(np.int64) - FIRST_HAN
    return np.where((places >= 0) & (places < HAN), places, HAN)


def word_bits(*characters: Codes, bits: int = WORD_BITS) -> NDArray[np.int64]:
    """The places of words in a set of words, given by their characters in order."""
    hashed = np.full(len(characters[0]), len(characters), dtype=np.uint64)
    for codes in characters:
        hashed = (hashed + codes) * PRIME
    return (hashed * MIX >> np.uint64(64 - bits)).astype(np.int64)


def are_words(codes: Codes, starts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which candidates begin with a very common word, or are themselves a word of three characters."""
    weights = name_weights()
    known = weights["words.three"][word_bits(codes[starts], codes[starts + 1], codes[starts + 2])]
    begin = weights["words.everywhere"][word_bits(codes[starts], codes[starts + 1])]
    return np.asarray(begin | (known & (ends - starts == 3)))


def end_otherwise(codes: Codes, starts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which candidates end like places, occupations and forms of address."""
    last, size = han_index(codes[ends - 1]), ends - starts
    called = _callings()[word_bits(codes[ends - 2], codes[ends - 1])]
    return np.asarray((_among("address")[last] & (size == 2)) | (called & (size > 2)) | _among("places")[last])


def are_public(codes: Codes, starts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which candidates are names of people in public life, of fictional characters or of brands."""
    known = name_weights()["words.public"]
    two = known[word_bits(codes[starts], codes[starts + 1])] & (ends - starts == 2)
    three = known[word_bits(codes[starts], codes[starts + 1], codes[starts + 2])] & (ends - starts == 3)
    return np.asarray(two | three)


@cache
def _among(entry: str) -> NDArray[np.bool_]:
    """A table of characters that is true for those in a lexicon entry."""
    table = np.zeros(HAN + 1, dtype=bool)
    table[[ord(word) - FIRST_HAN for word in NAME_WORDS.words(entry)]] = True
    return table


@cache
def _callings() -> NDArray[np.bool_]:
    """Words of two characters that follow a surname in place of a given name: kin, roles and forms of address."""
    before, after = (NAME_WORDS.groups(side) for side in ("before", "after"))
    return _set_of(word for words in (before["kin"], before["role"], after["honorific"]) for word in words)


@cache
def compound_surnames() -> NDArray[np.bool_]:
    """The first two characters of surnames of more than one."""
    return _set_of(name[:2] for name in (*NAME_WORDS.words("compound"), *NAME_WORDS.words("japanese")))


def _set_of(words: Iterable[str]) -> NDArray[np.bool_]:
    """A set of words of two characters, by ``word_bits``."""
    pairs = np.array([[ord(one) for one in word] for word in words if len(word) == 2], dtype=np.uint64)
    table = np.zeros(1 << WORD_BITS, dtype=bool)
    table[word_bits(pairs[:, 0], pairs[:, 1])] = True
    return table
