"""English periods of the calendar: months, years, quarters, weeks, seasons."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from foundation.lexicon import read_lexicon
from memory.rewriting.timex import calendar
from memory.rewriting.timex.en_dates import STEPS
from memory.rewriting.timex.en_days import nth_of_month
from memory.rewriting.timex.en_decades import BEFORE_A_YEAR, century, decade
from memory.rewriting.timex.en_words import (
    is_a_name,
    month,
    ordinal,
    short_year,
    unit,
    whole,
    year_number,
)
from memory.rewriting.timex.meanings import Meaning, Read, fixed, longest, of_year, yearly
from memory.rewriting.timex.tokens import TokenStream, rule
from memory.rewriting.timex.types import Interval

_WORDS: Final = read_lexicon(__file__, "periods").of("en")

SEASONS: Final = frozenset(_WORDS.words("seasons"))


_QUARTERS_OF: Final = _WORDS.read("quarters_of", dict[str, tuple[int, int]])
"""Names of parts of a year, each with its months and how many of it a year has: "quarter", "half"."""


@rule
def plain_stretch(tokens: TokenStream, at: int) -> Read | None:
    """A stretch without a part of it being named."""
    return longest(
        tokens, at, month_of_year, relative_month, year, decade, century, quarter, relative_unit, nth_week, season,
    )  # fmt: skip


@rule
def month_of_year(tokens: TokenStream, at: int) -> Read | None:
    """ "May", "June of 1992", "Sep 2019", "Dec/2018", "12-2015", "2015-12"."""
    led = tokens.after_any(at, ("the month of", "month of"))
    named = month(tokens, led if led is not None else tokens.skip(at, "the"))
    if named is None:
        return _numeric_month(tokens, at)
    number, end = named
    year_at = tokens.skip(tokens.skip(end, ",", "/", "-"), "of", "in")
    found = (short_year if tokens.word(year_at - 1) == "of" or tokens.word(year_at) in {"'", "’"} else year_number)(
        tokens, year_at
    )
    meaning = yearly(tokens, lambda year: calendar.month_stretch(year, number), is_day=False, grain="month")
    if found:
        return of_year(meaning, found[0]), found[1]
    step_at = tokens.skip(end, "of")
    if tokens.word(step_at) in STEPS and tokens.word(step_at + 1) == "year":
        return of_year(meaning, tokens.now.year + STEPS[tokens.word(step_at)], is_relative=True), step_at + 2
    return (meaning, end) if is_a_name(tokens, end - 1) else None


def _numeric_month(tokens: TokenStream, at: int) -> Read | None:
    first, sign, second = (tokens.word(at + place) for place in range(3))
    is_one = tokens.is_glued(at + 1) and tokens.is_glued(at + 2) and first.isdecimal() and second.isdecimal()
    if sign not in {"-", "/"} or not is_one or {len(first), len(second)} not in ({4, 2}, {4, 1}):
        return None
    if tokens.word(at + 3) in {"-", "/"} and tokens.is_glued(at + 3) and tokens.is_glued(at + 4):
        return None
    year_written, number = sorted((first, second), key=len, reverse=True)
    found = calendar.month_stretch(int(year_written), int(number)) if 1 <= int(number) <= 12 else None
    return (fixed("range", found, grain="month", is_relative=False), at + 3) if found else None


@rule
def relative_month(tokens: TokenStream, at: int) -> Read | None:
    """ "Last May", "this August", "next December"."""
    named = month(tokens, at + 1)
    step = STEPS.get(tokens.word(at))
    if tokens.word(at) == "this" and tokens.word(at + 1) in {"may", "march"} and not tokens.is_capital(at + 1):
        return None
    if named is None or step is None or year_number(tokens, named[1]) or ordinal(tokens, named[1]):
        return None
    meaning = yearly(tokens, lambda year: calendar.month_stretch(year, named[0]), is_day=False, grain="month")
    if step == 0:
        return of_year(meaning, tokens.now.year, is_relative=True), named[1]
    found = meaning.intervals[:1] if step < 0 else meaning.intervals[-1:]
    is_open = step > 0 and named[0] > tokens.now.month  # in March "next May" is this year's, or that of the next year
    return replace(meaning, intervals=found, in_year=None, is_open=is_open), named[1]


@rule
def year(tokens: TokenStream, at: int) -> Read | None:
    """ "2019", "the year of 2008", "calendar year 2008"; a school year has no dates of its own."""
    start = tokens.skip(at, "the")
    is_school = tokens.word(start) in {"school", "fiscal", "academic", "financial"} and tokens.word(start + 1) == "year"
    year_at = tokens.after_any(start, ("calendar year", "school year", "fiscal year", "academic year", "year")) or start
    found = year_number(tokens, tokens.skip(year_at, "of") if year_at > start else year_at)
    if found is None:
        return None
    if is_school:
        return Meaning("range", is_open=True), found[1]
    if year_at == start and not _is_surely_a_year(tokens, at, found[1]):
        return None
    return fixed("range", calendar.year_stretch(found[0]), grain="year", is_relative=False), found[1]


def _is_surely_a_year(tokens: TokenStream, at: int, end: int) -> bool:
    """A bare figure counts things where a noun follows it: "2000 pieces"."""
    after = tokens.word(end)
    if tokens.word(at - 1) in BEFORE_A_YEAR:
        return not (
            after.isalpha() and after.endswith("s") and after not in {"is", "was", "has", "s"} and len(after) > 3
        )
    return not after.isalpha() or after in {"q", "is", "was", "and", "or", "to", "through", "till", "until", "s"}


@rule
def quarter(tokens: TokenStream, at: int) -> Read | None:
    """ "Q1 2019", "2019 q1", "the first quarter of 2013", "H1 of this year", "the second half of next year"."""
    leading = year_number(tokens, at)
    start = tokens.skip(leading[1], "-", ",") if leading else tokens.skip(at, "the")
    found = _part_of_year(tokens, start)
    if found is None:
        return None
    (months, number), end = found
    meaning = yearly(
        tokens, lambda year: calendar.month_stretch(year, months * (number - 1) + 1, months), is_day=False,
        grain="quarter" if months == 3 else "month",
    )  # fmt: skip
    if leading:
        return of_year(meaning, leading[0]), end
    year_at = tokens.skip(tokens.skip(end, ",", "-"), "of", "in")
    step_at = tokens.skip(year_at, "the")
    if tokens.word(step_at) in STEPS and tokens.word(step_at + 1) == "year":
        return of_year(meaning, tokens.now.year + STEPS[tokens.word(step_at)], is_relative=True), step_at + 2
    trailing = short_year(tokens, year_at) if tokens.word(year_at) in {"'", "’"} else year_number(tokens, year_at)
    return (of_year(meaning, trailing[0]), trailing[1]) if trailing else (meaning, end)


def _part_of_year(tokens: TokenStream, at: int) -> tuple[tuple[int, int], int] | None:
    """The length in months and the number of a part of a year: (3, 2) for "Q2", (6, 1) for "H1"."""
    word = tokens.word(at)
    if word in {"q", "h"} and tokens.is_glued(at + 1) and tokens.word(at + 1).isdecimal():
        months = 3 if word == "q" else 6
        is_part = 1 <= int(tokens.word(at + 1)[:3]) <= 12 // months
        return ((months, int(tokens.word(at + 1))), at + 2) if is_part else None
    if word.isdecimal() and tokens.word(at + 1) in {"q", "h"} and tokens.is_glued(at + 1) and len(word) == 1:
        months = 3 if tokens.word(at + 1) == "q" else 6
        return ((months, int(word)), at + 2) if 1 <= int(word) <= 12 // months else None
    nth = ordinal(tokens, at)
    if nth is None or tokens.word(nth[1]) not in _QUARTERS_OF:
        return None
    months, most = _QUARTERS_OF[tokens.word(nth[1])]
    return ((months, nth[0]), nth[1] + 1) if nth[0] <= most else None


@rule
def relative_unit(tokens: TokenStream, at: int) -> Read | None:
    """ "Next week", "this calendar year", "the week before last", "the fortnight", "the weekend after next"."""
    start = tokens.skip(at, "the")
    beyond = _beyond(tokens, start)
    if beyond:
        return beyond
    step = STEPS.get(tokens.word(start))
    if step is None:
        return _unit_at_hand(tokens, at, start)
    name_at = tokens.skip(start + 1, "calendar")
    found = unit(tokens, name_at)
    if found is None or tokens.word(name_at).endswith("s") or found[0][1] in {"second", "minute", "hour", "day"}:
        return None
    (times, name), end = found
    is_open = times > 1 or tokens.word(start) in {"past", "recent", "coming", "upcoming", "following"}
    step = 0 if name == "weekend" and tokens.word(start) in {"coming", "upcoming"} else step
    return fixed("range", period_away(tokens.now, name, times, step), grain=calendar.GRAINS[name], is_open=is_open), end


def _beyond(tokens: TokenStream, at: int) -> Read | None:
    found = unit(tokens, at)
    end = tokens.after_any(found[1], ("before last", "after next")) if found else None
    if found is None or end is None or found[0][1] in {"second", "minute", "hour", "day"}:
        return None
    step = -2 if tokens.word(end - 1) == "last" else 2
    return fixed(
        "range", period_away(tokens.now, found[0][1], found[0][0], step), grain=calendar.GRAINS[found[0][1]]
    ), end


def _unit_at_hand(tokens: TokenStream, at: int, start: int) -> Read | None:
    """ "The fortnight", "the week": the one at hand, where nothing says which."""
    found = unit(tokens, start)
    if start == at or found is None or tokens.word(start) not in {"fortnight", "week", "month", "year", "weekend"}:
        return None
    if tokens.word(found[1]) in {"of", "before", "after", "that", "in", "when", "i", "we", "he", "she", "they"}:
        return None
    (times, name), end = found
    return fixed("range", period_away(tokens.now, name, times, 0), grain=calendar.GRAINS[name], is_open=True), end


def period_away(now: datetime, name: str, times: int, step: int) -> Interval | None:
    """The week, weekend, month, quarter or year that holds now (``step`` 0), or the one that many steps away.

    ``times`` is how many units one step spans: 2 weeks for a fortnight.
    """
    if name == "week":
        first = now + timedelta(weeks=times * step)
        return calendar.week_stretch(first.date(), times)
    if name == "weekend":
        return calendar.weekend_stretch((now + timedelta(weeks=step)).date())
    if name == "year":
        first_year = now.year // times * times if times > 1 else now.year
        return calendar.year_stretch(first_year + times * step, times)
    months = {"month": 1, "quarter": 3}[name]
    return calendar.month_stretch(now.year, (now.month - 1) // months * months + 1 + months * step, months)


@rule
def nth_week(tokens: TokenStream, at: int) -> Read | None:
    """ "The first week of 2019", "3rd week of Jan", "the last week of next month", "the third month of 2021"."""
    start = tokens.skip(at, "the")
    if tokens.word(start) == "week" and (number := whole(tokens, start + 1)) and number[0] <= 53:
        of_year_at = year_number(tokens, tokens.skip(tokens.skip(number[1], ","), "of", "in"))
        year_at = of_year_at or (tokens.now.year, number[1])
        return fixed("range", calendar.iso_week(year_at[0], number[0]), grain="week", is_open=True), year_at[1]
    nth = (-1, start + 1) if tokens.word(start) == "last" else ordinal(tokens, start)
    if nth is None or tokens.word(nth[1]) not in {"week", "month"} or tokens.word(nth[1] + 1) not in {"of", "in"}:
        return None
    of_at = nth[1] + 2
    whole_year = year_number(tokens, tokens.after_any(of_at, ("the year", "year")) or of_at)
    if whole_year:
        found = _nth_of_year(whole_year[0], nth[0], tokens.word(nth[1]))
        return fixed("range", found, is_relative=False, is_open=True), whole_year[1]
    if tokens.word(of_at) in STEPS and tokens.word(of_at + 1) == "year":
        found = _nth_of_year(tokens.now.year + STEPS[tokens.word(of_at)], nth[0], tokens.word(nth[1]))
        return fixed("range", found, grain="week", is_open=True), of_at + 2
    if tokens.word(nth[1]) == "month":
        return None
    return nth_of_month(tokens, of_at, lambda year, number: _week_of_month(year, number, nth[0]), is_day=False)


def _nth_of_year(year: int, nth: int, name: str) -> Interval | None:
    if name == "month":
        return calendar.month_stretch(year, 12 if nth < 0 else nth) if nth <= 12 else None
    return calendar.iso_week(year + 1, 0) if nth < 0 else calendar.iso_week(year, nth)


def _week_of_month(year: int, number: int, nth: int) -> Interval | None:
    if nth > 0:
        return calendar.iso_week(year, nth, number)
    following = calendar.month_stretch(year, number + 1)
    return calendar.iso_week(following.start.year, 0, following.start.month) if following and following.start else None


@rule
def season(tokens: TokenStream, at: int) -> Read | None:
    """A season has no dates of its own."""
    start = at + (tokens.word(at) in STEPS or tokens.word(at) == "the")
    word = tokens.word(start)
    is_named = word in {"summer", "winter", "autumn"} or start > at or tokens.word(at - 1) in {"in", "of", "since"}
    if word not in SEASONS or not is_named:
        return None
    found = year_number(tokens, tokens.skip(start + 1, "of", ","))
    return Meaning("range", is_open=True), found[1] if found else start + 1
