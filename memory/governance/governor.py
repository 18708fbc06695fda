"""The memory governor: turns indicators and a tenant's settings into upkeep jobs and warnings.

It only decides and queues jobs ("books" them). The upkeep itself runs in the background, one user at a time.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID, uuid5

import structlog
from django.db import transaction
from django.utils import timezone

from foundation.accounts.models import Tenant
from foundation.alerts import alert_key, raise_alert
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE, WORKER_ROLE
from foundation.outbox import services as outbox
from foundation.outbox.capacity import has_room
from foundation.outbox.models import OutboxMessage, Priority
from foundation.personal_data import ConsentScope
from memory.governance.thresholds import Thresholds, thresholds_of
from memory.models import MemoryItem
from memory.quality.indicators import IndicatorReading
from memory.quality.quality_indicators import CONFLICT, STALENESS, read_indicator
from memory.querysets import MemoryItemQuerySet

GOVERN_TOPIC = "memory.govern"
ALERT_KIND = "memory_governance"
log = structlog.get_logger(__name__)


class UpkeepStep(StrEnum):
    """The kinds of upkeep, in the order in which they run."""

    CONSOLIDATE = "consolidate"
    RESOLVE = "resolve"
    CALIBRATE = "calibrate"
    CLEAN_UP = "clean_up"


@dataclass(frozen=True)
class UpkeepMeasures:
    """What to do about a tenant's indicators: which upkeep for its users, and which warnings."""

    steps: tuple[UpkeepStep, ...]
    warnings: tuple[IndicatorReading, ...]


def decide_measures(staleness: IndicatorReading, conflict: IndicatorReading, thresholds: Thresholds) -> UpkeepMeasures:
    """Decide what a tenant's indicators ask for: upkeep, warnings, or nothing. Too small a sample warns nobody."""
    steps, warnings = [], []
    for reading, step, act_above, objective in (
        (conflict, UpkeepStep.RESOLVE, thresholds.conflict_rate, thresholds.conflict_slo),
        (staleness, UpkeepStep.CLEAN_UP, thresholds.staleness_rate, thresholds.staleness_slo),
    ):
        if (reading.value or 0.0) > act_above:
            steps.append(step)
        if (reading.value or 0.0) >= objective and reading.denominator >= thresholds.smallest_sample:
            warnings.append(reading)
    return UpkeepMeasures(tuple(steps), tuple(warnings))


def queue_daily_upkeep() -> int:
    """Book every kind of upkeep for every user with memories, once a day; returns the jobs. For the schedule."""
    return _book(MemoryItem.objects.all(), tuple(UpkeepStep), timezone.now())


def act_on_indicators() -> int:
    """Act on the indicators of every tenant; returns the jobs booked. For the schedule.

    Users without a tenant are governed by the indicators of the whole installation, and the default thresholds.
    """
    now = timezone.now()
    return sum(_govern(tenant, now) for tenant in (*Tenant.objects.all(), None))


def _govern(tenant: Tenant | None, now: datetime) -> int:
    key = tenant.pk if tenant else None
    staleness, conflict = (read_indicator(indicator, key, now) for indicator in (STALENESS, CONFLICT))
    found = decide_measures(staleness, conflict, thresholds_of(tenant))
    for reading in found.warnings:
        _warn(tenant, reading, now)
    return _book(MemoryItem.objects.filter(user__tenant=tenant), found.steps, now) if found.steps else 0


def _warn(tenant: Tenant | None, reading: IndicatorReading, now: datetime) -> None:
    """Warn of an indicator once a day: it stays the same for days."""
    name = str(tenant.pk) if tenant else "everybody"
    key = alert_key("day", now, ALERT_KIND, name, reading.name)
    with transaction.atomic():
        raise_alert(ALERT_KIND, "ticket", key, indicator=reading.name, tenant=name, value=f"{reading.value:.3f}")
    log.warning("memory_off_target", indicator=reading.name, tenant=name)


def _book(items: MemoryItemQuerySet, steps: Sequence[UpkeepStep], now: datetime) -> int:
    """Book a job for each owner of an open item, unless today's is booked already."""
    if not has_room(Priority.LOW):
        return 0
    with in_role(OPERATOR_ROLE):
        owners = list(items.filter(superseded_at=None).order_by("user_id").values_list("user_id", flat=True).distinct())
    day = f"{GOVERN_TOPIC}:{'+'.join(steps)}:{now.date()}"
    waiting = _unbooked({uuid5(owner, day): owner for owner in owners})
    for key, owner in waiting.items():
        _enqueue(key, owner, steps)
    return len(waiting)


def _unbooked(owners: dict[UUID, UUID]) -> dict[UUID, UUID]:
    with in_role(WORKER_ROLE):
        booked = set(OutboxMessage.objects.filter(pk__in=owners).values_list("pk", flat=True))
    return {key: owner for key, owner in owners.items() if key not in booked}


def _enqueue(key: UUID, owner: UUID, steps: Iterable[UpkeepStep]) -> None:
    with acting_as(owner):
        outbox.enqueue(
            GOVERN_TOPIC,
            user_id=owner,
            payload={"steps": list(steps)},
            scope=ConsentScope.MEMORY_LEARNING.value,
            priority=Priority.LOW,
            key=key,
            wake=False,  # the outbox's sweep finds it within a minute
        )
