"""Hashes the n-grams of a normalised sentence into buckets, the features of small linear classifiers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Final
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

_LONGEST: Final = 4
_WORD: Final = re.compile(r"[a-z0-9']++|[?!\",:.;]|[^\x00-\x7f]")


def character_ngrams(form: str) -> Iterator[str]:
    """Every run of one to four characters, with the beginning and the end of the sentence marked."""
    text = f"^{form}$"
    for size in range(1, _LONGEST + 1):
        for start in range(len(text) - size + 1):
            yield text[start : start + size]


def word_ngrams(form: str) -> Iterator[str]:
    """Words and pairs of them; of Chinese the characters."""
    if not form:
        return
    words = ["^", *_WORD.findall(form), "$"]
    yield from words
    yield from (f"{left} {right}" for left, right in pairwise(words))


def hash_ngrams(space: str, ngrams: Iterable[str], buckets: int) -> NDArray[np.int64]:
    """The buckets of these n-grams by CRC-32, sorted and each once. ``space`` is a prefix that keeps kinds apart."""
    return np.array(sorted({crc32(f"{space}{ngram}".encode()) % buckets for ngram in ngrams}), dtype=np.int64)
