"""Finds the days, months and years that a question names: what was said at that time bears on it. Pure.

A month named without a year is that month of any year: whoever asks about June seldom says which.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta
from itertools import chain
from typing import Final

from foundation.language import chinese_numeral, month_number

Period = tuple[datetime, datetime]
"""The first moment of a period, and the moment after it."""

YEARS_BACK: Final = 15  # a month without a year is looked for in so many years
MOST_PERIODS: Final = 60
"""The most periods of one question for each way to write them: who names more is not asking when."""
ZONES: Final = timedelta(hours=14)
"""The widest offset from UTC: entries have their time in UTC, while a question means days of the user's time zone."""

_SURE = (
    r"jan(?:uary)?|feb(?:ruary)?|apr(?:il)?|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?"
    r"|dec(?:ember)?"
)
_NAME = rf"(?P<name>{_SURE}|may|mar(?:ch)?)\b\.?+"
_ALONE = rf"(?P<name>{_SURE}|(?<=\bin )(?:may|march)|(?<=\bof )(?:may|march)|(?<=\blast )(?:may|march))\b\.?+"
"""Month names that without a day or a year may be verbs: "may" and "march"."""
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_DAY = r"(?P<day>\d{1,2})"
_PATTERNS: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?<!\d){_YEAR}[-/.](?P<month>\d{{1,2}})(?:[-/.]{_DAY})?(?!\d)",
        rf"(?<!\d)(?:{_YEAR}年 ?)?(?<!\d)(?P<month>\d{{1,2}}|十[一二]?|[一二三四五六七八九])月份?"
        rf"(?:(?P<day>\d{{1,2}}|[一二三四五六七八九十]{{1,3}})[日号]|(?P<third>[上中下]旬|[初底]))?",
        rf"\b{_DAY}(?:st|nd|rd|th)? (?:of )?{_NAME}(?:,? {_YEAR}\b)?",
        rf"\b{_NAME} {_DAY}(?:st|nd|rd|th)?\b(?!:)(?:,? {_YEAR}\b)?",
        rf"\b{_NAME},? (?:of )?{_YEAR}\b",
        rf"\b{_ALONE}(?! \d)",
    )
)
_WHOLE_YEAR: Final = re.compile(
    rf"(?<!\d){_YEAR}年(?!\s?\d)|\b(?:in|during|since|of) {_YEAR.replace('year', 'alone')}\b"
)
_THIRDS: Final = {"上旬": (1, 10), "初": (1, 10), "中旬": (11, 20), "下旬": (21, 31), "底": (21, 31)}


def periods_named(question: str, today: date) -> tuple[Period, ...]:
    """The periods that a question names, in UTC and as wide as any time zone makes them.

    Linear in the length of the question. A month without a year is given for each of the last fifteen years.
    """
    found: list[Period] = []
    for pattern in _PATTERNS:
        found += chain.from_iterable(_periods_of_month(match, today) for match in pattern.finditer(question))
        question = pattern.sub(" ", question)  # or a later pattern would find the month of a day again
    years = () if found else chain.from_iterable(map(_period_of_year, _WHOLE_YEAR.finditer(question)))
    return tuple(dict.fromkeys((*found, *years)))[:MOST_PERIODS]


def _periods_of_month(match: re.Match[str], today: date) -> Iterator[Period]:
    named = match.groupdict()
    month = chinese_numeral(named["month"]) or 0 if named.get("month") else month_number(named["name"])
    years: Sequence[int] = range(today.year - YEARS_BACK, today.year + 1)
    if named.get("year"):
        years = (int(named["year"]),)
    for year in years if 1 <= month <= 12 else ():
        yield from _periods_of_days(year, month, named.get("day"), named.get("third"))


def _periods_of_days(year: int, month: int, day: str | None, third: str | None) -> Iterator[Period]:
    last = monthrange(year, month)[1]
    first, until = _THIRDS.get(third or "", (1, last))
    if day:
        first = until = chinese_numeral(day) or 0
    if 1 <= first <= last:
        yield _period_between(date(year, month, first), date(year, month, min(until, last)))


def _period_of_year(match: re.Match[str]) -> Iterator[Period]:
    year = int(match["year"] or match["alone"])
    yield _period_between(date(year, 1, 1), date(year, 12, 31))


def _period_between(first: date, last: date) -> Period:
    begin = datetime.combine(first, time.min, UTC) - ZONES
    return begin, datetime.combine(last, time.min, UTC) + timedelta(days=1) + ZONES
