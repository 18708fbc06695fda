"""English dates: "January 2nd, 2019", "1/2/2019", "Friday, March 15th"."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from foundation.lexicon import read_lexicon
from memory.rewriting.timex import calendar
from memory.rewriting.timex.en_words import (
    MONTHS,
    UNITS,
    day_number,
    month,
    ordinal,
    short_year,
    weekday,
    whole,
    year_number,
)
from memory.rewriting.timex.meanings import Meaning, Read, fixed, longest, of_year, yearly
from memory.rewriting.timex.tokens import TokenStream, rule
from memory.rewriting.timex.types import Interval

_WORDS: Final = read_lexicon(__file__, "dates").of("en")

STEPS: Final = _WORDS.numbers("steps")
"""Words such as "last" (-1), "this" (0) and "next" (1), with how many units away from now they point."""

_SEPARATORS: Final = frozenset({"/", "-", "."})

_BEFORE_NUMERIC: Final = frozenset(_WORDS.words("before_numeric"))
"""Words that announce a date, so that "5/12" after one of them is no fraction."""


@rule
def month_and_day(tokens: TokenStream, at: int) -> Read | None:
    """ "January 2nd, 2019", "dec31", "2nd of January", "06 Jan '15", "May 3 (Friday)": with its year or without."""
    found = longest(tokens, at, _month_first, _day_first)
    if found and tokens.word(found[1]) == "(" and (named := weekday(tokens, found[1] + 1)):
        return (found[0], named[1] + 1) if tokens.word(named[1]) == ")" else found
    return found


def _month_first(tokens: TokenStream, at: int) -> Read | None:
    named = month(tokens, at)
    if named is None:
        return None
    day_at = tokens.skip(named[1], "the", "/", "-", ",") if tokens.word(named[1]) != "," else named[1]
    number = day_number(tokens, day_at)
    if number is None or tokens.word(number[1]) in {":", "am", "pm"} or _is_decimal(tokens, number[1]):
        return None
    return _with_year(tokens, named[0], number)


def _day_first(tokens: TokenStream, at: int) -> Read | None:
    number = day_number(tokens, at)
    if number is None:
        return None
    named = month(tokens, tokens.skip(number[1], "of", "-", "/"))
    return _with_year(tokens, named[0], (number[0], named[1])) if named else None


def _is_decimal(tokens: TokenStream, at: int) -> bool:
    return (
        tokens.word(at) == "." and tokens.is_glued(at) and tokens.is_glued(at + 1) and tokens.word(at + 1).isdecimal()
    )


def _with_year(tokens: TokenStream, number: int, found: tuple[int, int]) -> Read:
    """The day with the year that follows, if any does."""
    day_in_month, end = found
    year_at = tokens.skip(tokens.skip(end, ","), "of", "in", "/", "-")
    year = (short_year if year_at != end else year_number)(tokens, year_at)
    if year and tokens.word(year_at - 1) in {"-", "of", "in"} and not _is_year_of_date(tokens, year_at, year[1]):
        year = None

    def in_year(year: int) -> Interval | None:
        return calendar.calendar_day(year, number, day_in_month)

    meaning = yearly(tokens, in_year, is_day=True)
    if year is None and tokens.word(end) in {"this", "of", "next", "last"}:
        step_at = tokens.skip(end, "of")
        if tokens.word(step_at) in STEPS and tokens.word(step_at + 1) == "year":
            return of_year(meaning, tokens.now.year + STEPS[tokens.word(step_at)], is_relative=True), step_at + 2
    return (of_year(meaning, year[0]), year[1]) if year else (meaning, end)


def _is_year_of_date(tokens: TokenStream, at: int, end: int) -> bool:
    """ "3 May-2019" has a year; "3 May-20:15" and "3 May-20 June" have none."""
    return len(tokens.word(at)) != 2 or tokens.word(at - 1) == "of" or tokens.word(end) not in {":", "am", "pm"}


@rule
def named_day(tokens: TokenStream, at: int) -> Read | None:
    """A month and a day, after "the" or not."""
    return month_and_day(tokens, tokens.skip(at, "the"))


@rule
def with_weekday(tokens: TokenStream, at: int) -> Read | None:
    """A weekday before its date: "Friday, March 15th", "this Friday 5/12", "Mon 13th"."""
    start = at + (tokens.word(at) in STEPS)
    named = weekday(tokens, start)
    if named is None:
        return None
    date_at = tokens.skip(tokens.skip(named[1], ","), "the")
    found = longest(tokens, date_at, month_and_day, numeric_day, month_and_day_numeric)
    if found is None or (tokens.word(date_at + 1) == "-" and not _falls_on(found[0], named[0])):
        return _weekday_and_number(tokens, named[0], date_at)
    meaning, end = found
    if start > at and meaning.in_year:
        return of_year(meaning, tokens.now.year, is_relative=True), end
    return found


def _falls_on(meaning: Meaning, wanted: int) -> bool:
    """Whether a date is that weekday: "Friday 7-6" may be the sixth of July, "Monday 11-4" are hours."""
    return any(found.start and found.start.weekday() == wanted for found in meaning.intervals)


def _weekday_and_number(tokens: TokenStream, wanted: int, at: int) -> Read | None:
    number = ordinal(tokens, at) or _late_number(tokens, at)
    if number is None or tokens.word(number[1]) in {"of", "week"}:
        return None
    months = [calendar.month_stretch(tokens.now.year, tokens.now.month + away) for away in range(-60, 61)]
    days = [calendar.calendar_day(m.start.year, m.start.month, number[0]) for m in months if m and m.start]
    fitting = [found for found in days if found and found.start and found.start.weekday() == wanted]
    over = [found for found in fitting if calendar.is_over(found, tokens.now, is_day=True)]
    return fixed("date", *over[-1:], *fitting[len(over) : len(over) + 1]), number[1]


def _late_number(tokens: TokenStream, at: int) -> tuple[int, int] | None:
    """The 13 of "Friday 13": a smaller one may be an hour."""
    number = whole(tokens, at)
    is_day = number and 12 < number[0] <= 31 and tokens.word(number[1]) not in {":", "am", "pm", "-", "/", "."}
    return number if is_day else None


@rule
def numeric_day(tokens: TokenStream, at: int) -> Read | None:
    """ "2019-01-02", "1/2/2019", "2019/aug/01", "23-2020-September"; without a year after "on" and its like."""
    parts = _numeric_parts(tokens, at)
    if len(parts) == 3:
        return _three_parts(tokens, parts, at + 5)
    if len(parts) == 2 and (tokens.word(at - 1) in _BEFORE_NUMERIC or _is_date_like(tokens, at)):
        return month_and_day_numeric(tokens, at)
    return None


def _is_date_like(tokens: TokenStream, at: int) -> bool:
    """Whether "4/23" may be a date where nothing announces it: no fraction of a unit, and not "24/7"."""
    if tokens.word(at + 1) != "/" or tokens.word(at - 1) in {".", "/", ":", "-", "$"}:
        return False
    return (tokens.word(at), tokens.word(at + 2)) != ("24", "7") and tokens.word(at + 3) not in {
        "of",
        "/",
        "cup",
        "%",
        *UNITS,
    }


def _numeric_parts(tokens: TokenStream, at: int) -> list[str]:
    """Three parts, or two, with the same sign between them and no space."""
    parts, sign = [tokens.word(at)], tokens.word(at + 1)
    place = at
    while len(parts) < 3 and tokens.word(place + 1) == sign and sign in _SEPARATORS:
        if not (tokens.is_glued(place + 1) and tokens.is_glued(place + 2)):
            break
        parts.append(tokens.word(place + 2))
        place += 2
    return parts if all(part.isdecimal() or month(tokens, at + 2 * n) for n, part in enumerate(parts)) else []


def _three_parts(tokens: TokenStream, parts: list[str], end: int) -> Read | None:
    years = [place for place, part in enumerate(parts) if len(part) == 4]
    named = [place for place in range(3) if not parts[place].isdecimal()]
    if not years and len(parts[2]) == 2 and parts[2].isdecimal() and tokens.word(end - 2) != ".":
        years, parts = [2], [*parts[:2], str((1900 if int(parts[2]) > 50 else 2000) + int(parts[2]))]
    if len(years) != 1 or len(named) > 1:
        return None
    year = int(parts[years[0]])
    rest = [(place, part) for place, part in enumerate(parts) if place != years[0]]
    if named:
        numbers = [MONTHS[parts[named[0]]], *(int(part) for place, part in rest if place != named[0])]
        return fixed("date", calendar.calendar_day(year, numbers[0], numbers[1]), is_relative=False), end
    (_, first), (_, second) = rest
    return _either_order(year, int(first), int(second), end)


def _either_order(year: int, first: int, second: int, end: int) -> Read | None:
    """Month before day, as is written in America; the other way where there is no such day."""
    found = calendar.calendar_day(year, first, second)
    is_open = first <= 12 and second <= 12 and first != second
    other = None if found else calendar.calendar_day(year, second, first)
    return fixed("date", found, other, is_relative=False, is_open=is_open), end


@rule
def month_and_day_numeric(tokens: TokenStream, at: int) -> Read | None:
    """ "5/12", "22/04", "7-6", "5.12"."""
    parts = _numeric_parts(tokens, at)
    if len(parts) != 2 or not all(part.isdecimal() and len(part) <= 2 for part in parts):
        return None
    first, second = int(parts[0]), int(parts[1])
    numbers = (first, second) if first <= 12 else (second, first)
    if not (1 <= numbers[0] <= 12 and 1 <= numbers[1] <= 31):
        return None
    meaning = yearly(tokens, lambda year: calendar.calendar_day(year, *numbers), is_day=True)
    end = at + 3
    year = year_number(tokens, tokens.skip(end, ","))
    meaning = replace(meaning, is_open=first <= 12 and second <= 12)
    return (of_year(meaning, year[0]), year[1]) if year and tokens.word(end) == "," else (meaning, end)
