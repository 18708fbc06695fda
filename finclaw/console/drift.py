"""Drift figures for operators, as counts only: the week beside the one before, the last weeks by kind, and users who
change their mind very often.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.utils.translation import gettext as _

from drift.digest import DriftDigest, KindCounts, count_drift, daily_counts
from drift.models import DriftSignal
from finclaw.console.charts import BarChart, bar_chart
from foundation.admin import short_day

WEEK = timedelta(days=7)
WEEKS = 8
DAYS = 14


@dataclass(frozen=True)
class DriftKindRow:
    """One kind of signal in the week; ``key`` is the list's filter value."""

    key: str
    name: str
    counts: KindCounts


@dataclass(frozen=True)
class DriftPage:
    """What the page shows; ``week`` is the last seven days."""

    week: DriftDigest
    kinds: tuple[DriftKindRow, ...]
    charts: tuple[BarChart, ...]

    @property
    def warns(self) -> bool:
        """Whether a user's mind changed often enough that their answers should be looked at."""
        return bool(self.week.bursts or self.week.contradicting)


def drift_page(now: datetime) -> DriftPage:
    """The whole page. Call in the operators' role."""
    week = count_drift(now, WEEK)
    rows = tuple(DriftKindRow(kind, str(DriftSignal.Kind(kind).label), counts) for kind, counts in week.kinds.items())
    return DriftPage(week, rows, _charts(now))


def _charts(now: datetime) -> tuple[BarChart, BarChart]:
    today = now.date()
    first = today - WEEKS * WEEK + timedelta(days=1)
    counts = daily_counts(_midnight_before(now, first), now)
    starts = [first + number * WEEK for number in range(WEEKS)]
    days = [today - timedelta(days=ago) for ago in reversed(range(DAYS))]
    weekly = {kind: [_count_between(by_day, start, WEEK.days) for start in starts] for kind, by_day in counts.items()}
    daily = {kind: [by_day.get(day, 0) for day in days] for kind, by_day in counts.items()}
    return (
        bar_chart(
            _("Signals by kind and week, each begun on its day (UTC)"), _day_labels(starts), _label_series(weekly)
        ),
        bar_chart(_("Signals by kind and day (UTC)"), _day_labels(days), _label_series(daily)),
    )


def _midnight_before(now: datetime, day: date) -> datetime:
    """The last moment before the day: a span begins after it."""
    begun = now.replace(year=day.year, month=day.month, day=day.day, hour=0, minute=0, second=0, microsecond=0)
    return begun - timedelta(microseconds=1)


def _count_between(by_day: Mapping[date, int], start: date, days: int) -> int:
    return sum(by_day.get(start + timedelta(days=number), 0) for number in range(days))


def _day_labels(days: list[date]) -> list[str]:
    return [short_day(day) for day in days]


def _label_series(series: Mapping[str, list[int]]) -> dict[str, list[int]]:
    return {str(DriftSignal.Kind(kind).label): values for kind, values in series.items()}
