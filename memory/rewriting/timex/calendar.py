"""Arithmetic of the calendar on wall-clock times without a zone. A stretch ends before its ``end``."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Final

from memory.rewriting.timex.types import Grain, Interval

FIRST_YEAR: Final = 1
LAST_YEAR: Final = 9990  # a little before Python's last, so that the week or decade after it is a date, too
_LEAP_CYCLE: Final = 8
"""Years within which every day of the calendar comes round, 29 February over a century's end too."""
_SECONDS: Final = {
    "second": 1, "minute": 60, "hour": 3_600, "day": 86_400, "weekend": 2 * 86_400, "week": 7 * 86_400,
    "month": 30 * 86_400, "quarter": 90 * 86_400, "year": 365 * 86_400,
}  # fmt: skip
_MONTHS: Final = {"month": 1, "quarter": 3, "year": 12}
_CLOCK_UNITS: Final = frozenset({"second", "minute", "hour"})
GRAINS: Final[dict[str, Grain]] = {
    "second": "second", "minute": "minute", "hour": "hour", "day": "day", "weekend": "day", "week": "week",
    "month": "month", "quarter": "quarter", "year": "year",
}  # fmt: skip


def midnight(day: date) -> datetime:
    """The first moment of a day."""
    return datetime.combine(date(day.year, day.month, day.day), time())


def on_day(day: date) -> Interval:
    """A day as a point."""
    return Interval(midnight(day), midnight(day))


def calendar_day(year: int, month: int, day: int) -> Interval | None:
    """The day, or None where there is no such day."""
    if not (FIRST_YEAR <= year <= LAST_YEAR and 1 <= month <= 12 and 1 <= day <= monthrange(year, month)[1]):
        return None
    return on_day(date(year, month, day))


def month_stretch(year: int, month: int, months: int = 1) -> Interval | None:
    """So many months from the first of one on. ``month`` may lie outside 1 to 12."""
    first, last = year * 12 + month - 1, year * 12 + month - 1 + months
    if not (first >= FIRST_YEAR * 12 and last < LAST_YEAR * 12):
        return None
    return Interval(*(midnight(date(count // 12, count % 12 + 1, 1)) for count in (first, last)))


def year_stretch(year: int, years: int = 1) -> Interval | None:
    """So many years from the first of January on."""
    return month_stretch(year, 1, 12 * years)


def part_of_years(years: Interval, edge: str, parts: int = 3) -> Interval:
    """The "beginning", "middle" or "end" of one or more years: one of ``parts`` equal parts. A middle is a third."""
    assert years.start
    assert years.end
    parts = 3 if edge == "middle" else parts
    months = ((years.end.year - years.start.year) * 12 + years.end.month - years.start.month) // parts
    place = {"beginning": 0, "middle": 1, "end": parts - 1}[edge]
    return month_stretch(years.start.year, years.start.month + place * months, months) or years


def week_stretch(day: date, weeks: int = 1) -> Interval:
    """So many weeks from the Monday of the week that holds ``day`` on."""
    first = midnight(day) - timedelta(days=day.weekday())
    return Interval(first, first + timedelta(weeks=weeks))


def weekend_stretch(day: date) -> Interval:
    """Saturday and Sunday of the week that holds ``day``."""
    saturday = midnight(day) + timedelta(days=5 - day.weekday())
    return Interval(saturday, saturday + timedelta(days=2))


def iso_week(year: int, week: int, month: int = 1) -> Interval | None:
    """The n-th week of a year, or of the part of it that begins with ``month``; 0 is the week before the first.

    The first week is the one that holds the first Thursday, as in ISO 8601.
    """
    if not FIRST_YEAR < year < LAST_YEAR:
        return None
    return week_stretch(date(year, month, 4) + timedelta(weeks=week - 1))


def nth_weekday(year: int, month: int, weekday: int, nth: int) -> Interval | None:
    """The n-th weekday of a month, -1 for the last; None where there is none."""
    days = [
        day for day in range(1, monthrange(year, month)[1] + 1) if date(year, month, day).weekday() == weekday
    ]  # fmt: skip
    place = nth if nth < 0 else nth - 1
    return calendar_day(year, month, days[place]) if -len(days) <= place < len(days) else None


def easter(year: int) -> Interval | None:
    """Easter Sunday of the Gregorian calendar, by the anonymous algorithm of Meeus, "Astronomical
    Algorithms", chapter 8.
    """
    century, of_century = divmod(year, 100)
    golden = year % 19
    correction = (century - (century + 8) // 25 + 1) // 3
    epact = (19 * golden + century - century // 4 - correction + 15) % 30
    weekday = (32 + 2 * (century % 4) + 2 * (of_century // 4) - epact - of_century % 4) % 7
    late = (golden + 11 * epact + 22 * weekday) // 451
    month, day = divmod(epact + weekday - 7 * late + 114, 31)
    return calendar_day(year, month, day + 1)


def last_and_next(in_year: Callable[[int], Interval | None], now: datetime, *, is_day: bool) -> tuple[Interval, ...]:
    """The latest occurrence before ``now`` and the first one that is not over, of what comes once a year."""
    years = range(max(FIRST_YEAR, now.year - _LEAP_CYCLE), min(now.year + _LEAP_CYCLE, LAST_YEAR) + 1)
    found = [stretch for year in years if (stretch := in_year(year))]
    over = [stretch for stretch in found if is_over(stretch, now, is_day=is_day)]
    return (*over[-1:], *found[len(over) : len(over) + 1])


def is_over(stretch: Interval, now: datetime, *, is_day: bool) -> bool:
    """A day is over once it has begun, any other stretch when it has ended."""
    assert stretch.start
    assert stretch.end
    return stretch.start < now if is_day else stretch.end <= now


def weekday_of(day: datetime, weekday: int, weeks: int = 0) -> Interval:
    """The weekday of the week that holds ``day``, or of one before or after it."""
    return on_day((day + timedelta(days=weekday - day.weekday(), weeks=weeks)).date())


@dataclass(frozen=True, slots=True)
class Length:
    """A length of time as counts of units: "a year and 21 days". ``is_vague`` is true for "some days"."""

    parts: tuple[tuple[float, str], ...]
    is_vague: bool = False

    @property
    def seconds(self) -> float:
        """The length in seconds, with months of 30 days and years of 365."""
        return sum(count * _SECONDS[unit] for count, unit in self.parts)

    @property
    def finest(self) -> str:
        """The smallest unit of the length."""
        return min((unit for _, unit in self.parts), key=lambda unit: _SECONDS[unit])

    @property
    def is_of_clock(self) -> bool:
        """Whether hours, minutes or seconds are counted."""
        return self.finest in _CLOCK_UNITS

    def shift(self, moment: datetime, sign: int) -> datetime | None:
        """``moment``, later or earlier by this; a month away is the same day of that month, or its last. None beyond
        the calendar.
        """
        for count, unit in self.parts:
            shifted = _shift(moment, sign * count, unit)
            if shifted is None:
                return None
            moment = shifted
        return moment


def _shift(moment: datetime, count: float, unit: str) -> datetime | None:
    try:
        if unit in _MONTHS:
            return _months_away(moment, count * _MONTHS[unit])
        return moment + timedelta(seconds=count * _SECONDS[unit])
    except (OverflowError, ValueError):
        return None


def _months_away(moment: datetime, months: float) -> datetime:
    whole = int(months)
    years, month = divmod(moment.year * 12 + moment.month - 1 + whole, 12)
    day = min(moment.day, monthrange(years, month + 1)[1])
    return moment.replace(year=years, month=month + 1, day=day) + timedelta(days=30 * (months - whole))


def later_on_the_clock(now: datetime, length: Length, sign: int) -> datetime | None:
    """The wall-clock time a length of real time away: an hour before 03:30 is 01:30 where clocks were put forward."""
    if now.tzinfo is None:
        return length.shift(now, sign)
    moved = length.shift(now.astimezone(UTC), sign)
    return moved.astimezone(now.tzinfo).replace(tzinfo=None) if moved else None
