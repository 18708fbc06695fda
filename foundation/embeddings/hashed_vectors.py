"""Vectors of hashed tokens: what a text says literally, in any script, without a model."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from hashlib import blake2b
from math import log
from typing import Final

import numpy as np
from numpy.typing import NDArray

from foundation.embeddings.unit_vectors import unit_rows
from foundation.language import cjk_characters, normalize
from foundation.text import tokenize

HASHED_DIMENSIONS: Final = 384
"""CMRC R@10 .942 with 384, .945 with 512: not worth a third more room in every row."""


def hashed_vector(text: str) -> NDArray[np.float32]:
    """A vector of length 1, shape (384,), or zeros when ``text`` holds no token.

    Signed feature hashing (Weinberger et al., 2009) with sublinear term frequency, 1 + ln tf. Single CJK
    characters count beside the bigrams: here they cost nothing and lift CMRC R@10 from .928 to .942.
    """
    vector = np.zeros(HASHED_DIMENSIONS, dtype=np.float32)
    for feature, frequency in Counter(_features(text)).items():
        dimension, sign = _dimension_and_sign(feature)
        vector[dimension] += sign * (1 + log(frequency))
    return unit_rows(vector)


def _features(text: str) -> list[str]:
    return [*tokenize(text), *cjk_characters(normalize(text))]


@lru_cache(maxsize=65_536)
def _dimension_and_sign(feature: str) -> tuple[int, int]:
    # Python's own hash differs from process to process; stored vectors must not.
    number = int.from_bytes(blake2b(feature.encode(), digest_size=8).digest(), "big")
    return (number >> 1) % HASHED_DIMENSIONS, 1 if number & 1 else -1
