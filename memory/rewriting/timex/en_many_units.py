"""English stretches of several units: "the last three weeks", "the first ten days of May"."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from foundation.lexicon import read_lexicon
from memory.rewriting.timex import calendar
from memory.rewriting.timex.calendar import Length
from memory.rewriting.timex.en_dates import STEPS
from memory.rewriting.timex.en_periods import plain_stretch
from memory.rewriting.timex.en_words import cardinal, length, unit
from memory.rewriting.timex.meanings import Meaning, Read, fixed, longest
from memory.rewriting.timex.tokens import TokenStream, rule
from memory.rewriting.timex.types import Interval

_WORDS: Final = read_lexicon(__file__, "many_units").of("en")

_MOST_BUSINESS_DAYS: Final = 366
"""Larger counts of business days are read as so many: each day is stepped over to find the working ones."""
_BEFORE_THE_VERB: Final = frozenset(_WORDS.words("before_the_verb"))
"""Words before "last" where it is a verb: "it will last two weeks"."""


@rule
def many_units(tokens: TokenStream, at: int) -> Read | None:
    """ "The last two weeks", "next 3 months", "2 upcoming months", "the last 3 weeks of this year".

    Stretches ahead begin tomorrow; quarters are whole quarters of the calendar.
    """
    if first := _first_units_of(tokens, at):
        return first
    start = tokens.skip(at, "the")
    step, found = STEPS.get(tokens.word(start)), None  # -1 back, 1 ahead
    if start == at and tokens.word(start) == "last" and tokens.word(at - 1) in _BEFORE_THE_VERB:
        return None
    if step:
        found = _business_days(tokens, start + 1) or length(tokens, start + 1)
    elif (number := cardinal(tokens, start)) and STEPS.get(tokens.word(number[1])):
        step, counted_unit = STEPS[tokens.word(number[1])], unit(tokens, number[1] + 1)
        if counted_unit:
            (per_unit, name), end = counted_unit  # a fortnight is two of "week"
            found = Length(((number[0] * per_unit, name),)), end
    if not step or found is None or tokens.word(start + 1) in {"a", "an", "half"}:
        return None  # "the last half year" is a plain stretch
    amount, end = found
    if len(amount.parts) != 1:  # "a year and a half"
        return None
    if tokens.word(end) == "of" and step < 0:
        return _last_units_of(tokens, amount, end + 1)
    return _units_from_now(tokens, amount, step), end


def _business_days(tokens: TokenStream, at: int) -> tuple[Length, int] | None:
    number = cardinal(tokens, at)
    if (
        number is None
        or tokens.word(number[1]) not in {"business", "working"}
        or tokens.word(number[1] + 1) not in {"days", "day"}
    ):
        return None
    return Length(((min(number[0], _MOST_BUSINESS_DAYS), "business day"),)), number[1] + 2


def _units_from_now(tokens: TokenStream, amount: Length, step: int) -> Meaning:
    count, name = amount.parts[0]
    today = calendar.midnight(tokens.now)
    if name == "business day":
        return fixed("range", _working_days(today, int(count), step))
    if name == "quarter":
        first = (today.month - 1) // 3 * 3 + 1
        start = first - 3 * int(count) if step < 0 else first + 3
        found = calendar.month_stretch(today.year, start, 3 * int(count))
        return fixed("range", found, grain="quarter", is_open=True)
    if amount.is_of_clock:
        other = amount.shift(tokens.now, step)
        ends = sorted((tokens.now, other)) if other else ()
        return fixed("datetime_range", Interval(*ends) if ends else None, is_open=amount.is_vague, grain="hour")
    start_day = today if step < 0 else today + timedelta(days=1)
    other = amount.shift(start_day, step)
    found = Interval(*sorted((start_day, other))) if other else None
    is_open = amount.is_vague or amount.finest != "day"
    return fixed("range", found, is_open=is_open, grain=calendar.GRAINS[amount.finest])


def _working_days(today: datetime, count: int, step: int) -> Interval:
    days: list[datetime] = []
    at = today
    while len(days) < max(count, 1):
        at += timedelta(days=step)
        if at.weekday() < 5:
            days.append(at)
    first, last = sorted((days[0], days[-1]))
    return Interval(first, last + timedelta(days=1))


def _last_units_of(tokens: TokenStream, amount: Length, at: int) -> Read | None:
    """The last whole weeks, months or days of a stretch, whose words begin ``at``: "the last two weeks of | May"."""
    found = longest(tokens, at, plain_stretch)
    name = amount.finest
    if found is None or name not in {"day", "week", "month"}:
        return None
    ends = (interval.end for interval in found[0].intervals if interval.end)
    lasts = (end - timedelta(days=end.weekday() if name == "week" else 0) for end in ends)
    made = (Interval(start, last) for last in lasts if (start := amount.shift(last, -1)))
    # ``in_year`` goes: it gives the whole of the stretch in another year, not this part of it.
    grain = calendar.GRAINS[name]
    return replace(found[0], intervals=tuple(made), in_year=None, grain=grain, is_open=True), found[1]


def _first_units_of(tokens: TokenStream, at: int) -> Read | None:
    """The first days, weeks or months of a stretch, read from its first word on: "| the first ten days of May"."""
    start = tokens.skip(at, "the")
    amount = length(tokens, start + 1) if tokens.word(start) == "first" else None
    found = plain_stretch(tokens, amount[1] + 1) if amount and tokens.word(amount[1]) in {"of", "in"} else None
    if amount is None or found is None:
        return None
    made = (
        Interval(item.start, end)
        for item in found[0].intervals
        if item.start and (end := amount[0].shift(item.start, 1))
    )
    return replace(found[0], intervals=tuple(made), in_year=None, is_open=True), found[1]  # as in _last_units_of
