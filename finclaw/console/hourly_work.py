"""Charts of finished jobs by the hour: how many, and how long they took."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, F, Q, QuerySet, Sum
from django.db.models.functions import TruncHour
from django.utils.translation import gettext as _

from finclaw.console.charts import BarChart, bar_chart
from finclaw.console.percentiles import Percentile
from foundation.outbox.models import OutboxMessage

State = OutboxMessage.State


@dataclass(frozen=True)
class HourlyWork:
    """The jobs of each hour: ``counts`` of done, failed and retries, ``seconds`` of the 95th percentile."""

    hours: list[str]
    counts: Mapping[str, list[float]]
    seconds: list[float]

    def count_chart(self, title: str, counts: Mapping[str, str]) -> BarChart:
        """The counts that ``counts`` names, each under its own name."""
        return bar_chart(title, self.hours, {name: self.counts[count] for name, count in counts.items()})

    def latency_chart(self, title: str) -> BarChart:
        """How long jobs took from being queued to their end."""
        return bar_chart(title, self.hours, {_("seconds"): self.seconds}, " s")


def hourly_work(jobs: QuerySet[OutboxMessage], now: datetime, hours: int, timed: Q | None = None) -> HourlyWork:
    """The finished ``jobs`` of the last hours; ``timed`` are those whose latency counts, all of them unless given."""
    rows = jobs.annotate(hour=TruncHour("finished_at")).values("hour").annotate(
        done=Count("pk", filter=Q(state=State.DONE)),
        failed=Count("pk", filter=Q(state=State.FAILED)),
        retries=Sum(F("attempts") - 1),
        latency=Percentile(F("finished_at") - F("created_at"), of=95, filter=timed),
    )  # fmt: skip
    by_hour: dict[datetime, dict[str, Any]] = {row["hour"]: dict(row) for row in rows}
    latest = now.replace(minute=0, second=0, microsecond=0)
    shown = [latest - timedelta(hours=ago) for ago in reversed(range(hours))]
    found = [by_hour.get(hour, {}) for hour in shown]
    return HourlyWork(
        hours=[f"{hour:%H}:00" for hour in shown],
        counts={name: [row.get(name, 0) for row in found] for name in ("done", "failed", "retries")},
        seconds=[span.total_seconds() if (span := row.get("latency")) else 0.0 for row in found],
    )
