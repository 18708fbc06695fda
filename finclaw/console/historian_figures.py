"""Figures of the historian for operators: its queue, failures, retries, latencies, and events with unresolved
references.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Count, F, Q, QuerySet
from django.utils.translation import gettext as _

from finclaw.console.charts import BarChart
from finclaw.console.hourly_work import hourly_work
from finclaw.console.percentiles import Percentile
from foundation.admin import duration_in_words
from foundation.outbox.models import OutboxMessage
from memory.historian.failure_alerts import (
    MAX_FAILURE_RATE,
    MIN_SAMPLES,
    WINDOW,
    JobOutcomes,
    doubtful_jobs,
    finished_jobs,
    job_outcomes,
)
from memory.historian.services import END_TOPIC
from memory.models import CognitiveEvent, CognitiveJob

DEAD_SHOWN = 20
State = OutboxMessage.State
WAITING = (State.PENDING, State.PROCESSING, State.FAILED)


@dataclass(frozen=True)
class DeadJob:
    """A dead letter (a failed outbox row) of the historian, and its job, which is None where it was erased since."""

    message: OutboxMessage
    job: CognitiveJob | None


@dataclass(frozen=True)
class DoubtfulJob:
    """A job whose event the rules wrote, or the model wrote against the rules; ``job`` as of ``DeadJob``."""

    message: OutboxMessage
    job: CognitiveJob | None

    @property
    def reasons(self) -> str:
        """The codes of what went wrong."""
        return ", ".join((self.message.result or {}).get("degraded", ()))


@dataclass(frozen=True)
class HistorianPage:
    """What the page shows. ``queue`` holds state, label and rows; latencies are from queued to written, in words."""

    enabled: bool
    queue: tuple[tuple[str, str, int], ...]
    work: JobOutcomes
    median: str
    p95: str
    charts: tuple[BarChart, ...]
    dead: tuple[DeadJob, ...]
    doubtful: tuple[DoubtfulJob, ...]
    events: int
    unresolved: int

    @property
    def state(self) -> str:
        """good, bad, or none where too few jobs ended to tell."""
        if self.work.ended_jobs < MIN_SAMPLES:
            return "none"
        return "bad" if self.work.is_failing else "good"

    @property
    def words(self) -> str:
        """``state`` in words."""
        few = _("fewer than %d jobs: too few to tell") % MIN_SAMPLES
        limit = f"{MAX_FAILURE_RATE * 100:.0f} %"
        named = {"none": few, "good": _("below %s") % limit, "bad": _("above %s") % limit}
        return named[self.state]

    @property
    def failure_rate(self) -> str:
        """In percent, a dash where nothing ended."""
        rate = self.work.failure_rate
        return "–" if rate is None else f"{rate * 100:.2g} %"


def historian_page(now: datetime) -> HistorianPage:
    """The whole page. Call in the operators' role."""
    took = _latencies(now)
    recent = CognitiveEvent.objects.filter(created_at__gt=now - WINDOW)
    open_ones = recent.exclude(unresolved=[])
    return HistorianPage(
        enabled=settings.COGNITIVE_ENABLED,
        queue=_queue_counts(),
        work=job_outcomes(now),
        median=duration_in_words(took["median"]),
        p95=duration_in_words(took["p95"]),
        charts=_charts(now),
        dead=_dead_jobs(),
        doubtful=_doubtful_jobs(now),
        events=recent.count(),
        unresolved=open_ones.count(),
    )


def _queue_counts() -> tuple[tuple[str, str, int], ...]:
    rows = OutboxMessage.objects.filter(topic=END_TOPIC, state__in=WAITING).order_by().values_list("state")
    depth = dict(rows.annotate(rows=Count("pk")))
    return tuple((state.value, str(state.label), depth.get(state.value, 0)) for state in WAITING)


def _latencies(now: datetime) -> dict[str, timedelta | None]:
    done = finished_jobs(now).filter(state=State.DONE)
    span = F("finished_at") - F("created_at")
    found: dict[str, timedelta | None] = done.aggregate(median=Percentile(span, of=50), p95=Percentile(span, of=95))
    return found


def _charts(now: datetime) -> tuple[BarChart, BarChart]:
    hours = int(WINDOW.total_seconds()) // 3600
    work = hourly_work(finished_jobs(now), now, hours, timed=Q(state=State.DONE))
    counts = {_("done"): "done", _("failed"): "failed", _("retries"): "retries"}
    return (
        work.count_chart(_("Jobs done, failed and tried again, by the hour (UTC)"), counts),
        work.latency_chart(_("From the end of a chat to its event: 95th percentile, by the hour")),
    )


def _dead_jobs() -> tuple[DeadJob, ...]:
    """The dead letters, latest first, with their jobs: both rows share an id."""
    failed = OutboxMessage.objects.filter(topic=END_TOPIC, state=State.FAILED).select_related("user")
    return tuple(DeadJob(row, job) for row, job in _with_jobs(failed))


def _doubtful_jobs(now: datetime) -> tuple[DoubtfulJob, ...]:
    """The doubtful ones of the window, latest first."""
    return tuple(DoubtfulJob(row, job) for row, job in _with_jobs(doubtful_jobs(now).select_related("user")))


def _with_jobs(messages: QuerySet[OutboxMessage]) -> list[tuple[OutboxMessage, CognitiveJob | None]]:
    rows = list(messages.order_by("-finished_at")[:DEAD_SHOWN])
    jobs = CognitiveJob.objects.in_bulk([row.pk for row in rows])
    return [(row, jobs.get(row.pk)) for row in rows]
