"""Decides whether a statement may stand in a portrait: true now, and understood without context. Pure.

A memory stored in the user's own words may contain what belonged only to the chat: what they did that day, words that
point at the message before, thanks. None of that may be a line of a portrait. The lists were made on MemoryBank's
people 1 to 6.
"""

from __future__ import annotations

import re
from datetime import date
from typing import Final

from foundation.language import (
    cjk_characters,
    month_number,
)
from foundation.language.inflection import is_past_tense
from foundation.lexicon import read_lexicon
from foundation.text import tokenize
from memory.evolution.topics import topics_of

_WORDS: Final = read_lexicon(__file__)

MOST_CHARS: Final = 160
FEWEST_WORDS: Final = 2
"""The fewest words, or Chinese characters, of a line: one alone says nothing of the user."""

_LASTING_PAST: Final = frozenset(_WORDS.of("en").words("lasting_past"))
"""Verbs in the past tense that state what is still so."""
_OPENS_EN: Final = _WORDS.of("en").pattern("opens", re.IGNORECASE)
_POINTS_EN: Final = _WORDS.of("en").pattern("points", re.IGNORECASE)
_COURTESY_EN: Final = _WORDS.of("en").pattern("courtesy", re.IGNORECASE)
_ENDS_EN: Final = _WORDS.of("en").pattern("ends")
_ADDRESSED_EN: Final = _WORDS.of("en").pattern("addressed", re.IGNORECASE)
_ADDRESSED_ZH: Final = _WORDS.of("zh").pattern("addressed")
_OPENS_ZH: Final = _WORDS.of("zh").pattern("opens")
_POINTS_ZH: Final = _WORDS.of("zh").pattern("points")
_HAPPENED_ZH: Final = _WORDS.of("zh").pattern("happened")
_ASKS_EN: Final = _WORDS.of("en").pattern("asks")
_ASKS_ZH: Final = _WORDS.of("zh").pattern("asks")
"""A question or request in the same sentence as a statement."""
_STATES_EN: Final = _WORDS.of("en").pattern("states")
"""The beginning of a user's sentence that tells what is so, and not how they felt that day."""
_CALLS: Final = _WORDS.of("en").pattern("calls")
"""Words that address somebody else, or are said in passing."""
_PAIRS: Final = (("“", "”"), ("《", "》"), ("(", ")"), ("（", "）"), ("「", "」"))
_DAY_EN: Final = _WORDS.of("en").pattern("day")
_DAY_ZH: Final = _WORDS.of("zh").pattern("day")


def is_eligible(content: str, *, addressed: bool = False, free: bool = False) -> bool:
    """Whether a statement reads as a line by itself.

    An ``addressed`` statement says how the assistant should answer; a ``free`` one is a user's sentence in which no
    rule found a slot.
    """
    text = content.strip()
    if not text or len(text) > MOST_CHARS or _number_of_words(text) < FEWEST_WORDS or _is_cut(text):
        return False
    chinese = bool(cjk_characters(text))
    if addressed:
        return (_ADDRESSED_ZH if chinese else _ADDRESSED_EN).match(text) is not None and _is_about_answers(text)
    if free and (_CALLS.search(text) or not (chinese or _STATES_EN.match(text) or last_day_named(text))):
        return False
    return _reads_alone_zh(text) if chinese else _reads_alone_en(text)


def last_day_named(text: str) -> date | None:
    """The last day that a text names by its date: of a month or a year its last day; None without a date."""
    found = [_parse_day(match, month_number(match["month"])) for match in _DAY_EN.finditer(text)]
    found += [_parse_day(match, int(match["month"] or 12)) for match in _DAY_ZH.finditer(text)]
    return max((day for day in found if day is not None), default=None)


def _is_about_answers(text: str) -> bool:
    """Whether a text names a feature of answers, or how somebody wants to be called."""
    topics = topics_of([*tokenize(text), *cjk_characters(text)])
    return "answers" in topics or "name" in topics


def _number_of_words(text: str) -> int:
    return max(len(text.split()), len(cjk_characters(text)))


def _parse_day(match: re.Match[str], month: int) -> date | None:
    year, day = int(match["year"]), match["day"]
    try:
        if day:
            return date(year, month, int(day))
        return date(year + month // 12, month % 12 + 1, 1) - date.resolution
    except ValueError:
        return None


def _reads_alone_en(text: str) -> bool:
    first, _, _ = text.partition(" ")
    if is_past_tense(first) and first.lower() not in _LASTING_PAST:
        return False
    patterns = (_POINTS_EN, _COURTESY_EN, _ASKS_EN)
    return _OPENS_EN.match(text) is None and not any(pattern.search(text) for pattern in patterns)


def _reads_alone_zh(text: str) -> bool:
    return not (_OPENS_ZH.match(text) or _POINTS_ZH.search(text) or _HAPPENED_ZH.search(text) or _ASKS_ZH.search(text))


def _is_cut(text: str) -> bool:
    """Whether a text ends in the middle, or has an unpaired bracket or quotation mark."""
    halves = any(text.count(left) != text.count(right) for left, right in _PAIRS) or text.count('"') % 2 == 1
    return halves or text.endswith((",", "，", ":", "：", "…")) or _ENDS_EN.search(text.rstrip(".")) is not None
