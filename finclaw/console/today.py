"""Reads the figures of the Today page, in the operators' database role and a handful of queries."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, DurationField, F, Max, Q, Sum
from django.db.models.functions import TruncDate
from django.utils import timezone
from django.utils.translation import gettext as _

from consent.experiments import rolled_back_since, running_experiments
from consent.kill_switches import active_switches
from consent.models import DataExport, Experiment, KillSwitch, ProfileConsent
from drift import digest
from drift.feedback_review import unseen_feedback
from finclaw.console.charts import BarChart, bar_chart
from finclaw.console.degraded_answers import DegradedAnswers, degraded_answers
from finclaw.console.erasure_deadlines import ErasuresDue, erasures_due
from finclaw.console.hourly_work import hourly_work
from finclaw.console.model_costs import SpendingRow, UsageRow, reached_ceilings, usage_today
from finclaw.console.quality import BudgetAlert, QualityFigure, current_alerts, current_figures
from finclaw.erasure_requests import undecided_requests
from foundation.admin import duration_in_words, short_day
from foundation.llm import configured_model_ids, is_model_configured
from foundation.llm.refusals import open_refusals
from foundation.outbox.capacity import count_waiting_for_provider, oldest_due
from foundation.outbox.models import OutboxMessage
from memory.historian.failure_alerts import doubtful_jobs, job_outcomes
from memory.indexing.reembedding import count_waiting
from memory.learning.stranded_messages import stranded_jobs
from memory.models import ResearchTask
from memory.quality.experiment_readings import has_right_ratio

WINDOW_HOURS = 24
CONSENT_DAYS = 7
DRIFT_WINDOW = timedelta(days=7)
LATE_AFTER = timedelta(minutes=5)  # workers sweep every minute: work due longer than this has no worker
State = OutboxMessage.State


@dataclass(frozen=True)
class TopicFigures:
    """Figures of one outbox topic in the window; ``failure_rate`` in percent of what ended."""

    name: str
    done: int
    failed: int
    retries: int
    slowest: timedelta | None

    @property
    def failure_rate(self) -> float:
        return 100 * self.failed / (self.done + self.failed)

    @property
    def slowest_age(self) -> str:
        """``slowest`` in words."""
        return duration_in_words(self.slowest)


@dataclass(frozen=True)
class TodayPage:
    """What the page shows.

    ``queue`` has the number of rows in every state; ``oldest`` is how long the longest-waiting row has been due,
    ``waiting_for_provider`` how many rows wait for a server that is down, and ``stranded`` how many messages of the
    window were found never to have been queued. ``to_embed`` counts search entries without a vector of the configured
    model; ``switches`` are the kill switches in force.
    ``erasure_requests`` counts erasures on request that wait for a second person's approval, ``model_refusals`` are
    lines about what the model server refuses. ``model_usage`` are the calls of models since midnight, ``ceilings`` the
    organisations that have nearly or wholly used up what their models may cost this month.
    ``rolled_back`` are experiments that ended by themselves in the window, ``wrong_ratios`` those that run with numbers
    of users that are not as their weights.
    ``doubtful_events`` are ends of chats of the last day that the configured model could not rewrite as they should be.
    """

    queue: tuple[tuple[str, str, int], ...]
    dead_letters: int
    oldest: timedelta | None
    waiting_for_provider: int
    stranded: int
    topics: tuple[TopicFigures, ...]
    charts: tuple[BarChart, ...]
    erasures: ErasuresDue
    erasure_requests: int
    failed_exports: int
    quality: tuple[QualityFigure, ...]
    quality_alerts: tuple[BudgetAlert, ...]
    has_model: bool
    model_refusals: tuple[str, ...]
    model_usage: tuple[UsageRow, ...]
    ceilings: tuple[SpendingRow, ...]
    degraded: tuple[DegradedAnswers, ...]
    historian_fails: bool
    doubtful_events: int
    failed_research: int
    unseen_feedback: int
    drift: digest.DriftWarnings
    to_embed: int
    switches: tuple[KillSwitch, ...]
    rolled_back: tuple[Experiment, ...]
    wrong_ratios: tuple[Experiment, ...]

    @property
    def needs_nobody(self) -> bool:
        """Whether nothing on the page needs an operator."""
        waits = self.dead_letters + self.erasures.escalated + self.erasures.overdue + self.failed_exports
        waits += self.erasure_requests
        waits += len(self.quality_alerts) + self.failed_research + self.drift.bursts + self.drift.contradicting
        waits += self.unseen_feedback + len(self.off_target) + len(self.degraded) + self.doubtful_events
        waits += (
            len(self.rolled_back)
            + len(self.wrong_ratios)
            + len(self.model_refusals)
            + len(self.ceilings)
            + self.waiting_for_provider
        )
        return self.has_model and not (self.is_late or self.historian_fails or waits or self.switches)

    @property
    def off_target(self) -> tuple[QualityFigure, ...]:
        """The indicators that miss their objective and raise no alert, which would say the same."""
        alerted = {alert.name for alert in self.quality_alerts}
        return tuple(figure for figure in self.quality if figure.is_off_target and figure.name not in alerted)

    @property
    def is_late(self) -> bool:
        """Whether work is due for so long that no worker can be running."""
        return self.oldest is not None and self.oldest > LATE_AFTER

    @property
    def oldest_age(self) -> str:
        """``oldest`` in words."""
        return duration_in_words(self.oldest)


def today() -> TodayPage:
    """The page's figures. Call in a transaction of the operators' role: any other reads nothing."""
    now = timezone.now()
    depth = _queue_depth()
    return TodayPage(
        queue=tuple((state.value, str(state.label), depth.get(state.value, 0)) for state in State),
        dead_letters=depth.get(State.FAILED.value, 0),
        oldest=oldest_due(now),
        waiting_for_provider=count_waiting_for_provider(),
        stranded=stranded_jobs(now - timedelta(hours=WINDOW_HOURS)).count(),
        topics=_topic_figures(now),
        charts=(*_work_charts(now), _consent_chart(now)),
        erasures=erasures_due(now),
        erasure_requests=undecided_requests().count(),
        failed_exports=DataExport.objects.filter(state=DataExport.State.FAILED).count(),
        quality=current_figures(now),
        quality_alerts=current_alerts(now),
        has_model=is_model_configured(),
        model_refusals=tuple(refusal.line for refusal in open_refusals(configured_model_ids())),
        model_usage=usage_today(now),
        ceilings=reached_ceilings(),
        degraded=degraded_answers(now),
        historian_fails=job_outcomes(now).is_failing,
        doubtful_events=doubtful_jobs(now).count(),
        failed_research=_failed_research(now),
        unseen_feedback=unseen_feedback().count(),
        drift=digest.count_warnings(now, DRIFT_WINDOW),
        to_embed=count_waiting(),
        switches=tuple(active_switches()),
        rolled_back=tuple(rolled_back_since(now - timedelta(hours=WINDOW_HOURS))),
        wrong_ratios=tuple(one for one in running_experiments() if not has_right_ratio(one)),
    )


def _queue_depth() -> dict[str, int]:
    rows = OutboxMessage.objects.order_by().values_list("state").annotate(rows=Count("pk"))
    return dict(rows)


def _failed_research(now: datetime) -> int:
    since = now - timedelta(hours=WINDOW_HOURS)
    return ResearchTask.objects.filter(state=ResearchTask.State.FAILED, ended_at__gte=since).count()


def _ended_jobs(now: datetime) -> Any:
    since = now - timedelta(hours=WINDOW_HOURS)
    return OutboxMessage.objects.filter(finished_at__gte=since, state__in=[State.DONE, State.FAILED]).order_by()


def _topic_figures(now: datetime) -> tuple[TopicFigures, ...]:
    rows = _ended_jobs(now).values("topic").annotate(
        done=Count("pk", filter=Q(state=State.DONE)),
        failed=Count("pk", filter=Q(state=State.FAILED)),
        retries=Sum(F("attempts") - 1),
        slowest=Max(F("finished_at") - F("created_at"), output_field=DurationField()),
    )  # fmt: skip
    return tuple(
        TopicFigures(row["topic"], row["done"], row["failed"], row["retries"], row["slowest"])
        for row in rows.order_by("-failed", "topic")
    )


def _work_charts(now: datetime) -> tuple[BarChart, BarChart]:
    work = hourly_work(_ended_jobs(now), now, WINDOW_HOURS)
    counts = {_("done"): "done", _("retries"): "retries"}
    return (
        work.count_chart(_("Jobs done and retries, by the hour (UTC)"), counts),
        work.latency_chart(_("From queued to done: 95th percentile, by the hour")),
    )


def _consent_chart(now: datetime) -> BarChart:
    days = [(now - timedelta(days=ago)).date() for ago in reversed(range(CONSENT_DAYS))]
    granted, revoked = (_by_day(field, days) for field in ("granted_at", "revoked_at"))
    labels = [short_day(day) for day in days]
    series = {_("given"): granted, _("withdrawn whole"): revoked}
    return bar_chart(_("Consents in the last seven days"), labels, series)


def _by_day(field: str, days: Iterable[Any]) -> list[int]:
    wanted = list(days)
    rows = (
        ProfileConsent.objects.filter(**{f"{field}__date__gte": wanted[0]})
        .annotate(day=TruncDate(field))
        .order_by()
        .values_list("day")
        .annotate(rows=Count("pk"))
    )
    counted = dict(rows)
    return [counted.get(day, 0) for day in wanted]
