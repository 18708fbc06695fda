"""Puts the event's location in place of "here"; "there" stays as it is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from foundation.lexicon import read_lexicon
from memory.rewriting.protected_spans import preceded_by

_WORDS: Final = read_lexicon(__file__)

_HERE_ZH = _WORDS.of("zh").pattern("here")
_HERE_EN = _WORDS.of("en").pattern("here", re.IGNORECASE)
_PREPOSITION = _WORDS.of("en").pattern("preposition", re.IGNORECASE)
_MOVES = _WORDS.of("en").pattern("moves", re.IGNORECASE)


def name_places(text: str, location: str | None) -> Iterator[tuple[int, int, str]]:
    """The replacements ``(start, end, words)`` that put ``location`` for "here"; none without one."""
    if not location:
        return
    for match in _HERE_ZH.finditer(text):
        yield *match.span(), location
    for match in _HERE_EN.finditer(text):
        yield *match.span(), _english(match, location)


def _english(match: re.Match[str], location: str) -> str:
    text, start = match.string, match.start()
    if match["noun"] or preceded_by(_PREPOSITION, text, start):
        return location
    return f"to {location}" if preceded_by(_MOVES, text, start) else f"in {location}"
