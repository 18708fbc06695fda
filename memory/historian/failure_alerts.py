"""Alerts to the operators while more than one percent of the historian's jobs of the last day fail."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

import structlog
from django.db.models import Count, F, Q, QuerySet, Sum
from django.utils import timezone

from foundation.alerts import alert_key, raise_alert
from foundation.database.acting_user import in_role
from foundation.database.roles import WORKER_ROLE
from foundation.outbox.models import OutboxMessage
from memory.historian.services import END_TOPIC

log = structlog.get_logger(__name__)
ALERT_KIND: Final = "historian_failing"
MAX_FAILURE_RATE: Final = 0.01
"""More than 99 % of the jobs must end well."""
MIN_SAMPLES: Final = 100  # of fewer, a single failure would already be more
WINDOW: Final = timedelta(hours=24)
State = OutboxMessage.State


@dataclass(frozen=True)
class JobOutcomes:
    """The outcomes of the jobs that ended in the window; ``retries`` are attempts beyond a job's first."""

    done: int
    failed: int
    retries: int

    @property
    def ended_jobs(self) -> int:
        return self.done + self.failed

    @property
    def failure_rate(self) -> float | None:
        """0.0 to 1.0, None where nothing ended."""
        return self.failed / self.ended_jobs if self.ended_jobs else None

    @property
    def is_failing(self) -> bool:
        """Whether the failure rate is above the limit, given enough jobs to tell."""
        return self.ended_jobs >= MIN_SAMPLES and self.failed > MAX_FAILURE_RATE * self.ended_jobs


def finished_jobs(now: datetime) -> QuerySet[OutboxMessage]:
    """The historian's jobs that were done or became dead letters in the window."""
    ended = OutboxMessage.objects.filter(topic=END_TOPIC, state__in=[State.DONE, State.FAILED])
    return ended.filter(finished_at__gt=now - WINDOW, finished_at__lte=now).order_by()


def doubtful_jobs(now: datetime) -> QuerySet[OutboxMessage]:
    """The historian's jobs of the window whose events the configured model could not write as they should be."""
    return finished_jobs(now).filter(state=State.DONE, result__has_key="degraded")


def job_outcomes(now: datetime) -> JobOutcomes:
    """The outcomes of the last day. Call in a role that sees every job."""
    counted = finished_jobs(now).aggregate(
        done=Count("pk", filter=Q(state=State.DONE)),
        failed=Count("pk", filter=Q(state=State.FAILED)),
        retries=Sum(F("attempts") - 1),
    )
    return JobOutcomes(counted["done"], counted["failed"], counted["retries"] or 0)


def alert_failures() -> bool:
    """Raise an alert, once a day, while too many jobs fail; returns whether they do. For the schedule."""
    now = timezone.now()
    with in_role(WORKER_ROLE):
        found = job_outcomes(now)
    if found.is_failing:
        log.warning("historian_failing", done=found.done, failed=found.failed)
        counts = {"done": str(found.done), "failed": str(found.failed)}
        raise_alert(ALERT_KIND, "page", alert_key("day", now, ALERT_KIND), at=now.isoformat(), **counts)
    return found.is_failing
