"""The drift digest for operators: counts of reversals in a span, without words or users."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any
from uuid import UUID

from django.db.models import Count
from django.db.models.functions import TruncDate

from drift.configuration import DriftThresholds, thresholds_for
from drift.models import DriftSignal
from foundation.accounts.models import User
from foundation.database.acting_user import in_role
from foundation.database.roles import OPERATOR_ROLE

Kind = DriftSignal.Kind


@dataclass(frozen=True)
class KindCounts:
    """Counts of one kind of signal: all in the span, those that trigger an alert, and all in the span before."""

    signals: int
    alerting: int
    before: int


@dataclass(frozen=True)
class DriftWarnings:
    """The users whom operators should look at.

    ``bursts`` counts users with very many signals within a short time in the span; ``contradicting`` counts those whose
    contradictions reached the limit within it.
    """

    bursts: int
    contradicting: int


@dataclass(frozen=True)
class DriftDigest:
    """A span's drift.

    ``bursts`` counts users with very many signals within a short time in the span; ``contradicting`` counts those whose
    contradictions had reached the limit by its end.
    """

    since: datetime
    until: datetime
    kinds: Mapping[str, KindCounts]
    people: int
    bursts: int
    contradicting: int

    def as_json(self) -> dict[str, Any]:
        """The figures by field name, moments as ISO 8601."""
        kinds = {kind: vars(counts) for kind, counts in self.kinds.items()}
        return vars(self) | {"since": self.since.isoformat(), "until": self.until.isoformat(), "kinds": kinds}


@dataclass(frozen=True)
class TenantDrift:
    """How many signals an organisation's people gave, and how many people gave any."""

    signals: int
    people: int


def drift_by_tenant(until: datetime, span: timedelta) -> dict[UUID, TenantDrift]:
    """The drift of each organisation over the ``span`` up to ``until``; those without a signal are left out."""
    with in_role(OPERATOR_ROLE):
        rows = _signals_between(until - span, until).exclude(user__tenant=None).values_list("user__tenant_id")
        counted = rows.annotate(Count("pk"), Count("user_id", distinct=True))
        return {tenant: TenantDrift(signals, people) for tenant, signals, people in counted}


def count_drift(until: datetime, span: timedelta) -> DriftDigest:
    """Count the drift log of the ``span`` up to ``until``, and of the span before."""
    since = until - span
    with in_role(OPERATOR_ROLE):
        now, before = _counts_by_kind(since, until), _counts_by_kind(since - span, since)
        thresholds = _thresholds(until)
        people = _signals_between(since, until).aggregate(people=Count("user_id", distinct=True))["people"]
        return DriftDigest(
            since=since,
            until=until,
            kinds={kind: KindCounts(*now[kind], before[kind][0]) for kind in Kind.values},
            people=people,
            bursts=_count_bursts(since, until, thresholds),
            contradicting=_count_contradicting(until, thresholds),
        )


def count_warnings(until: datetime, span: timedelta) -> DriftWarnings:
    """Count the users whom operators should look at, over the ``span`` up to ``until``."""
    since = until - span
    with in_role(OPERATOR_ROLE):
        thresholds = _thresholds(until)
        newly = _count_contradicting(until, thresholds) - _count_contradicting(since, thresholds)
        return DriftWarnings(_count_bursts(since, until, thresholds), newly)


def daily_counts(since: datetime, until: datetime) -> dict[str, dict[date, int]]:
    """Signals a day (UTC) by kind, days without any left out. Call in the operators' role, or as one person."""
    rows = _signals_between(since, until).annotate(day=TruncDate("created_at")).values_list("signal_kind", "day")
    found: dict[str, dict[date, int]] = {kind: {} for kind in Kind.values}
    for kind, day, count in rows.annotate(Count("pk")).order_by("day"):
        found[kind][day] = count
    return found


def _signals_between(since: datetime, until: datetime) -> Any:
    return DriftSignal.objects.filter(created_at__gt=since, created_at__lte=until).order_by()


def _counts_by_kind(since: datetime, until: datetime) -> Mapping[str, tuple[int, int]]:
    counts: dict[str, tuple[int, int]] = defaultdict(lambda: (0, 0))
    rows = _signals_between(since, until).values_list("signal_kind", "triggers_alert").annotate(Count("pk"))
    for kind, alerting, count in rows:
        signals, asking = counts[kind]
        counts[kind] = signals + count, asking + count * alerting
    return counts


def _thresholds(until: datetime) -> dict[UUID, DriftThresholds]:
    """The thresholds of every user in the log."""
    concerned = DriftSignal.objects.filter(created_at__lte=until).order_by().values("user_id").distinct()
    people = User.objects.filter(pk__in=concerned).select_related("tenant")
    return {person.pk: thresholds_for(person) for person in people}


def _count_bursts(since: datetime, until: datetime, thresholds: Mapping[UUID, DriftThresholds]) -> int:
    """The number of users with a burst of signals whose last one lies in the span."""
    longest = max((tenant_thresholds.burst_within for tenant_thresholds in thresholds.values()), default=timedelta(0))
    moments: dict[UUID, list[datetime]] = defaultdict(list)
    for person, at in (
        _signals_between(since - longest, until).order_by("created_at").values_list("user_id", "created_at")
    ):
        moments[person].append(at)
    return sum(_has_burst(found, since, thresholds[person]) for person, found in moments.items())


def _has_burst(moments: Sequence[datetime], since: datetime, thresholds: DriftThresholds) -> bool:
    apart = thresholds.burst_signals - 1
    first_and_last = zip(moments, moments[apart:], strict=False)
    return any(last > since and last - first < thresholds.burst_within for first, last in first_and_last)


def _count_contradicting(until: datetime, thresholds: Mapping[UUID, DriftThresholds]) -> int:
    conflicts = DriftSignal.objects.filter(signal_kind=Kind.FEEDBACK_CONFLICT, created_at__lte=until).order_by()
    counts = Counter(dict(conflicts.values_list("user_id").annotate(Count("pk"))))
    return sum(count >= thresholds[person].conflicts_to_warn for person, count in counts.items())
