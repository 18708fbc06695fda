"""Defines times of the clock and stretches between them, and puts them on the days that a meaning names."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import product

from memory.rewriting.timex.meanings import Meaning
from memory.rewriting.timex.types import Interval


@dataclass(frozen=True, slots=True)
class ClockTime:
    """A time of the clock; ``is_half_known`` is false where it may be before or after noon."""

    hour: int
    minute: int = 0
    second: int = 0
    is_half_known: bool = True
    is_next_day: bool = False

    @property
    def seconds(self) -> int:
        """Seconds since midnight of the day it is said of."""
        return self.hour * 3_600 + self.minute * 60 + self.second + 86_400 * self.is_next_day

    def readings(self) -> tuple[ClockTime, ...]:
        """The times it may mean: itself, or the one before and the one after noon where the half is not known."""
        if self.is_half_known:
            return (self,)
        return (replace(self, hour=self.hour % 12), replace(self, hour=self.hour % 12 + 12))


@dataclass(frozen=True, slots=True)
class ClockStretch:
    """From one time of the clock to another; ``readings`` are all it may mean, in seconds since midnight."""

    readings: tuple[tuple[int, int], ...]
    is_part: bool = False
    """Whether it is a part of the day: "the morning"."""


def at_clock(day: Meaning, clock: ClockTime) -> Meaning:
    """A time of the clock on each day of a meaning."""
    moments = [
        Interval(moment, moment)
        for found, read in product(day.intervals, clock.readings())
        if found.start and (moment := found.start + timedelta(seconds=read.seconds))
    ]
    return replace(day, kind="datetime", intervals=tuple(moments), grain="minute", in_year=None)


def within_clock(day: Meaning, clock: ClockStretch) -> Meaning:
    """A stretch of hours on each day of a meaning; it may end on the next day."""
    stretches = [
        Interval(found.start + timedelta(seconds=start), found.start + timedelta(seconds=end))
        for found, (start, end) in product(day.intervals, clock.readings)
        if found.start
    ]
    return replace(day, kind="datetime_range", intervals=tuple(stretches), grain="hour", in_year=None)


def clock_between(first: ClockTime, last: ClockTime) -> ClockStretch:
    """From one time of the clock to another. An end that may be before or after noon is the first one after the start.

    Each reading of ``first`` gives one of the stretch; if the half of ``last`` is known, only the shortest remains.
    """

    def gap(pair: tuple[ClockTime, ClockTime]) -> int:
        return (pair[1].seconds - pair[0].seconds) % 86_400

    pairs = [min(((start, end) for end in last.readings()), key=gap) for start in first.readings()]
    if last.is_half_known:
        pairs = [min(pairs, key=gap)]
    return ClockStretch(
        tuple((start.seconds, end.seconds + 86_400 * (end.seconds < start.seconds)) for start, end in pairs)
    )
