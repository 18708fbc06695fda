"""Measures how near the words are that say what a number is: a phone, a passport, an order."""

from __future__ import annotations

import re
from typing import Final

from foundation.lexicon import read_lexicon

_WORDS: Final = read_lexicon(__file__, "cues")
KINDS: Final = ("phone", "passport", "social", "canadian", "british", "hong_kong", "taiwan", "other")
_REACH: Final = 44
_AFTER: Final = 20


def _pattern(kind: str) -> re.Pattern[str]:
    english, chinese = (_WORDS.of(language).phrase(kind) for language in ("en", "zh"))
    return re.compile(rf"(?<![a-z])(?:{english})(?![a-z])|{chinese}", re.IGNORECASE)


_WORDS_OF: Final = {kind: tuple(word.lower() for word in _WORDS.words(kind)) for kind in KINDS}
_PATTERNS: Final = {kind: _pattern(kind) for kind in KINDS}


def cue_distance(kind: str, text: str, start: int) -> int | None:
    """How many characters before ``start`` the nearest word of the kind ends; None without one."""
    begin = max(0, start - _REACH)
    near = text[begin:start].lower()
    if not any(word in near for word in _WORDS_OF[kind]):
        return None
    ends = [match.end() for match in _PATTERNS[kind].finditer(text, begin, start)]
    return start - ends[-1] if ends else None


def cue_distances(text: str, start: int) -> dict[str, int]:
    """How many characters before ``start`` the nearest word of each kind ends; kinds without a word are left out."""
    found = {kind: cue_distance(kind, text, start) for kind in KINDS}
    return {kind: distance for kind, distance in found.items() if distance is not None}


def stands_after(kind: str, text: str, end: int) -> bool:
    """Whether a word of the kind stands within a few characters after ``end``."""
    return _PATTERNS[kind].search(text, end, end + _AFTER) is not None
