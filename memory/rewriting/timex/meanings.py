"""Defines ``Meaning``, what a grammar rule makes of words, and the ways to combine meanings, for both grammars."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from memory.rewriting.timex.calendar import (
    GRAINS,
    Length,
    is_over,
    last_and_next,
    later_on_the_clock,
    midnight,
    weekday_of,
)
from memory.rewriting.timex.tokens import TokenStream
from memory.rewriting.timex.types import Grain, Interval, Kind


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a rule of the grammar makes of some words: every interval that they may mean.

    ``in_year`` gives the interval in a certain year, for words that name no year ("3 May"). ``edge`` is "beginning",
    "middle" or "end" where the words name that part of a stretch ("the end of June").
    """

    kind: Kind
    intervals: tuple[Interval, ...] = ()
    length: Length | None = None
    grain: Grain = "day"
    is_relative: bool = True
    is_open: bool = False
    """Whether another reader may understand the words otherwise."""
    in_year: Callable[[int], Interval | None] | None = None
    edge: str = ""

    def endings(self) -> list[datetime]:
        """The moments at which a stretch may end that ends with these words, one for each interval."""
        return [moment for interval in self.intervals if (moment := edge_of(interval, self.edge))]


Read = tuple[Meaning, int]
"""What a grammar rule returns: the meaning of some words, and the index of the token after them."""


def longest(tokens: TokenStream, at: int, *rules: Callable[[TokenStream, int], Read | None]) -> Read | None:
    """The reading of the most words; of equals the first."""
    found = [read for read in (each(tokens, at) for each in rules) if read]
    return max(found, key=lambda read: read[1], default=None)


def edge_of(interval: Interval, edge: str) -> datetime | None:
    """The moment that stands for an interval: its end or its middle where ``edge`` says so, else its beginning."""
    if edge == "end":
        return interval.end
    if edge == "middle" and interval.start and interval.end:
        return interval.start + timedelta(days=((interval.end - interval.start).days + 1) // 2)
    return interval.start


def fixed(kind: Kind, *intervals: Interval | None, **fields: Any) -> Meaning:
    """A meaning with those of the intervals that exist, each once."""
    return Meaning(kind, tuple(dict.fromkeys(interval for interval in intervals if interval)), **fields)


def yearly(
    tokens: TokenStream, in_year: Callable[[int], Interval | None], *, is_day: bool, grain: Grain = "day"
) -> Meaning:
    """The meaning of what comes once a year: its last and its next occurrence."""
    found = last_and_next(in_year, tokens.now, is_day=is_day)
    return Meaning("date" if is_day else "range", found, in_year=in_year, grain=grain)


def of_year(meaning: Meaning, year: int, *, is_relative: bool = False) -> Meaning:
    """A yearly meaning, fixed to one year."""
    assert meaning.in_year
    found = fixed(meaning.kind, meaning.in_year(year), grain=meaning.grain, is_relative=is_relative)
    return replace(found, edge=meaning.edge, is_open=meaning.is_open)


def stretch_between(first: Meaning, last: Meaning, now: datetime) -> Meaning | None:
    """The stretch from ``first`` to ``last``. A year that one of them lacks is taken from the other, or from the clock.

    None where no end comes after a beginning.
    """
    pairs = _pairs(first, last, now)
    stretches = [Interval(start, end) for start, end in pairs if start <= end]
    if not stretches:
        return None
    kinds = {first.kind, last.kind}
    is_clear = len(first.intervals) == len(last.intervals) == 1 and last.grain in {"day", "hour", "minute", "second"}
    kind: Kind = "datetime_range" if kinds & {"datetime", "datetime_range"} else "range"
    return fixed(
        kind,
        *stretches,
        grain=last.grain,
        is_relative=first.is_relative or last.is_relative,
        is_open=first.is_open or last.is_open or not is_clear,
    )


def _pairs(first: Meaning, last: Meaning, now: datetime) -> list[tuple[datetime, datetime]]:
    if first.in_year and not last.in_year:
        return [(start, end) for end in last.endings() if (start := _nearest_before(first, end))]
    if last.in_year and not first.in_year:
        starts = [moment for interval in first.intervals if (moment := edge_of(interval, first.edge))]
        return [(start, end) for start in starts if (end := _next_after(last, start))]
    starts = [moment for interval in first.intervals if (moment := edge_of(interval, first.edge))]
    if first.in_year and last.in_year:
        return _both_yearless(starts, last.endings())
    return _successive(starts, last.endings())


def _both_yearless(starts: list[datetime], ends: list[datetime]) -> list[tuple[datetime, datetime]]:
    """The last and the next stretch, where neither side names a year; the same twice where now lies within it."""
    if len(starts) < 2 or len(ends) < 2:
        return []
    ahead = (starts[1] if starts[1] <= ends[1] else starts[0], ends[1])
    before = (starts[0], ends[0] if starts[0] <= ends[0] else ends[1])
    return [before, ahead]


def _successive(starts: list[datetime], ends: list[datetime]) -> list[tuple[datetime, datetime]]:
    """Each beginning, paired with the first end after it."""
    return [(start, end) for start in starts if (end := min((end for end in ends if end >= start), default=None))]


def _nearest_before(first: Meaning, end: datetime) -> datetime | None:
    assert first.in_year
    found = (first.in_year(year) for year in (end.year, end.year - 1))
    moments = (edge_of(interval, first.edge) for interval in found if interval)
    return next((moment for moment in moments if moment and moment <= end), None)


def _next_after(last: Meaning, start: datetime) -> datetime | None:
    assert last.in_year
    found = (last.in_year(year) for year in (start.year, start.year + 1))
    moments = (edge_of(interval, last.edge) for interval in found if interval)
    return next((moment for moment in moments if moment and moment >= start), None)


def opened(meaning: Meaning, modifier: str) -> Meaning:
    """The stretch open at one side that lies "since", "after", "before" or "until" a time.

    "since" and "until" include the time, "after" and "before" leave it out: "after" 2010 begins with 2011. A day is a
    point (``end`` equals ``start``), so that "after" and "since" the 3rd both begin with the 3rd.
    """
    sides = {
        "since": lambda found: Interval(found.start, None),
        "after": lambda found: Interval(found.end, None),
        "before": lambda found: Interval(None, found.start),
        "until": lambda found: Interval(None, found.end),
    }
    kind: Kind = "datetime_range" if meaning.kind in {"datetime", "datetime_range"} else "range"
    return replace(meaning, kind=kind, intervals=tuple(map(sides[modifier], meaning.intervals)), in_year=None)


def counted(tokens: TokenStream, length: Length, sign: int, **fields: Any) -> Meaning:
    """The day or the moment that lies a length before now (``sign`` -1) or after it (1)."""
    grain = GRAINS[length.finest]
    if length.is_of_clock:
        moment = later_on_the_clock(tokens.clock, length, sign)
        return fixed("datetime", Interval(moment, moment) if moment else None, grain=grain, **fields)
    day = length.shift(midnight(tokens.now), sign)
    fields["is_open"] = fields.get("is_open", False) or any(count % 1 for count, _ in length.parts)
    return fixed("date", Interval(day, day) if day else None, grain=grain, **fields)


def counted_from(anchor: Meaning, length: Length, sign: int) -> Meaning:
    """The days or moments that lie a length before (``sign`` -1) or after (1) those of ``anchor``."""
    days = [moment for found in anchor.intervals if found.start and (moment := length.shift(found.start, sign))]
    kind: Kind = "datetime" if length.is_of_clock else "date"
    return replace(anchor, kind=kind, intervals=tuple(Interval(day, day) for day in days), in_year=None)


def weekly(tokens: TokenStream, weekday: int) -> Meaning:
    """A weekday: its last and its next occurrence."""
    found = [weekday_of(tokens.now, weekday, weeks) for weeks in (-1, 0, 1)]
    over = [day for day in found if is_over(day, midnight(tokens.now), is_day=True)]
    return Meaning("date", (over[-1], found[len(over)]))
