"""Reads English stretches of days: "the end of June", "within 3 days", "the week of May 3rd"."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from foundation.lexicon import read_lexicon
from memory.rewriting.timex import calendar
from memory.rewriting.timex.calendar import Length
from memory.rewriting.timex.en_days import simple_day
from memory.rewriting.timex.en_feasts import feast
from memory.rewriting.timex.en_many_units import many_units
from memory.rewriting.timex.en_periods import period_away, plain_stretch
from memory.rewriting.timex.en_words import (
    length,
    unit,
)
from memory.rewriting.timex.meanings import Meaning, Read, fixed, longest
from memory.rewriting.timex.tokens import TokenStream, rule
from memory.rewriting.timex.types import Interval

_WORDS: Final = read_lexicon(__file__, "stretches").of("en")

_EDGES: Final = _WORDS.mapping("edges")
"""Words for a part of a stretch ("early", "mid", "late"), with the ``Meaning.edge`` that they name."""


@rule
def stretch(tokens: TokenStream, at: int) -> Read | None:
    """Any expression that means a stretch of days."""
    return longest(
        tokens, at, edge_of_stretch, plain_stretch, many_units, counted_within, week_of_day, earlier_or_later,
    )  # fmt: skip


@rule
def edge_of_stretch(tokens: TokenStream, at: int) -> Read | None:
    """ "The end of June", "mid 1989", "early next week", "EOY", "end of year"."""
    short = {"eoy": "year", "eom": "month"}.get(tokens.word(at)) or {"eoy": "year", "eom": "month"}.get(
        tokens.word(at + 1)
    )
    if short and (tokens.word(at) in {"eoy", "eom"} or tokens.word(at) == "the"):
        return _edge(fixed("range", period_away(tokens.now, short, 1, 0)), "end", 2), at + 1 + (
            tokens.word(at) == "the"
        )
    start = tokens.skip(at, "the", "in")
    edge = _EDGES.get(tokens.word(start))
    if edge is None:
        return None
    of_at = tokens.skip(tokens.skip(start + 1, "-"), "of", "in")
    bare = unit(tokens, tokens.skip(of_at, "the"))
    if bare and bare[0][1] in {"week", "month", "quarter", "year"} and of_at > start + 1:
        meaning = fixed("range", period_away(tokens.now, bare[0][1], bare[0][0], 0), grain=calendar.GRAINS[bare[0][1]])
        return _edge(meaning, edge, 2), bare[1]
    found = plain_stretch(tokens, of_at)
    return (_edge(found[0], edge, 3), found[1]) if found else None


def _edge(meaning: Meaning, edge: str, parts: int) -> Meaning:
    """The ``edge`` of a stretch: one of ``parts`` equal parts of years, about half of what is shorter.

    Callers cut "the year" into 2, a year or years that are named into 3.
    """
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
        return calendar.part_of_years(found, edge, parts)
    is_month = days in {28, 29, 30, 31}
    middle = found.start + timedelta(days=15 if is_month else days // 2)
    if edge == "middle":
        first_day, last_day = (9, 20) if is_month else (days // 4, days - days // 4)
        return Interval(found.start + timedelta(days=first_day), found.start + timedelta(days=last_day))
    return Interval(found.start, middle) if edge == "beginning" else Interval(middle, found.end)


@rule
def earlier_or_later(tokens: TokenStream, at: int) -> Read | None:
    """ "Earlier this year", "later this week", "the rest of the month".

    What is earlier ends today or at the middle, whichever comes first; what is later begins at whichever comes last.
    """
    side = tokens.word(at)
    name = unit(tokens, at + 2)
    rest = tokens.after_any(at, ("the rest of", "rest of", "the remainder of", "the balance of"))
    if rest is not None:
        return _rest(tokens, rest)
    if side not in {"earlier", "later"} or tokens.word(at + 1) != "this" or name is None:
        return None
    if name[0][1] not in {"week", "month", "quarter", "year"}:
        return None
    found = period_away(tokens.now, name[0][1], name[0][0], 0)
    if found is None or found.start is None or found.end is None:
        return None
    middle = _part(found, "end", 2).start
    today = calendar.midnight(tokens.now)
    assert middle
    made = Interval(found.start, min(middle, today)) if side == "earlier" else Interval(max(middle, today), found.end)
    return fixed("range", made, grain=calendar.GRAINS[name[0][1]], is_open=True), name[1]


def _rest(tokens: TokenStream, at: int) -> Read | None:
    """ "The rest of the week" begins today."""
    name_at = tokens.skip(tokens.skip(at, "the", "this", "my", "current"), "current")
    name = unit(tokens, name_at)
    found = (
        period_away(tokens.now, name[0][1], name[0][0], 0)
        if name and name[0][1] in {"week", "month", "quarter", "year"}
        else None
    )
    if name is None or found is None:
        return None
    return fixed("range", Interval(calendar.midnight(tokens.now), found.end), is_open=True), name[1]


@rule
def counted_within(tokens: TokenStream, at: int) -> Read | None:
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
    """ "Less than 3 days after" a day is the stretch from that day on, "more than" the open one beyond it."""
    made: list[Interval] = []
    for interval in anchor.intervals:
        other = amount.shift(interval.start, sign) if interval.start else None
        if interval.start and other:
            between = Interval(*sorted((interval.start, other)))
            beyond = Interval(None, other) if sign < 0 else Interval(other, None)
            made.append(between if is_less else beyond)
    return replace(anchor, kind="range", intervals=tuple(made), in_year=None)


def _from_now(tokens: TokenStream, amount: Length) -> Meaning:
    start = tokens.now if amount.is_of_clock else calendar.midnight(tokens.now)
    end = amount.shift(start, 1)
    kind = "datetime_range" if amount.is_of_clock else "range"
    found = Interval(start, end) if end else None
    return fixed("datetime_range" if kind == "datetime_range" else "range", found, is_open=True)


def _for_days_from(tokens: TokenStream, at: int) -> Read | None:
    found = length(tokens, at)
    from_at = tokens.skip(found[1], ",") if found else at
    if found is None or found[0].is_of_clock or tokens.word(from_at) not in {"from", "starting", "beginning"}:
        return None
    anchor = simple_day(tokens, tokens.skip(from_at + 1, "on", "from"))
    if anchor is None:
        return None
    starts = [item.start for item in anchor[0].intervals if item.start]
    if anchor[0].in_year:
        starts = starts[-1:]  # the next occurrence: a leave is asked for in advance
    made = (Interval(start, end) for start in starts if (end := found[0].shift(start, 1)))
    is_open = len(anchor[0].intervals) > 1 or anchor[0].is_open
    return replace(anchor[0], kind="range", intervals=tuple(made), in_year=None, is_open=is_open), anchor[1]


@rule
def week_of_day(tokens: TokenStream, at: int) -> Read | None:
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


def _feast_weekend(tokens: TokenStream, at: int) -> Read | None:
    """ "Easter weekend"."""
    found = feast(tokens, at)
    if found is None or tokens.word(found[1]) != "weekend":
        return None
    made = (_long_weekend(item.start) for item in found[0].intervals if item.start)
    return replace(found[0], kind="range", intervals=tuple(made), in_year=None, grain="week"), found[1] + 1


def _long_weekend(day: datetime) -> Interval:
    """The weekend of a feast's week; it begins with the feast where that falls on a Thursday or a Friday."""
    weekend = calendar.weekend_stretch(day.date())
    assert weekend.start
    if day.weekday() == 0:  # a feast on a Monday prolongs the weekend before it
        return Interval(day - timedelta(days=2), day + timedelta(days=1))
    return Interval(min(day, weekend.start) if day.weekday() >= 3 else weekend.start, weekend.end)
