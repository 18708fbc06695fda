"""Static word-piece vectors distilled from a sentence transformer: a table look-up instead of a model.

Where the table comes from, and under what licence, stands in ``data/NOTICE.md``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from foundation.embeddings.unit_vectors import unit_rows
from foundation.language import normalize

STATIC_DIMENSIONS: Final = 256

_DATA = Path(__file__).parent / "data"
_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_WORD = re.compile(rf"[{_HAN}]|[^\W_{_HAN}]+|[^\w\s]|_")
_LONGEST_WORD: Final = 100  # as in BERT's tokenizer; bounds the search for pieces


class StaticVectors:
    """An int8 table of ``n`` word-piece vectors, shape (n, 256), with a scale for each row.

    The table is mapped, not read: processes on one machine share its pages.
    """

    def __init__(self, folder: Path = _DATA) -> None:
        pieces = (folder / "vocabulary.txt").read_text(encoding="utf-8").rstrip("\n").split("\n")
        self._rows = {piece: row for row, piece in enumerate(pieces)}
        self._table: NDArray[np.int8] = np.load(folder / "vectors.npy", mmap_mode="r")
        self._scales: NDArray[np.float32] = np.load(folder / "scales.npy")

    def vector(self, text: str) -> NDArray[np.float32]:
        """The mean of the text's pieces, scaled to length 1, shape (256,); unknown words are left out.

        A text without any known piece gets the vector of the unknown piece, so that no row is ever zero.
        """
        rows = [row for word in _words(text) for row in self._pieces(word)] or [self._rows["[UNK]"]]
        return unit_rows(self._scales[rows] @ self._table[rows].astype(np.float32))

    def _pieces(self, word: str) -> list[int]:
        """Greedy longest match from the left (WordPiece); nothing when a part of ``word`` is unknown."""
        rows: list[int] = []
        start = 0
        while start < len(word) <= _LONGEST_WORD:
            for end in range(len(word), start, -1):
                row = self._rows.get(("##" if start else "") + word[start:end])
                if row is not None:
                    break
            else:
                return []
            rows.append(row)
            start = end
        return rows


@cache
def static_vectors() -> StaticVectors:
    """The table that comes with FinClaw, loaded once in a process."""
    return StaticVectors()


def _words(text: str) -> Iterator[str]:
    decomposed = unicodedata.normalize("NFD", normalize(text))
    plain = "".join(character for character in decomposed if unicodedata.category(character) != "Mn")
    return (match.group() for match in _WORD.finditer(plain))
