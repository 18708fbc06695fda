"""Watches the error budgets on schedule: sets their gauges, and alerts the operators while one burns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import isfinite, nan

import structlog
from django.db import transaction
from django.utils import timezone

from foundation.alerts import ALERT_TOPIC, raise_alert
from foundation.database.acting_user import in_role
from foundation.database.replica import reading_from_replica
from foundation.database.roles import WORKER_ROLE
from foundation.outbox.models import OutboxMessage
from foundation.telemetry.metrics import BURN_RATE, QUALITY, QUALITY_ALERT, QUALITY_ON_TARGET
from memory.quality.error_budget import WINDOWS, BurnLevel, WindowSample, burn_level, burn_rate
from memory.quality.indicators import Indicator, IndicatorReading, TimeWindow, measure
from memory.quality.quality_indicators import SLIS, all_readings

log = structlog.get_logger(__name__)
ALERT_KIND = "memory_quality"
REPEAT_ALERT_AFTER = timedelta(hours=1)  # how often a lasting alert is repeated: the longest window of the urgent rule
ALERTING_LEVELS = (BurnLevel.PAGE, BurnLevel.TICKET)
"""The levels at which operators are called, the most urgent first."""
# Staleness and conflicts are snapshots without a stream of samples: the governor acts on them.
ALERTED_INDICATORS = tuple(indicator for indicator in SLIS if indicator.budget is not None)


@dataclass(frozen=True)
class BurningBudget:
    """How an indicator's budget burns; ``rates`` maps each window to how many times faster than allowed."""

    indicator: Indicator
    level: BurnLevel
    rates: Mapping[timedelta, float]


def measured_budgets(now: datetime) -> list[BurningBudget]:
    """Every watched budget as it burns now, including the quiet ones."""
    return [_burning(indicator, now) for indicator in ALERTED_INDICATORS]


def check_budgets() -> dict[str, str]:
    """Set the indicators' gauges and alert for each burning budget; returns the levels. For the schedule."""
    now = timezone.now()
    with reading_from_replica():
        readings, found = list(all_readings(at=now)), measured_budgets(now)
    for reading in readings:
        _set_reading(reading)
    for budget in found:
        _set_gauges(budget)
        if budget.level in ALERTING_LEVELS:
            _raise_alert(budget, now)
    return {budget.indicator.name: budget.level.value for budget in found}


def _burning(indicator: Indicator, now: datetime) -> BurningBudget:
    budget = indicator.budget or 0.0
    readings = measure(indicator, [TimeWindow(now - window, now) for window in WINDOWS])
    samples = {
        window: WindowSample(reading.bad_share, reading.denominator)
        for window, reading in zip(WINDOWS, readings, strict=True)
    }
    rates = {window: burn_rate(sample, budget) for window, sample in samples.items()}
    return BurningBudget(indicator, burn_level(samples.__getitem__, budget, indicator.alert_shares), rates)


def _set_reading(reading: IndicatorReading) -> None:
    QUALITY.labels(indicator=reading.name).set(nan if reading.value is None else reading.value)
    judged = float(bool(reading.is_on_target)) if reading.is_conclusive and reading.is_on_target is not None else nan
    QUALITY_ON_TARGET.labels(indicator=reading.name).set(judged)


def _set_gauges(burning: BurningBudget) -> None:
    for level in ALERTING_LEVELS:
        QUALITY_ALERT.labels(indicator=burning.indicator.name, level=level.value).set(burning.level == level)
    for window, rate in burning.rates.items():
        minutes = round(window.total_seconds() / 60)
        BURN_RATE.labels(indicator=burning.indicator.name, window=f"{minutes}m").set(rate)


def _raise_alert(burning: BurningBudget, now: datetime) -> None:
    name, level = burning.indicator.name, burning.level.value
    with transaction.atomic():
        if not _was_alerted(name, level, now - REPEAT_ALERT_AFTER):
            log.warning("error_budget_burns", indicator=name, level=level)
            raise_alert(ALERT_KIND, level, indicator=name, rates=_describe_budget(burning), at=now.isoformat())


def _was_alerted(name: str, level: str, since: datetime) -> bool:
    payload = {"kind": ALERT_KIND, "level": level, "indicator": name}
    with in_role(WORKER_ROLE):
        told = OutboxMessage.objects.filter(topic=ALERT_TOPIC, created_at__gt=since, payload__contains=payload)
        return told.exists()


def _describe_budget(burning: BurningBudget) -> str:
    return ", ".join(
        f"{round(window.total_seconds() / 60)} min: {f'{rate:.1f}' if isfinite(rate) else 'no budget'}"
        for window, rate in burning.rates.items()
    )
