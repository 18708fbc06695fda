"""What the gauges show of a simulated month: the state of each indicator, and the alerts, moment by moment.

Imports models: only once Django is set up.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction

from bench.simulated_month.faults import FAULTS, PlantedFault
from bench.simulated_month.history import AWAKE, DAY, FIRST_DAY, HOUR, SimulatedMonth
from memory.governance.governor import decide_measures
from memory.governance.thresholds import Thresholds
from memory.quality.acceptance import verdict_on
from memory.quality.budget_alerts import ALERTING_LEVELS, measured_budgets
from memory.quality.indicators import IndicatorReading
from memory.quality.quality_indicators import CONFLICT, SLIS, STALENESS, all_readings

FEW: Final = "few"
"""The state of an indicator with nothing, or too little, to judge by."""


@dataclass(frozen=True)
class Observation:
    """What the gauges showed at a moment: values and states by indicator, and who was alerted of what."""

    at: datetime
    values: dict[str, float | None]
    states: dict[str, str]
    alerts: frozenset[str]

    @property
    def off_target(self) -> frozenset[str]:
        """The indicators that were observed or failed."""
        return frozenset(name for name, state in self.states.items() if state in ("observe", "fail"))


@dataclass(frozen=True)
class FaultOutcome:
    """What a planted fault turned, and after how many hours; ``value`` is that of its own gauge in the end."""

    fault: PlantedFault
    turned: dict[str, float]
    alerted: dict[str, float]
    value: float | None
    window: timedelta

    def complaints(self) -> list[str]:
        """What does not hold of the fault."""
        own, hours = self.fault.indicator, self.window / HOUR
        named = {*self.turned, *(alert.split(":")[0] for alert in self.alerted)}
        others = [f"“{self.fault.what}” also turns {name}" for name in sorted(named - {own})]
        seen = self.turned.get(own)
        missed = [f"“{self.fault.what}” does not turn {own}"] if seen is None or seen > hours else []
        return [*missed, *others]


def observe_moment(at: datetime) -> Observation:
    """The gauges as they stood at a moment, with their alerts."""
    readings = all_readings(at=at)
    return Observation(
        at,
        {reading.name: reading.value for reading in readings},
        {reading.name: _state(reading) for reading in readings},
        frozenset(_alerts(at, readings)),
    )


@dataclass(frozen=True)
class MonthOutcome:
    """A whole month: what was seen while it was healthy, and what each fault turned."""

    seen: Sequence[Observation]
    faults: Sequence[FaultOutcome]

    def complaints(self) -> list[str]:
        """What does not hold: a gauge off target or an alert in health, a fault unseen, or seen in another gauge."""
        return [*dict.fromkeys(self._false_alarms()), *(said for fault in self.faults for said in fault.complaints())]

    def _false_alarms(self) -> Iterator[str]:
        for observation in self.seen:
            yield from (f"{name} is off target in a healthy month" for name in sorted(observation.off_target))
            yield from (f"alert in a healthy month: {alert}" for alert in sorted(observation.alerts))
        yield from (f"{name} was never judged" for name, state in self.seen[-1].states.items() if state == FEW)


def run_month(month: SimulatedMonth, planted: Iterable[PlantedFault] = FAULTS) -> MonthOutcome:
    """Write the month, plant each fault in its last days, then let it end in health; ``month`` has only people yet."""
    whole = month.days - month.fault_days
    begins = FIRST_DAY + DAY * whole + HOUR * AWAKE.start
    month.write_memories()
    month.write_turns(range(whole))
    faults = [watch_fault(month, fault, begins) for fault in planted]
    month.write_turns(range(whole, month.days))
    return MonthOutcome(watch_healthy(month), faults)


def watch_healthy(month: SimulatedMonth) -> list[Observation]:
    """The gauges of each day, at noon and in the evening; of the last, every hour of the day."""
    moments = [FIRST_DAY + DAY * day + HOUR * hour for day in range(month.days) for hour in (12, AWAKE.stop)]
    moments += [month.end - HOUR * hour for hour in reversed(range(len(AWAKE)))]
    return [observe_moment(at) for at in sorted(set(moments))]


def watch_fault(month: SimulatedMonth, fault: PlantedFault, begins: datetime) -> FaultOutcome:
    """Plant a fault, live on to the end of the month, and take everything back.

    The days from that of ``begins`` on must have no turns yet. Only its window counts: a gauge of one hour shows what
    was an hour long.
    """
    days = range((begins - FIRST_DAY).days, month.days)
    with transaction.atomic():
        if fault.plant is not None:
            fault.plant(month, begins)
        month.write_turns(days, fault.damage, begins)
        seen = [observe_moment(at) for at in _moments_after(begins, month.end)]
        transaction.set_rollback(True)
    return FaultOutcome(
        fault,
        _first_hours(begins, seen, [observation.off_target for observation in seen]),
        _first_hours(begins, seen, [observation.alerts for observation in seen]),
        seen[-1].values[fault.indicator],
        next(indicator.window for indicator in SLIS if indicator.name == fault.indicator),
    )


def _moments_after(begins: datetime, end: datetime) -> list[datetime]:
    """Every hour of the first six, then every six, while people are awake; at last the end."""
    hours = [*range(1, 7), *range(12, round((end - begins) / HOUR), 6)]
    return [at for at in (begins + HOUR * hour for hour in hours) if at.hour in AWAKE] + [end]


def _first_hours(begins: datetime, seen: Sequence[Observation], named: Iterable[frozenset[str]]) -> dict[str, float]:
    first: dict[str, float] = {}
    for observation, names in zip(seen, named, strict=True):
        for name in names:
            first.setdefault(name, round((observation.at - begins) / HOUR, 1))
    return dict(sorted(first.items()))


def _state(reading: IndicatorReading) -> str:
    verdict = verdict_on(reading)
    return verdict.value if verdict else FEW


def _alerts(at: datetime, readings: Sequence[IndicatorReading]) -> Iterable[str]:
    burning = [budget for budget in measured_budgets(at) if budget.level in ALERTING_LEVELS]
    yield from (f"{budget.indicator.name}: {budget.level.value}" for budget in burning)
    by_name = {reading.name: reading for reading in readings}
    measures = decide_measures(by_name[STALENESS.name], by_name[CONFLICT.name], Thresholds())
    yield from (f"{reading.name}: governor" for reading in measures.warnings)
