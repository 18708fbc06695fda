"""What an expression of time means."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

Kind = Literal["date", "range", "datetime", "datetime_range", "duration", "time", "set"]
"""A day; a stretch of days; a minute of a day; a stretch within days; a length; a time of any day; a recurrence."""
Grain = Literal["second", "minute", "hour", "day", "week", "month", "quarter", "year"]


@dataclass(frozen=True, slots=True)
class Interval:
    """From ``start`` on, to before ``end``, both wall-clock times without a zone; None where it is open.

    A day or a minute has its beginning as ``start`` and no length of its own: ``end`` equals ``start``.
    """

    start: datetime | None
    end: datetime | None


@dataclass(frozen=True, slots=True)
class TimeExpression:
    """The words ``[start, end)`` of a text, and every time they may mean.

    ``intervals`` is empty for a length, a time of any day and a recurrence, and for a day that does not exist.
    ``length`` is that of a duration. ``is_relative`` says that the clock was needed; ``is_sure`` that the words mean
    this one time by any reader's understanding. ``grain`` is how exactly the speaker named it: "two months ago" means
    a month, though counting gives a day.
    """

    start: int
    end: int
    kind: Kind
    intervals: tuple[Interval, ...] = ()
    length: timedelta | None = None
    grain: Grain = "day"
    is_relative: bool = False
    is_sure: bool = False
