"""Dates a sentence: finds the earliest day on which its content can have been known; Chinese and English.

A named period is dated to its last day, and a sentence with several days to the latest. Two kinds of days come first:
that of a source in closing brackets, and that on which somebody is said to have told it. Any later day in such a
sentence was a forecast.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from itertools import chain
from typing import Final, NamedTuple

from finclaw.brain.material.periods import parse_year, period_ends, periods_in_words
from foundation.language import (
    chinese_numeral,
    month_number,
    month_pattern,
)

_MONTH: Final = rf"{month_pattern('en')}\.?"
_YEAR = r"(?P<year>(?:19|20)\d{2})"
_PATTERNS: Final = (
    rf"(?<!\d){_YEAR}[-/.](?P<month>\d{{1,2}})[-/.](?P<day>\d{{1,2}})(?!\d)",
    rf"(?<!\d){_YEAR}\s*年\s*(?P<month>\d{{1,2}})\s*月\s*(?P<day>\d{{1,2}})\s*[日号]",
    rf"\b(?P<month>{_MONTH})\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<year>(?:19|20)\d{{2}}|['’]\d{{2}})\b",
    rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<month>{_MONTH}),?\s+(?P<year>(?:19|20)\d{{2}}"
    rf"|['’]\d{{2}})\b",
    rf"(?<![\d.])(?P<day>\d{{1,2}})\.(?P<month>\d{{1,2}})\.{_YEAR}(?!\d)",
)
_DAYS: Final = tuple(re.compile(pattern, re.IGNORECASE) for pattern in _PATTERNS)
_EITHER_WAY: Final = re.compile(r"(?<![\d/])(?P<one>\d{1,2})/(?P<other>\d{1,2})/(?P<year>(?:19|20)\d{2}|2\d)(?![\d/])")
_SPELLED_YEAR: Final = re.compile(r"[〇零一二三四五六七八九]{4}(?=年)")
_SPELLED: Final = re.compile(r"(?:[一二三]?十[一二三四五六七八九]?|[一二三四五六七八九])(?=[月日号])")
_DIGITS: Final = str.maketrans("〇零一二三四五六七八九", "00123456789")
_CITED: Final = re.compile(r"[(（](?=[^a-z])[^()（）]*[)）]\W{0,40}$")
_TOLD: Final = (
    r"(?:guid(?:es|ed)|forecasts?|expect(?:s|ed)|project(?:s|ed)|estimated?|report(?:s|ed)|announced?|said|says|told"
    r"|raised|cut|reiterated|published|disclosed|filed|预计|预期|预测|表示|公布|宣布|披露|报道|指出|上调|下调|重申"
    r"|公告|给出)"
)
_TELLS: Final = re.compile(rf"\b{_TOLD}\b|{_TOLD}(?<=[^\x00-\x7f])", re.IGNORECASE)
_OPENS: Final = re.compile(r"^\W*+(?:(?:on|as of|于|在|截至)\s*+)?$", re.IGNORECASE)
_TOLD_ON: Final = re.compile(rf"{_TOLD}[^,，;；]{{0,30}}(?:\bon|于|在)\s*$", re.IGNORECASE)
_YESTERDAY: Final = re.compile(r"\byesterday\b|\blast night\b|昨[天日晚夜]", re.IGNORECASE)
_LATELY: Final = re.compile(
    r"\b(?:today|tonight|this (?:morning|afternoon|evening|week|month|quarter|year)"
    r"|(?:last|past) (?:week|month|quarter)"
    r"|just now)\b|今[天日早晚年]|[本上这]个?(?:周|月|星期|季度)(?!期)|刚刚|近日|日前",
    re.IGNORECASE,
)


class _FoundDay(NamedTuple):
    start: int
    day: date


def known_time_of(sentence: str) -> datetime | None:
    """End of the day, in UTC, by which the content of a sentence was known; None where it names no time.

    A year that stands for a size or an expectation says nothing: "the 2025 guidance" may be older than 2025.
    """
    text = _chinese_digits(sentence)
    days = sorted(_find_days(text))
    known = _source_day(text, days) or _telling_day(text, days)
    if known is None:
        known = max((*(found_day.day for found_day in days), *period_ends(_remove_days(text))), default=None)
    return _end_of_day(known) if known else None


def period_in_words(sentence: str, at: datetime) -> str:
    """The month, quarter or year that ends on the day of ``at``, as written in the sentence; "" where it names the day
    itself or no such period.
    """
    text, day = _chinese_digits(sentence), at.astimezone(UTC).date()
    if any(found_day.day == day for found_day in _find_days(text)):
        return ""
    return next((words.strip() for end, words in periods_in_words(_remove_days(text)) if end == day), "")


def relative_day(sentence: str, said_at: datetime) -> datetime | None:
    """The day of a sentence that counts from when it is said ("yesterday", 本周)."""
    if _YESTERDAY.search(sentence):
        return _end_of_day(said_at.astimezone(UTC).date() - timedelta(days=1))
    return _end_of_day(said_at.astimezone(UTC).date()) if _LATELY.search(sentence) else None


def _source_day(text: str, days: list[_FoundDay]) -> date | None:
    """The day of the source in closing brackets."""
    source = _CITED.search(text)
    return next((found_day.day for found_day in days if source and found_day.start >= source.start()), None)


def _telling_day(text: str, days: list[_FoundDay]) -> date | None:
    """The day on which somebody told the rest: it opens the sentence or follows a verb of telling ("reported on")."""
    if not _TELLS.search(text):
        return None
    return next(
        (
            found_day.day
            for found_day in days
            if _OPENS.match(text[: found_day.start]) or _TOLD_ON.search(text[: found_day.start])
        ),
        None,
    )


def _chinese_digits(sentence: str) -> str:
    """The sentence with 二〇二六年五月 written as 2026年5月."""
    years = _SPELLED_YEAR.sub(lambda found: found.group().translate(_DIGITS), sentence)
    return _SPELLED.sub(lambda found: str(chinese_numeral(found.group())), years) if years != sentence else sentence


def _find_days(text: str) -> Iterator[_FoundDay]:
    for match in chain.from_iterable(pattern.finditer(text) for pattern in _DAYS):
        yield from _valid_day(match.start(), parse_year(match["year"]), match["month"], match["day"])
    for match in _EITHER_WAY.finditer(text):
        year, first, other = parse_year(match["year"]), match["one"], match["other"]
        both = (*_valid_day(match.start(), year, first, other), *_valid_day(match.start(), year, other, first))
        yield from sorted(both)[-1:]  # 5/12/2026 may be May or December: the later day is the safe one


def _remove_days(text: str) -> str:
    for pattern in (*_DAYS, _EITHER_WAY):
        text = pattern.sub(" ", text)
    return text


def _valid_day(start: int, year: int, month: str, day: str) -> Iterator[_FoundDay]:
    """The match as a day; nothing for one that does not exist."""
    try:
        yield _FoundDay(start, date(year, int(month) if month.isdigit() else month_number(month), int(day)))
    except ValueError:
        return


def _end_of_day(day: date) -> datetime:
    return datetime.combine(day, time.max, UTC)
