"""The interval that an absolute text speaks of: from the first to the last day, month or year that it names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from foundation.lexicon import read_lexicon
from memory.rewriting.time_phrases import MONTHS, month_away

_WORDS: Final = read_lexicon(__file__)

_MONTH: Final = "|".join(MONTHS)
_ENGLISH: Final = re.compile(
    rf"(?P<week>\bweek(?:end)? of )?(?:\b(?P<day>\d{{1,2}}) )?\b(?P<month>{_MONTH})"
    r"(?: (?P<after>\d{1,2}),)? (?P<year>\d{4})\b"
    r"|\b(?:in|since|by|from|until|till|during|around|before|after|of|early|late|year|spring|summer|autumn|fall|winter"
    r"|Q[1-4]) (?P<alone>(?:19|20)\d\d)(?![.,-]?\d|[%年]| (?:shares?|units?|people|times|dollars|euros|yuan)\b)\b"
)
_CHINESE: Final = _WORDS.of("zh").pattern("chinese")
Interval = tuple[datetime, datetime]
_Days = tuple[date, date]


def time_spoken_of(text: str, time_zone: str) -> Interval | None:
    """From the first moment of the earliest to the end, exclusive, of the latest time that a text names; None where it
    names none. ``time_zone`` is an IANA name. Linear in the length of the text.
    """
    found = [*_in_english(text), *_in_chinese(text)]
    if not found:
        return None
    zone = ZoneInfo(time_zone)
    first, last = min(start for start, _ in found), max(end for _, end in found)
    return _midnight(first, zone), _midnight(last, zone)


def _in_english(text: str) -> Iterator[_Days]:
    for match in _ENGLISH.finditer(text):
        if match["alone"]:
            yield _year(int(match["alone"]))
            continue
        day = match["day"] or match["after"]
        found = _days(int(match["year"]), MONTHS.index(match["month"]) + 1, int(day) if day else None)
        for start, end in found:
            yield (start, start + timedelta(days=_LENGTHS[match["week"].split()[0]])) if match["week"] else (start, end)


_LENGTHS: Final = {"week": 7, "weekend": 2}


def _in_chinese(text: str) -> Iterator[_Days]:
    for match in _CHINESE.finditer(text):
        year = int(match["year"])
        if not match["month"]:
            yield _year(year)
            continue
        month, day = int(match["month"]), int(match["day"]) if match["day"] else None
        yield from _days(year, month, day)
        if match["until"]:
            yield from _days(year, int(match["until_month"] or month), int(match["until"]))


def _days(year: int, month: int, day: int | None) -> Iterator[_Days]:
    """The day, or the whole month; nothing for one that no calendar has."""
    try:
        start = date(year, month, day or 1)
    except ValueError:
        return
    yield start, month_away(start, 1) if day is None else start + timedelta(days=1)


def _year(year: int) -> _Days:
    return date(year, 1, 1), date(year + 1, 1, 1)


def _midnight(day: date, zone: ZoneInfo) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=zone)
