"""English stretches of days: months, years, quarters, weeks, decades, and their parts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from memory.historian.timex import calendar
from memory.historian.timex.calendar import Length
from memory.historian.timex.core import Meaning, Read, Tokens, fixed, longest, of_year, rule, yearly
from memory.historian.timex.en_days import STEPS, feast, nth_of_month, simple_day
from memory.historian.timex.en_words import (
    cardinal,
    is_a_name,
    length,
    month,
    ordinal,
    short_year,
    unit,
    whole,
    year_number,
)
from memory.historian.timex.types import Interval

_EDGES: Final = {
    "end": "end", "late": "end", "beginning": "beginning", "start": "beginning", "early": "beginning", "mid": "middle",
    "middle": "middle",
}  # fmt: skip
_BEFORE_A_YEAR: Final = frozenset(
    {"in", "of", "since", "by", "from", "before", "after", "year", "to", "until", "till", "and", "or", "between",
     "during",
     "through", "for", "than", "mid", "early", "late", "not", "-", "~", "–", "=", "<", ">", "(", "around", "circa",
     "the"}
)  # fmt: skip
_BEFORE_THE_VERB: Final = frozenset(
    {
        "will",
        "would",
        "may",
        "might",
        "can",
        "could",
        "should",
        "shall",
        "must",
        "to",
        "t",
        "not",
        "ll",
        "does",
        "did",
        "they",
        "it",
    }
)
"""What stands before "last" where it is no adjective."""
SEASONS: Final = frozenset({"spring", "summer", "autumn", "fall", "winter"})
_DECADES: Final = {
    "twenties": 1920, "thirties": 1930, "forties": 1940, "fifties": 1950, "sixties": 1960, "seventies": 1970,
    "eighties": 1980, "nineties": 1990,
}  # fmt: skip
_QUARTERS_OF: Final = {"quarter": (3, 4), "half": (6, 2), "trimester": (4, 3)}


@rule
def stretch(tokens: Tokens, at: int) -> Read | None:
    """Any expression that means a stretch of days."""
    return longest(
        tokens, at, edge_of_stretch, plain_stretch, many_units, counted_within, week_of_day, earlier_or_later,
    )  # fmt: skip


@rule
def plain_stretch(tokens: Tokens, at: int) -> Read | None:
    """A stretch without a part of it being named."""
    return longest(
        tokens, at, month_of_year, relative_month, year, decade, century, quarter, relative_unit, nth_week, season,
    )  # fmt: skip


@rule
def month_of_year(tokens: Tokens, at: int) -> Read | None:
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


def _numeric_month(tokens: Tokens, at: int) -> Read | None:
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
def relative_month(tokens: Tokens, at: int) -> Read | None:
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
def year(tokens: Tokens, at: int) -> Read | None:
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


def _is_surely_a_year(tokens: Tokens, at: int, end: int) -> bool:
    """A bare figure counts things where a noun follows it: "2000 pieces"."""
    after = tokens.word(end)
    if tokens.word(at - 1) in _BEFORE_A_YEAR:
        return not (
            after.isalpha() and after.endswith("s") and after not in {"is", "was", "has", "s"} and len(after) > 3
        )
    return not after.isalpha() or after in {"q", "is", "was", "and", "or", "to", "through", "till", "until", "s"}


@rule
def decade(tokens: Tokens, at: int) -> Read | None:
    """ "The 1990s", "1990 s", "the 90s", "the nineties"."""
    start = tokens.skip(at, "the")
    word = tokens.word(start)
    if word in _DECADES and start > at:
        return _decade(tokens, _DECADES[word] % 100, start + 1)
    s_at = tokens.skip(start + 1, "'", "’")
    if not word.isdecimal() or tokens.word(s_at) != "s" or not word.endswith("0"):
        return None
    if len(word) == 4 and 1000 <= int(word) < 2200:
        return fixed("range", calendar.year_stretch(int(word), 10), grain="year", is_relative=False), s_at + 1
    is_decade = (len(word) == 2 and tokens.word(at - 1) in _BEFORE_A_YEAR | {"the"}) or (len(word) == 2 and start > at)
    return _decade(tokens, int(word), s_at + 1) if is_decade else None


def _decade(tokens: Tokens, short: int, end: int) -> Read:
    """Of the last century or of this one."""
    century = tokens.now.year // 100 * 100
    both = (calendar.year_stretch(century - 100 + short, 10), calendar.year_stretch(century + short, 10))
    return fixed("range", *both, grain="year", is_relative=False, is_open=True), end


@rule
def century(tokens: Tokens, at: int) -> Read | None:
    """ "The 21st century" counts from 2000, as people say it."""
    found = ordinal(tokens, tokens.skip(at, "the"))
    if found is None or tokens.word(found[1]) != "century":
        return None
    meaning = fixed("range", calendar.year_stretch((found[0] - 1) * 100, 100), grain="year", is_relative=False)
    return meaning, found[1] + 1


@rule
def quarter(tokens: Tokens, at: int) -> Read | None:
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


def _part_of_year(tokens: Tokens, at: int) -> tuple[tuple[int, int], int] | None:
    """Its months and its number."""
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
def relative_unit(tokens: Tokens, at: int) -> Read | None:
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
    return fixed("range", _away(tokens.now, name, times, step), grain=calendar.GRAINS[name], is_open=is_open), end


def _beyond(tokens: Tokens, at: int) -> Read | None:
    found = unit(tokens, at)
    end = tokens.after_any(found[1], ("before last", "after next")) if found else None
    if found is None or end is None or found[0][1] in {"second", "minute", "hour", "day"}:
        return None
    step = -2 if tokens.word(end - 1) == "last" else 2
    return fixed("range", _away(tokens.now, found[0][1], found[0][0], step), grain=calendar.GRAINS[found[0][1]]), end


def _unit_at_hand(tokens: Tokens, at: int, start: int) -> Read | None:
    """ "The fortnight", "the week": the one at hand, where nothing says which."""
    found = unit(tokens, start)
    if start == at or found is None or tokens.word(start) not in {"fortnight", "week", "month", "year", "weekend"}:
        return None
    if tokens.word(found[1]) in {"of", "before", "after", "that", "in", "when", "i", "we", "he", "she", "they"}:
        return None
    (times, name), end = found
    return fixed("range", _away(tokens.now, name, times, 0), grain=calendar.GRAINS[name], is_open=True), end


def _away(now: datetime, name: str, times: int, step: int) -> Interval | None:
    """The unit that holds now, or so many of it before or after."""
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
def many_units(tokens: Tokens, at: int) -> Read | None:
    """ "The last two weeks", "next 3 months", "2 upcoming months", "the last 3 weeks of this year".

    Those ahead begin tomorrow; quarters are whole ones.
    """
    if first := _first_of(tokens, at):
        return first
    start = tokens.skip(at, "the")
    step, found = STEPS.get(tokens.word(start)), None
    if start == at and tokens.word(start) == "last" and tokens.word(at - 1) in _BEFORE_THE_VERB:
        return None
    if step:
        found = _business_days(tokens, start + 1) or length(tokens, start + 1)
    elif (number := cardinal(tokens, start)) and STEPS.get(tokens.word(number[1])):
        step, found_unit = STEPS[tokens.word(number[1])], unit(tokens, number[1] + 1)
        if found_unit:
            (times, name), end = found_unit
            found = Length(((number[0] * times, name),)), end
    if not step or found is None or tokens.word(start + 1) in {"a", "an", "half"}:
        return None
    amount, end = found
    if len(amount.parts) != 1:
        return None
    if tokens.word(end) == "of" and step < 0:
        return _last_of(tokens, amount, end + 1)
    return _units_from_now(tokens, amount, step), end


def _business_days(tokens: Tokens, at: int) -> tuple[Length, int] | None:
    number = cardinal(tokens, at)
    if (
        number is None
        or tokens.word(number[1]) not in {"business", "working"}
        or tokens.word(number[1] + 1) not in {"days", "day"}
    ):
        return None
    return Length(((min(number[0], 366), "business day"),)), number[1] + 2


def _units_from_now(tokens: Tokens, amount: Length, step: int) -> Meaning:
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


def _last_of(tokens: Tokens, amount: Length, at: int) -> Read | None:
    """The last whole weeks, months or days of a stretch."""
    found = longest(tokens, at, plain_stretch)
    name = amount.finest
    if found is None or name not in {"day", "week", "month"}:
        return None
    ends = (interval.end for interval in found[0].intervals if interval.end)
    lasts = (end - timedelta(days=end.weekday() if name == "week" else 0) for end in ends)
    made = (Interval(start, last) for last in lasts if (start := amount.shift(last, -1)))
    grain = calendar.GRAINS[name]
    return replace(found[0], intervals=tuple(made), in_year=None, grain=grain, is_open=True), found[1]


def _first_of(tokens: Tokens, at: int) -> Read | None:
    """The first so many days, weeks or months of a stretch."""
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
    return replace(found[0], intervals=tuple(made), in_year=None, is_open=True), found[1]


@rule
def nth_week(tokens: Tokens, at: int) -> Read | None:
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
def season(tokens: Tokens, at: int) -> Read | None:
    """A season has no dates of its own."""
    start = at + (tokens.word(at) in STEPS or tokens.word(at) == "the")
    word = tokens.word(start)
    is_named = word in {"summer", "winter", "autumn"} or start > at or tokens.word(at - 1) in {"in", "of", "since"}
    if word not in SEASONS or not is_named:
        return None
    found = year_number(tokens, tokens.skip(start + 1, "of", ","))
    return Meaning("range", is_open=True), found[1] if found else start + 1


@rule
def edge_of_stretch(tokens: Tokens, at: int) -> Read | None:
    """ "The end of June", "mid 1989", "early next week", "EOY", "end of year"."""
    short = {"eoy": "year", "eom": "month"}.get(tokens.word(at)) or {"eoy": "year", "eom": "month"}.get(
        tokens.word(at + 1)
    )
    if short and (tokens.word(at) in {"eoy", "eom"} or tokens.word(at) == "the"):
        return _edge(fixed("range", _away(tokens.now, short, 1, 0)), "end", 2), at + 1 + (tokens.word(at) == "the")
    start = tokens.skip(at, "the", "in")
    edge = _EDGES.get(tokens.word(start))
    if edge is None:
        return None
    of_at = tokens.skip(tokens.skip(start + 1, "-"), "of", "in")
    bare = unit(tokens, tokens.skip(of_at, "the"))
    if bare and bare[0][1] in {"week", "month", "quarter", "year"} and of_at > start + 1:
        meaning = fixed("range", _away(tokens.now, bare[0][1], bare[0][0], 0), grain=calendar.GRAINS[bare[0][1]])
        return _edge(meaning, edge, 2), bare[1]
    found = plain_stretch(tokens, of_at)
    return (_edge(found[0], edge, 3), found[1]) if found else None


def _edge(meaning: Meaning, edge: str, parts: int) -> Meaning:
    """The part of a stretch: a half where only the year is at hand, else a third of a year, half of what is shorter."""
    cut: Callable[[Interval], Interval] = lambda found: _part(found, edge, parts)  # noqa: E731
    in_year = meaning.in_year
    made = replace(meaning, intervals=tuple(map(cut, meaning.intervals)), edge=edge, is_open=True)
    if in_year is None:
        return made
    return replace(made, in_year=lambda year: cut(found) if (found := in_year(year)) else None)


def _part(found: Interval, edge: str, parts: int) -> Interval:
    assert found.start
    assert found.end
    days = (found.end - found.start).days
    if days > 300:
        first, last = {"beginning": (0, 1), "middle": (1, 2), "end": (parts - 1, parts)}[edge]
        months = 12 // parts
        bounds = [calendar.month_stretch(found.start.year, 1 + months * count) for count in (first, last)]
        start, end = (bound.start if bound else None for bound in bounds)
        return Interval(start, end)
    is_month = days in {28, 29, 30, 31}
    middle = found.start + timedelta(days=15 if is_month else days // 2)
    if edge == "middle":
        first_day, last_day = (9, 20) if is_month else (days // 4, days - days // 4)
        return Interval(found.start + timedelta(days=first_day), found.start + timedelta(days=last_day))
    return Interval(found.start, middle) if edge == "beginning" else Interval(middle, found.end)


@rule
def earlier_or_later(tokens: Tokens, at: int) -> Read | None:
    """ "Earlier this year" ends now, "later this week" begins with its second half, or now if that has begun."""
    side = tokens.word(at)
    name = unit(tokens, at + 2)
    rest = tokens.after_any(at, ("the rest of", "rest of", "the remainder of", "the balance of"))
    if rest is not None:
        return _rest(tokens, rest)
    if side not in {"earlier", "later"} or tokens.word(at + 1) != "this" or name is None:
        return None
    if name[0][1] not in {"week", "month", "quarter", "year"}:
        return None
    found = _away(tokens.now, name[0][1], name[0][0], 0)
    if found is None or found.start is None or found.end is None:
        return None
    middle = _part(found, "end", 2).start
    today = calendar.midnight(tokens.now)
    assert middle
    made = Interval(found.start, min(middle, today)) if side == "earlier" else Interval(max(middle, today), found.end)
    return fixed("range", made, grain=calendar.GRAINS[name[0][1]], is_open=True), name[1]


def _rest(tokens: Tokens, at: int) -> Read | None:
    """ "The rest of the week" begins today."""
    name_at = tokens.skip(tokens.skip(at, "the", "this", "my", "current"), "current")
    name = unit(tokens, name_at)
    found = (
        _away(tokens.now, name[0][1], name[0][0], 0)
        if name and name[0][1] in {"week", "month", "quarter", "year"}
        else None
    )
    if name is None or found is None:
        return None
    return fixed("range", Interval(calendar.midnight(tokens.now), found.end), is_open=True), name[1]


@rule
def counted_within(tokens: Tokens, at: int) -> Read | None:
    """ "Within 3 minutes", "less than 3 days after tomorrow", "more than 2 weeks ago", "for 3 days, from today"."""
    if tokens.word(at) == "within":
        found = length(tokens, tokens.after(at + 1, "the next") or at + 1)
        return (_from_now(tokens, found[0]), found[1]) if found else None
    if tokens.word(at) == "for":
        return _for_days_from(tokens, at + 1)
    if tokens.word(at) not in {"less", "more"} or tokens.word(at + 1) != "than":
        return None
    found = length(tokens, at + 2)
    if found is None or tokens.word(found[1]) not in {"after", "before", "from", "ago"}:
        return None
    is_ago = tokens.word(found[1]) == "ago"
    anchor = (
        (fixed("date", calendar.on_day(tokens.now.date())), found[1] + 1)
        if is_ago
        else simple_day(tokens, found[1] + 1)
    )
    if anchor is None:
        return None
    sign = -1 if is_ago or tokens.word(found[1]) == "before" else 1
    return _less_or_more(tokens.word(at) == "less", anchor[0], found[0], sign), anchor[1]


def _less_or_more(is_less: bool, anchor: Meaning, amount: Length, sign: int) -> Meaning:
    made: list[Interval] = []
    for interval in anchor.intervals:
        other = amount.shift(interval.start, sign) if interval.start else None
        if interval.start and other:
            between = Interval(*sorted((interval.start, other)))
            beyond = Interval(None, other) if sign < 0 else Interval(other, None)
            made.append(between if is_less else beyond)
    return replace(anchor, kind="range", intervals=tuple(made), in_year=None)


def _from_now(tokens: Tokens, amount: Length) -> Meaning:
    start = tokens.now if amount.is_of_clock else calendar.midnight(tokens.now)
    end = amount.shift(start, 1)
    kind = "datetime_range" if amount.is_of_clock else "range"
    found = Interval(start, end) if end else None
    return fixed("datetime_range" if kind == "datetime_range" else "range", found, is_open=True)


def _for_days_from(tokens: Tokens, at: int) -> Read | None:
    found = length(tokens, at)
    from_at = tokens.skip(found[1], ",") if found else at
    if found is None or found[0].is_of_clock or tokens.word(from_at) not in {"from", "starting", "beginning"}:
        return None
    anchor = simple_day(tokens, tokens.skip(from_at + 1, "on", "from"))
    if anchor is None:
        return None
    starts = [item.start for item in anchor[0].intervals if item.start]
    if anchor[0].in_year:
        starts = starts[-1:]  # a leave is asked for ahead
    made = (Interval(start, end) for start in starts if (end := found[0].shift(start, 1)))
    is_open = len(anchor[0].intervals) > 1 or anchor[0].is_open
    return replace(anchor[0], kind="range", intervals=tuple(made), in_year=None, is_open=is_open), anchor[1]


@rule
def week_of_day(tokens: Tokens, at: int) -> Read | None:
    """ "The week starting on February 4", "w/c Feb 4", "the weekend of Thanksgiving 2023"."""
    start = tokens.skip(at, "the")
    end = tokens.after_any(start, (
        "w / c", "week starting on", "week starting", "week beginning on", "week beginning", "week commencing",
        "week of",
        "weekend of",
    ))  # fmt: skip
    if end is None:
        return _feast_weekend(tokens, at)
    found = simple_day(tokens, tokens.skip(end, "the"))
    if found is None:
        return None
    meaning, is_weekend = found[0], tokens.word(start) == "weekend"
    if is_weekend:
        made = (_long_weekend(item.start) for item in meaning.intervals if item.start)
    else:
        made = (calendar.week_stretch(item.start.date()) for item in meaning.intervals if item.start)
    return replace(meaning, kind="range", intervals=tuple(made), in_year=None, grain="week"), found[1]


def _feast_weekend(tokens: Tokens, at: int) -> Read | None:
    """ "Easter weekend"."""
    found = feast(tokens, at)
    if found is None or tokens.word(found[1]) != "weekend":
        return None
    made = (_long_weekend(item.start) for item in found[0].intervals if item.start)
    return replace(found[0], kind="range", intervals=tuple(made), in_year=None, grain="week"), found[1] + 1


def _long_weekend(day: datetime) -> Interval:
    """From a feast, if it falls on a Thursday or later, to the Sunday of its week."""
    weekend = calendar.weekend_stretch(day.date())
    assert weekend.start
    if day.weekday() == 0:  # of a feast on a Monday it is the one before
        return Interval(day - timedelta(days=2), day + timedelta(days=1))
    return Interval(min(day, weekend.start) if day.weekday() >= 3 else weekend.start, weekend.end)
