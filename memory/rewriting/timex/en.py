"""Reads any English expression of time: days, stretches from one time to another, open ones, lengths, recurrences.

Every rule takes the index of a token and returns a ``Read``, which is the meaning of the words that begin there and the
index of the token after them, or None where it does not apply.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from foundation.lexicon import read_lexicon
from memory.rewriting.timex.calendar import calendar_day, month_stretch, on_day, year_stretch
from memory.rewriting.timex.en_clock import (
    PARTS,
    clock_stretch,
    exact_clock,
    is_surely_of_clock,
    part_of_day,
)
from memory.rewriting.timex.en_counted_days import day
from memory.rewriting.timex.en_dates import STEPS, month_and_day_numeric
from memory.rewriting.timex.en_days import SPOKEN_DAYS
from memory.rewriting.timex.en_feasts import FEAST_OPENINGS
from memory.rewriting.timex.en_habits import SET_LEADS, SETS, habit
from memory.rewriting.timex.en_moments import MODIFIERS, MODIFYING, dated_clock
from memory.rewriting.timex.en_periods import SEASONS, plain_stretch
from memory.rewriting.timex.en_stretches import edge_of_stretch, stretch
from memory.rewriting.timex.en_words import (
    MONTHS,
    NUMBERS,
    ORDINALS,
    WEEKDAYS,
    day_number,
    length,
    month,
    year_number,
)
from memory.rewriting.timex.meanings import Meaning, Read, fixed, longest, of_year, opened, stretch_between, yearly
from memory.rewriting.timex.tokens import TokenStream, rule
from memory.rewriting.timex.types import Interval

_WORDS: Final = read_lexicon(__file__, "expressions").of("en")

_TRAILING: Final[tuple[tuple[str, str], ...]] = (
    ("and greater", "since"), ("and later", "since"), ("or later", "since"), ("or after", "since"),
    ("or above", "since"),
    ("or earlier", "until"), ("or before", "until"), ("and earlier", "until"), ("and onwards", "since"),
    ("onwards", "since"), ("onward", "since"), ("or newer", "since"), ("or greater", "since"),
)  # fmt: skip

_JOINS: Final = frozenset(_WORDS.words("joins"))


OPENINGS: Final = frozenset(
    {
        *MONTHS, *WEEKDAYS, *NUMBERS, *ORDINALS, *STEPS, *FEAST_OPENINGS, *PARTS, *SETS, *SET_LEADS, *MODIFYING,
        *SEASONS,
        *SPOKEN_DAYS,
        "the", "a", "an", "half", "quarter", "few", "some", "several", "couple", "all", "whole", "entire", "another",
        "in",
        "from", "between", "during", "at", "around", "about", "approximately", "exactly", "on", "day", "night",
        "tonight",
        "tonite", "early", "late", "later", "earlier", "mid", "middle", "end", "beginning", "start", "eoy", "eom",
        "eod", "rest",
        "week", "weekend", "month", "fortnight", "year", "calendar", "school", "fiscal", "academic", "financial",
        "within",
        "less", "more", "for", "w", "q", "h", "noon", "midday", "midnight", "now", "right", "as", "asap",
        "immediately", "once",
        "twice", "times", "nighttime", "morning", "afternoon", "evening", "remainder", "balance", "@", "'", "’",
        "thousand",
    }
)  # fmt: skip
"""The words that an expression may begin with; it may also begin with a figure."""


def expression(tokens: TokenStream, at: int) -> Read | None:
    """The longest expression of time that begins there."""
    return longest(
        tokens, at, habit, days_between, modified, dated_clock, bare_clock, lone, duration, present,
    )  # fmt: skip


@rule
def lone(tokens: TokenStream, at: int) -> Read | None:
    """A day or a stretch of days, by itself."""
    return longest(tokens, at, day, stretch)


@rule
def duration(tokens: TokenStream, at: int) -> Read | None:
    """A length of time."""
    found = length(tokens, at)
    if found is None:
        return None
    return Meaning("duration", length=found[0], is_relative=False, is_open=found[0].is_vague), found[1]


@rule
def present(tokens: TokenStream, at: int) -> Read | None:
    """ "Now"."""
    end = tokens.after_any(at, ("right now", "as soon as possible", "asap", "right away", "immediately", "now"))
    if end is None:
        return None
    return fixed("datetime", Interval(tokens.now, tokens.now), is_open=True, grain="minute"), end


@rule
def point(tokens: TokenStream, at: int) -> Read | None:
    """What a stretch may begin or end with: a day, a stretch, a day with a time of the clock, or "now"."""
    return longest(tokens, at, _present_day, edge_of_stretch, plain_stretch, day, day_with_clock)


def _present_day(tokens: TokenStream, at: int) -> Read | None:
    end = tokens.after_any(at, ("now", "the present", "present"))
    return (fixed("date", on_day(tokens.now.date())), end) if end is not None else None


@rule
def day_with_clock(tokens: TokenStream, at: int) -> Read | None:
    """A day and a minute of it, in either order."""
    found = dated_clock(tokens, at)
    return found if found and found[0].kind == "datetime" else None


@rule
def days_between(tokens: TokenStream, at: int) -> Read | None:
    """ "From May to October 2020", "between now and November 15th", "November 19-20", "2014~2018"."""
    lead = tokens.word(at) if tokens.word(at) in {"from", "between", "in", "during"} else ""
    start = at + bool(lead)
    joins = _JOINS | {"and"} if lead == "between" else _JOINS
    return longest(
        tokens, start,
        lambda tokens, place: _same_month(tokens, place, joins),
        lambda tokens, place: _two_points(tokens, place, joins, is_led=bool(lead)),
        lambda tokens, place: _numbers_of_month(tokens, place, joins),
    )  # fmt: skip


def _two_points(tokens: TokenStream, at: int, joins: frozenset[str], *, is_led: bool) -> Read | None:
    first = _endpoint(tokens, at, is_led=is_led)
    if first is None or tokens.word(first[1]) not in joins:
        return None
    last = _endpoint(tokens, tokens.skip(first[1] + 1, "from"), is_led=True)
    if last is None:
        return _to_a_day(tokens, first[0], first[1] + 1)
    beginning, ending = first[0], last[0]
    if tokens.word(at) in {"now", "today"} and ending.in_year:  # a stretch from now on ends at the next occurrence
        ending = replace(ending, intervals=ending.intervals[-1:], in_year=None)
    made = stretch_between(beginning, ending, tokens.now)
    return (made, last[1]) if made else None


def _endpoint(tokens: TokenStream, at: int, *, is_led: bool) -> Read | None:
    rules = (point, month_and_day_numeric, _year_endpoint) if is_led else (point, _numeric_alone, _year_endpoint)
    return longest(tokens, at, *rules)


def _numeric_alone(tokens: TokenStream, at: int) -> Read | None:
    """A month and a day in figures, only with a slash: the "10/1" of "10/1-11/2/2017"."""
    return month_and_day_numeric(tokens, at) if tokens.word(at + 1) == "/" else None


def _year_endpoint(tokens: TokenStream, at: int) -> Read | None:
    found = year_number(tokens, at)
    return (fixed("range", year_stretch(found[0]), grain="year", is_relative=False), found[1]) if found else None


def _to_a_day(tokens: TokenStream, first: Meaning, at: int) -> Read | None:
    """ "From April the ninth till the seventeenth": the next day of that number."""
    number = day_number(tokens, at)
    if (
        number is None
        or first.kind != "date"
        or not first.in_year
        or (tokens.word(at).isdecimal() and number[1] == at + 1)  # "till 17": no day without "the" or "th"
    ):
        return None

    def ending(interval: Interval) -> Interval | None:
        assert interval.start
        for later in (0, 1):
            around = month_stretch(interval.start.year, interval.start.month + later)
            found = calendar_day(around.start.year, around.start.month, number[0]) if around and around.start else None
            if found and found.start and found.start >= interval.start:
                return Interval(interval.start, found.start)
        return None

    return fixed("range", *(made for item in first.intervals if (made := ending(item)))), number[1]


def _same_month(tokens: TokenStream, at: int, joins: frozenset[str]) -> Read | None:
    """ "November 19-20", "May 3rd to 5th, 2019"."""
    named = month(tokens, at)
    first = day_number(tokens, named[1]) if named else None
    if named is None or first is None or tokens.word(first[1]) not in joins:
        return None
    last = day_number(tokens, first[1] + 1)
    if last is None or last[0] <= first[0] or tokens.word(last[1]) in {":", "am", "pm", "/"}:
        return None  # the second figure is an hour or begins a date
    year = year_number(tokens, tokens.skip(tokens.skip(last[1], ","), "of", "in"))
    return _days_of_month(tokens, named[0], first[0], last[0], year, last[1])


def _numbers_of_month(tokens: TokenStream, at: int, joins: frozenset[str]) -> Read | None:
    """ "Between ninth and seventeenth of April", "19-20 November"."""
    first = day_number(tokens, at)
    last = day_number(tokens, first[1] + 1) if first and tokens.word(first[1]) in joins else None
    named = month(tokens, tokens.skip(last[1], "of")) if last else None
    if first is None or last is None or named is None:
        return None
    year = year_number(tokens, tokens.skip(tokens.skip(named[1], ","), "of", "in"))
    return _days_of_month(tokens, named[0], first[0], last[0], year, named[1])


def _days_of_month(
    tokens: TokenStream, number: int, first: int, last: int, year: tuple[int, int] | None, end: int
) -> Read | None:
    start = yearly(tokens, lambda of: calendar_day(of, number, first), is_day=True)
    close = yearly(tokens, lambda of: calendar_day(of, number, last), is_day=True)
    if year:
        start, close, end = of_year(start, year[0]), of_year(close, year[0]), year[1]
    made = stretch_between(start, close, tokens.now)
    return (made, end) if made else None


@rule
def modified(tokens: TokenStream, at: int) -> Read | None:
    """ "Since August", "before 2018", "no later than January 1", "2016 and greater"."""
    modifiers = MODIFIERS if tokens.word(at) in MODIFYING else ()
    for words, modifier in modifiers:
        start = tokens.after(at, words)
        if start is None or not (tokens.word(start) in OPENINGS or tokens.word(start).isdecimal()):
            continue
        found = longest(tokens, tokens.skip(start, "the"), dated_clock, point) or longest(tokens, start, point)
        found = found or (month_and_day_numeric(tokens, start) or _year_endpoint(tokens, start))
        if found and found[0].kind in {"date", "range", "datetime"} and found[0].intervals:
            return _opened(found[0], modifier), found[1]
    return _trailing_modifier(tokens, at)


def _opened(meaning: Meaning, modifier: str) -> Meaning:
    """The stretch that is open at one side; "after the beginning of March" begins on 1 March."""
    if meaning.edge and modifier in {"after", "since"}:
        return opened(meaning, "since" if meaning.edge == "beginning" else modifier)
    return opened(meaning, modifier)


def _trailing_modifier(tokens: TokenStream, at: int) -> Read | None:
    found = lone(tokens, at)
    if found is None or not found[0].intervals:
        return None
    for words, modifier in _TRAILING:
        end = tokens.after(found[1], words)
        # In "Monday or after lunch" the word "after" opens another phrase.
        if end is not None and (
            modifier != "since" or tokens.word(found[1] + 1) != "after" or not tokens.word(end).isalpha()
        ):
            return opened(found[0], modifier), end
    return None


@rule
def bare_clock(tokens: TokenStream, at: int) -> Read | None:
    """A time of the clock or a part of the day, without a date."""
    within = clock_stretch(tokens, at)
    if within and (tokens.word(at) in {"from", "between"} or is_surely_of_clock(tokens, at, within[1])):
        return Meaning("time", is_relative=False), within[1]
    part = part_of_day(tokens, at)
    if part and tokens.word(at) != "night" and tokens.word(at - 1) != "good":  # "good morning" is a greeting
        return Meaning("time", is_relative=False), part[1]
    clock = exact_clock(tokens, at)
    return (Meaning("time", is_relative=False), clock[1]) if clock else None
