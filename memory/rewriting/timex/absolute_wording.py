"""Gives absolute words for expressions of time: "two months ago" becomes the name of a month."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Final, NamedTuple

from foundation.language import Language
from memory.rewriting import time_phrases
from memory.rewriting.time_phrases import Phrase
from memory.rewriting.timex import calendar
from memory.rewriting.timex.reader import read_times
from memory.rewriting.timex.types import Interval, TimeExpression

_CUES: Final = {
    "en": re.compile(
        r"\b(?:ago|last|next|this|past|previous|coming|upcoming|following|current|now|hence|today|tomorrow|yesterday|tmrw"
        r"|tonight|later|earlier|from|recent|early|late|end|beginning|mid|middle|first|second|third|fourth|in|after|before)\b",
        re.IGNORECASE,
    ),
    "zh": re.compile("[今明昨前后後上下本这這去来來再过過]"),
}  # fmt: skip
"""One of these is in every expression that counts from the clock."""
LONGEST_TEXT: Final = 4_000
"""Characters that are read: an event is shorter."""


class AbsoluteWording(NamedTuple):
    """Words ``[start, end)`` and the absolute ones that may stand for them."""

    start: int
    end: int
    phrase: Phrase


def worded_times(text: str, now: datetime, language: Language) -> Iterator[AbsoluteWording]:
    """Every expression that counts from ``now`` and surely means one day, or one stretch of whole days."""
    text = text[:LONGEST_TEXT]
    if not _CUES[language].search(text):
        return
    for found in read_times(text, now, language):
        if found.is_sure and found.is_relative and (phrase := phrase_of(found)):
            yield AbsoluteWording(found.start, found.end, phrase)


def phrase_of(found: TimeExpression) -> Phrase | None:
    """The absolute words for an expression, as exact as the speaker was: for "two months ago" a month.

    None for what is open at one side or does not consist of whole days.
    """
    (interval,) = found.intervals
    if interval.start is None or interval.end is None:
        return None
    if found.kind == "date":
        return _of_day(interval.start, found.grain)
    return _of_stretch(interval, interval.start) if found.kind == "range" else None


def _of_day(day: datetime, grain: str) -> Phrase:
    if grain in {"month", "quarter"}:
        return time_phrases.in_month(day)
    if grain == "year":
        return time_phrases.in_year(day.year)
    return time_phrases.around(day) if grain == "week" else time_phrases.on_day(day)


def _of_stretch(interval: Interval, start: datetime) -> Phrase | None:
    """A week, a weekend, a month, a quarter or a year; None for any other stretch."""
    if interval == calendar.week_stretch(start.date()):
        return time_phrases.in_week(start)
    if interval == calendar.weekend_stretch(start.date()):
        return time_phrases.on_weekend(start)
    whole = {months: calendar.month_stretch(start.year, start.month, months) for months in (1, 3, 12)}
    if interval == whole[12] and start.month == 1:
        return time_phrases.in_year(start.year)
    if interval == whole[3] and start.month % 3 == 1:
        return time_phrases.in_quarter(start)
    if interval == whole[1]:
        return time_phrases.in_month(start)
    return None
