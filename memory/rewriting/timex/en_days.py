"""English days: weekdays, days of a month, and days counted from now."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Final

from foundation.lexicon import read_lexicon
from memory.rewriting.timex import calendar
from memory.rewriting.timex.en_dates import STEPS, named_day, numeric_day, with_weekday
from memory.rewriting.timex.en_feasts import feast
from memory.rewriting.timex.en_words import (
    is_a_name,
    month,
    ordinal,
    short_year,
    weekday,
    whole,
    year_number,
)
from memory.rewriting.timex.meanings import (
    Meaning,
    Read,
    fixed,
    longest,
    of_year,
    weekly,
    yearly,
)
from memory.rewriting.timex.tokens import TokenStream, rule
from memory.rewriting.timex.types import Interval, Kind

_WORDS: Final = read_lexicon(__file__, "days").of("en")

PARTS_WITHIN: Final = _WORDS.words("parts_within")

_TODAY: Final = _WORDS.numbers("today")

_PHRASES: Final = _WORDS.numbers("phrases")
"""Phrases such as "day after tomorrow", with their distance from today in days; ``_TODAY`` has single words."""

_OPEN_DAYS: Final = _WORDS.numbers("open_days")
"""The same for phrases that may count from another day than today: "the next day"."""

_NO_OPEN_DAY: Final = frozenset(_WORDS.words("no_open_day"))
"""Words after "the day after" that say after what: it does not count from today then."""


@rule
def simple_day(tokens: TokenStream, at: int) -> Read | None:
    """A day that is not counted from another."""
    return longest(
        tokens, at, named_day, with_weekday, numeric_day, plain_weekday, relative_weekday, weekday_of_week,
        weekday_of_month, day_of_month, feast, spoken_day,
    )  # fmt: skip


@rule
def plain_weekday(tokens: TokenStream, at: int) -> Read | None:
    """ "Friday": the last and the next one. "Fridays" is a recurrence and not read here."""
    named = weekday(tokens, tokens.skip(at, "the"))
    if named is None or not is_a_name(tokens, named[1] - 1) or tokens.word(named[1] - 1).endswith("days"):
        return None
    return weekly(tokens, named[0]), named[1]


@rule
def relative_weekday(tokens: TokenStream, at: int) -> Read | None:
    """ "Next Friday" is that of the next week, "last Friday" the latest, "previous Friday" that of the week before."""
    start = tokens.skip(at, "the")
    two = tokens.word(start) in {"this", "the"} and tokens.word(start + 1) in {"past", "coming", "upcoming"}
    which_at = start + two
    named = weekday(tokens, which_at + 1)
    if named is None or tokens.word(which_at) not in STEPS:
        return None
    which, wanted = tokens.word(which_at), named[0]
    if which in {"last", "past"}:
        back = (tokens.now.weekday() - wanted - 1) % 7 + 1
        is_open = wanted < tokens.now.weekday()  # on a Thursday "last Monday" is this week's, or that of the last week
        return fixed("date", calendar.on_day((tokens.now - timedelta(days=back)).date()), is_open=is_open), named[1]
    if which in {"coming", "upcoming", "following"}:
        ahead = (wanted - tokens.now.weekday() - 1) % 7 + 1
        return fixed("date", calendar.on_day((tokens.now + timedelta(days=ahead)).date())), named[1]
    is_open = which == "previous" and wanted < tokens.now.weekday()
    return fixed("date", calendar.weekday_of(tokens.now, wanted, STEPS[which]), is_open=is_open), named[1]


@rule
def weekday_of_week(tokens: TokenStream, at: int) -> Read | None:
    """ "Next week on Tuesday", "next week Wednesday", "Tuesday of next week", "Friday next week"."""
    if tokens.word(at) in STEPS and tokens.word(at + 1) == "week":
        day_at = tokens.after_any(at + 2, ("' s", "’ s")) or tokens.skip(tokens.skip(at + 2, ","), "on")
        named = weekday(tokens, day_at)
        return (_in_week(tokens, named[0], STEPS[tokens.word(at)]), named[1]) if named else None
    named = weekday(tokens, tokens.skip(at, "on", "the"))
    if named is None:
        return None
    week_at = tokens.skip(tokens.skip(named[1], "of", "in", ","), "the")
    if tokens.word(week_at) in STEPS and tokens.word(week_at + 1) == "week":
        return _in_week(tokens, named[0], STEPS[tokens.word(week_at)]), week_at + 2
    return None


def _in_week(tokens: TokenStream, wanted: int, weeks: int) -> Meaning:
    return fixed("date", calendar.weekday_of(tokens.now, wanted, weeks))


@rule
def weekday_of_month(tokens: TokenStream, at: int) -> Read | None:
    """ "The first Monday of next month", "the last Friday in June 2020"."""
    start = tokens.skip(at, "the")
    nth = (-1, start + 1) if tokens.word(start) == "last" else ordinal(tokens, start)
    named = weekday(tokens, nth[1]) if nth else None
    if nth is None or named is None:
        return None
    named = named[0], tokens.skip(named[1], *PARTS_WITHIN)
    if tokens.word(named[1]) not in {"of", "in"}:
        return None
    return nth_of_month(tokens, named[1] + 1, lambda year, number: calendar.nth_weekday(year, number, named[0], nth[0]))


def nth_of_month(
    tokens: TokenStream, at: int, of: Callable[[int, int], Interval | None], *, is_day: bool = True
) -> Read | None:
    """What ``of(year, month)`` gives for the month that is named there: "May", "May 2019", "next month"."""
    kind: Kind = "date" if is_day else "range"
    start = tokens.skip(at, "the")
    if (tokens.word(start + 1) == "month" and tokens.word(start) in STEPS) or tokens.word(start) == "month":
        away = STEPS.get(tokens.word(start), 0)
        first = calendar.month_stretch(tokens.now.year, tokens.now.month + away)
        found = of(first.start.year, first.start.month) if first and first.start else None
        return fixed(kind, found), start + 1 + (tokens.word(start) != "month")
    named = month(tokens, start)
    if named is None:
        return None
    year = short_year(tokens, tokens.skip(tokens.skip(named[1], ","), "of", "in"))
    year = year_number(tokens, named[1]) if year and tokens.word(named[1]) not in {"of", "in", ","} else year
    meaning = replace(yearly(tokens, lambda year: of(year, named[0]), is_day=is_day), kind=kind)
    return (of_year(meaning, year[0]), year[1]) if year else (meaning, named[1])


@rule
def day_of_month(tokens: TokenStream, at: int) -> Read | None:
    """ "The 15th day of next month", "the 21st of the month", "on 29th"."""
    start = tokens.skip(at, "the")
    if (of_last := tokens.after_any(start, ("last day of", "last day in"))) is not None:
        return _last_day(tokens, of_last)
    if tokens.word(at) in STEPS and tokens.word(at + 1) == "month":
        return _day_of_named_month(tokens, at)
    number = ordinal(tokens, start) or _number_before_clock(tokens, start)
    if number is None or not 1 <= number[0] <= 31:
        return None
    of_at = tokens.skip(number[1], "day")
    if tokens.word(of_at) in STEPS and tokens.word(of_at + 1) == "month":
        return nth_of_month(tokens, of_at, lambda year, named: calendar.calendar_day(year, named, number[0]))
    if tokens.word(of_at) == "of":
        month_at = tokens.skip(of_at + 1, "the")
        if tokens.word(month_at) == "month" or tokens.word(month_at + 1) == "month":
            return nth_of_month(tokens, of_at + 1, lambda year, named: calendar.calendar_day(year, named, number[0]))
    if tokens.word(at - 1) in {"on", "of"} and tokens.word(number[1]) not in {"floor", "street", "avenue", "place"}:
        return monthly(tokens, number[0]), number[1]
    return None


def _number_before_clock(tokens: TokenStream, at: int) -> tuple[int, int] | None:
    """The 15 of "on 15 at 8:00"."""
    number = whole(tokens, at)
    is_dated = number and tokens.word(number[1]) == "at" and tokens.word(number[1] + 1).isdecimal()
    return number if is_dated and "on" in {tokens.word(at - 1), tokens.word(at - 2)} else None


def _last_day(tokens: TokenStream, at: int) -> Read | None:
    """ "The last day of next month", "of May 2019", "of the year"."""

    def of(year: int, number: int) -> Interval | None:
        found = calendar.month_stretch(year, number)
        return calendar.on_day((found.end - timedelta(days=1)).date()) if found and found.end else None

    year = year_number(tokens, at)
    if year:
        return fixed("date", calendar.calendar_day(year[0], 12, 31), is_relative=False), year[1]
    step_at = at if tokens.word(at) in STEPS else tokens.skip(at, "the")
    if tokens.word(step_at + (tokens.word(step_at) in STEPS)) == "year":
        step = STEPS.get(tokens.word(step_at), 0)
        end = step_at + 1 + (tokens.word(step_at) in STEPS)
        return fixed("date", calendar.calendar_day(tokens.now.year + step, 12, 31)), end
    return nth_of_month(tokens, at, of)


def _day_of_named_month(tokens: TokenStream, at: int) -> Read | None:
    """ "Next month on the 4th"."""
    number = ordinal(tokens, tokens.skip(tokens.skip(tokens.skip(at + 2, ","), "on"), "the"))
    if number is None or not 1 <= number[0] <= 31:
        return None
    first = calendar.month_stretch(tokens.now.year, tokens.now.month + STEPS[tokens.word(at)])
    if first is None or first.start is None:
        return None
    return fixed("date", calendar.calendar_day(first.start.year, first.start.month, number[0])), number[1]


def monthly(tokens: TokenStream, number: int) -> Meaning:
    """The last and the next such day of a month: this month's and, where that is over, the next month's."""
    months = [calendar.month_stretch(tokens.now.year, tokens.now.month + away) for away in range(-3, 4)]
    found = [calendar.calendar_day(m.start.year, m.start.month, number) for m in months if m and m.start]
    days = [item for item in found if item]
    over = [item for item in days if calendar.is_over(item, tokens.now, is_day=True)]
    return fixed("date", *over[-1:], *days[len(over) : len(over) + 1])


SPOKEN_DAYS: Final = frozenset({*_TODAY, *(phrase.split()[0] for phrase in _PHRASES)})


@rule
def spoken_day(tokens: TokenStream, at: int) -> Read | None:
    """ "Today", "the day before yesterday", "next day", "the day after".

    The last two are open: they may count from a day that the conversation spoke of.
    """
    start = tokens.skip(at, "the")
    for phrase, offset in _PHRASES.items():
        if (end := tokens.after(start, phrase)) is not None:
            return _days_away(tokens, offset), end
    if tokens.word(at) in _TODAY:
        return _days_away(tokens, _TODAY[tokens.word(at)]), at + 1
    for phrase, offset in _OPEN_DAYS.items():
        end = tokens.after(at, phrase)
        if end is not None and tokens.word(end) not in _NO_OPEN_DAY:
            return replace(_days_away(tokens, offset), is_open=True), end
    return None


def _days_away(tokens: TokenStream, offset: int) -> Meaning:
    return fixed("date", calendar.on_day((tokens.now + timedelta(days=offset)).date()))
