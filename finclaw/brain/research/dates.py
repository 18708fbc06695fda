"""Of which day a sentence speaks: what it tells was known by then at the earliest, Chinese and English."""

from __future__ import annotations

import re
from calendar import month_abbr, monthrange
from collections.abc import Iterator
from datetime import UTC, date, datetime, time
from itertools import chain

_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\.?"
)
_DAY = r"(?P<{0}>\d{{1,2}})(?:st|nd|rd|th)?"
_IN_ENGLISH = re.compile(
    rf"\b(?:{_DAY.format('before')}\s+)?(?P<month>{_MONTH})(?:\s+{_DAY.format('after')}(?!\d))?,?\s+(?:of\s+)?"
    r"(?P<year>(?:19|20)\d{2})\b",
    re.IGNORECASE,
)
_NUMBERS = re.compile(r"(?<!\d)(?P<year>(?:19|20)\d{2})(?:[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2}))(?!\d)")
_IN_CHINESE = re.compile(r"(?P<year>(?:19|20)\d{2})\s*年\s*(?P<month>\d{1,2})\s*月(?:\s*(?P<day>\d{1,2})\s*[日号])?")
_QUARTER = re.compile(
    r"\b(?:Q(?P<quarter>[1-4])\s*(?:of\s+)?(?P<year>(?:19|20)\d{2})|(?P<year_before>(?:19|20)\d{2})\s*Q(?P<quarter_after>[1-4]))\b",
    re.IGNORECASE,
)
_QUARTER_IN_CHINESE = re.compile(r"(?P<year>(?:19|20)\d{2})\s*年?\s*第?\s*(?P<quarter>[一二三四1-4])\s*季(?:度|报)")
_ABBREVIATED = [name.lower() for name in month_abbr]
_DIGITS = {"一": 1, "二": 2, "三": 3, "四": 4}


def dated(sentence: str) -> datetime | None:
    """The end, in UTC, of the latest day, month or quarter that the sentence names in full; None where it names none.

    A year alone says nothing: "the 2025 guidance" may be older than 2025.
    """
    days = [*_days(sentence), *_quarters(sentence)]
    return datetime.combine(max(days), time.max, UTC) if days else None


def _days(sentence: str) -> Iterator[date]:
    for match in chain(_NUMBERS.finditer(sentence), _IN_CHINESE.finditer(sentence)):
        yield from _day(int(match["year"]), int(match["month"]), match["day"])
    for match in _IN_ENGLISH.finditer(sentence):
        month = _ABBREVIATED.index(match["month"][:3].lower())
        yield from _day(int(match["year"]), month, match["before"] or match["after"])


def _quarters(sentence: str) -> Iterator[date]:
    for match in _QUARTER.finditer(sentence):
        quarter, year = match["quarter"] or match["quarter_after"], match["year"] or match["year_before"]
        yield from _day(int(year), 3 * int(quarter), None)
    for match in _QUARTER_IN_CHINESE.finditer(sentence):
        quarter = _DIGITS.get(match["quarter"]) or int(match["quarter"])
        yield from _day(int(match["year"]), 3 * quarter, None)


def _day(year: int, month: int, day: str | None) -> Iterator[date]:
    """Without a day the month's last; nothing for a day that does not exist."""
    last = monthrange(year, month)[1] if 1 <= month <= 12 else 0
    if 1 <= int(day or last) <= last:
        yield date(year, month, int(day or last))
