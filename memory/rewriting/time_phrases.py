"""Phrases for absolute times, in Chinese and English."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final

from foundation.language import month_names

MONTHS: Final = month_names("en")


@dataclass(frozen=True, slots=True)
class Phrase:
    """A point or stretch of time. ``english`` follows ``preposition``; ``attributive`` precedes a noun."""

    preposition: str
    english: str
    chinese: str
    attributive: str = ""


def english_date(day: date) -> str:
    """``8 May 2023``."""
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def chinese_date(day: date) -> str:
    """``2023年5月8日``."""
    return f"{day.year}年{day.month}月{day.day}日"


def on_day(day: date, english_part: str = "", chinese_part: str = "") -> Phrase:
    """A day, or a part of it: "the morning" of it, 早上."""
    written = english_date(day)
    english = f"the {english_part} of {written}" if english_part else written
    return Phrase("on", english, chinese_date(day) + chinese_part, f"{written} {english_part}".strip())


def in_week(day: date, english_part: str = "") -> Phrase:
    """The week, Monday to Sunday, that holds ``day``, or its ``end`` or ``beginning``."""
    first = monday(day)
    if english_part:
        return Phrase("at", f"the {english_part} of the week of {english_date(first)}", f"{chinese_date(first)}那一周")
    span = f"{english_date(first)} to {english_date(first + timedelta(days=6))}"
    chinese = f"{chinese_date(first)}至{_chinese_end(first, first + timedelta(days=6))}这一周"
    return Phrase("in", f"the week of {english_date(first)}", chinese, span)


def on_weekend(day: date) -> Phrase:
    """Saturday and Sunday of the week that holds ``day``."""
    saturday = monday(day) + timedelta(days=5)
    chinese = f"{chinese_date(saturday)}至{_chinese_end(saturday, saturday + timedelta(days=1))}的周末"
    return Phrase("on", f"the weekend of {english_date(saturday)}", chinese, f"{english_date(saturday)} weekend")


def in_month(day: date, english_part: str = "", chinese_part: str = "") -> Phrase:
    """A calendar month, or its ``end`` or ``beginning``."""
    english = f"{MONTHS[day.month - 1]} {day.year}"
    return _period(english, f"{day.year}年{day.month}月", english_part, chinese_part)


def in_year(year: int, english_part: str = "", chinese_part: str = "") -> Phrase:
    """A calendar year, or its ``end`` or ``beginning``."""
    return _period(str(year), f"{year}年", english_part, chinese_part.removeprefix("年"))


def in_season(season: str, year: int) -> Phrase:
    """A season of a year. Winter counts to the year it began in."""
    return Phrase("in", f"the {season} of {year}", f"{year}年", f"{season} {year}")


def in_quarter(day: date, english_part: str = "") -> Phrase:
    """The calendar quarter that holds ``day``, or its ``end`` or ``beginning``."""
    quarter = (day.month - 1) // 3 + 1
    return _period(f"Q{quarter} {day.year}", f"{day.year}年第{'一二三四'[quarter - 1]}季度", english_part, "")


def around(day: date) -> Phrase:
    """A day known only roughly."""
    return Phrase("around", english_date(day), f"{chinese_date(day)}前后", english_date(day))


def at_minute(moment: datetime, english_preposition: str, chinese_suffix: str) -> Phrase:
    """A minute of the wall clock, as "at", "after" or "shortly before"."""
    clock = f"{moment:%H:%M}"
    return Phrase(
        english_preposition,
        f"{clock} on {english_date(moment)}",
        f"{chinese_date(moment)}{clock}{chinese_suffix}",
    )


def stretch(words: str, chinese: str, day: date, *, ahead: bool = False) -> Phrase:
    """A stretch up to ``day``, or from it on: "the three months before 8 May 2023"."""
    side = "after" if ahead else "before"
    return Phrase("in", f"the {words} {side} {english_date(day)}", f"{chinese_date(day)}{chinese}")


def month_away(day: date, months: int) -> date:
    """The first day of the month ``months`` after (or before) the month of ``day``."""
    years, month = divmod(day.month - 1 + months, 12)
    return date(day.year + years, month + 1, 1)


def monday(day: date) -> date:
    """The first day of the ISO week that holds ``day``."""
    return day - timedelta(days=day.weekday())


def _period(english: str, chinese: str, english_part: str, chinese_part: str) -> Phrase:
    if english_part:
        return Phrase("at", f"the {english_part} of {english}", chinese + chinese_part, f"{english_part} of {english}")
    return Phrase("in", english, chinese + chinese_part, english)


def _chinese_end(first: date, last: date) -> str:
    if first.year != last.year:
        return chinese_date(last)
    return f"{last.day}日" if first.month == last.month else f"{last.month}月{last.day}日"
