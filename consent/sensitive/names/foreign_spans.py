"""Finds where names of other languages may stand in Chinese characters: 安娜·伊万诺娃, 格桑平措.

Where one begins is seen by its characters: few serve to write sounds (阿, 尔, 斯), and those beside it seldom do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from consent.sensitive.names.han_words import FIRST_HAN, NAME_WORDS
from consent.sensitive.names.weights import name_weights
from foundation.compiled_patterns import compile_pattern

DOT: Final = "·"
JOINED, DOTTED = 4, 9
"""Kinds of foreign names: of known parts (格桑平措), and with a dot (安娜·伊万诺娃)."""
_LONGEST_PART: Final = 8
_HAN: Final = "[\u4e00-\u9fff]"
_DOTTED: Final = compile_pattern(rf"{_HAN}{{1,8}}(?:(?:{DOT}|-(?={_HAN}{{1,8}}{DOT})){_HAN}{{1,8}})+")
_PARTS: Final = sorted(NAME_WORDS.words("parts"), key=len, reverse=True)
_JOINED: Final = compile_pattern(f"(?:{'|'.join(_PARTS)}){{1,4}}")
_SHORTEST_JOINED: Final = 3
_BARRIER: Final = -48
"""Odds (16 times their logarithm) of a character that no name's sounds are written with, as 的."""
_CLOSE: Final = re.compile(rf"[{DOT}-]")


def foreign_spans(text: str) -> list[tuple[int, int, int]]:
    """Where each such name may stand, and its kind."""
    dotted = list(_dotted(text)) if DOT in text else []
    covered = {place for start, end, _ in dotted for place in range(start, end)}
    return [*dotted, *(span for span in _joined(text) if covered.isdisjoint(range(*span[:2])))]


def _dotted(text: str) -> Iterator[tuple[int, int, int]]:
    """Names with a dot, without the words that stand right before and after them."""
    for found in _DOTTED.finditer(text):
        marks = [mark.start() for mark in _CLOSE.finditer(text, found.start(), found.end())]
        first, last = text[found.start() : marks[0]], text[marks[-1] + 1 : found.end()]
        yield marks[0] - _likeliest(first[::-1]), marks[-1] + 1 + _likeliest(last), DOTTED


def _joined(text: str) -> Iterator[tuple[int, int, int]]:
    for found in _JOINED.finditer(text):
        if found.end() - found.start() >= _SHORTEST_JOINED:
            yield *found.span(), JOINED


def _likeliest(characters: str) -> int:
    """How many of the characters, one at least, most likely write sounds: the beginning of the highest odds."""
    odds, total, best, length = name_weights()["han.foreign"], 0, -1_000, 1
    for number, character in enumerate(characters[:_LONGEST_PART], 1):
        one = int(odds[ord(character) - FIRST_HAN])
        if one < _BARRIER:
            break
        total += one
        if total > best:
            best, length = total, number
    return length
