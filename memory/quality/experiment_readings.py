"""Reads what came of an experiment: its users by variant, and the gauges of quality for each, in the operators' role.

A gauge counts as the indicator of its name does, but user by user, while the experiment ran. Whoever may no longer be
measured is not counted, nor is what was erased since.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import Final

import numpy as np
from django.db import connection

from consent.experiment_assignment import CONTROL
from consent.experiments import as_running
from consent.models import Experiment
from consent.querysets import learning_allowed_condition
from foundation.database.acting_user import in_role
from foundation.database.roles import OPERATOR_ROLE
from memory.quality.experiment_statistics import (
    RATIO_ALPHA,
    GaugeFunction,
    GroupEstimate,
    GroupSums,
    ValueInterval,
    effect_interval,
    estimate_injection_quality,
    estimate_ratio,
    ratio_probability,
    value_interval,
)
from memory.quality.experiment_verdicts import JudgedVariant, ObservedVariant, judge_variants
from memory.quality.quality_indicators import LINE_IS_CHOSEN, LINE_IS_HIT, SLOW_MS


@dataclass(frozen=True)
class VariantGauge:
    """A gauge that variants are compared by. ``per_user`` is SQL of a row a user, with ``variant`` and the ``counts``
    that ``estimate`` takes, in this order.
    """

    name: str
    counts: tuple[str, ...]
    per_user: str
    estimate: GaugeFunction
    higher_is_better: bool


@dataclass(frozen=True)
class VariantReading:
    """A gauge of one variant: its value, and by how much it differs from control; None where there is too little."""

    estimate: GroupEstimate | None
    value: ValueInterval | None
    effect: ValueInterval | None


@dataclass(frozen=True)
class ExperimentReport:
    """What came of an experiment: ``users`` by variant, ``readings`` by gauge and variant, and the verdicts.

    ``ratio`` is how likely such numbers of users are by chance.
    """

    users: Mapping[str, int]
    ratio: float
    readings: Mapping[str, Mapping[str, VariantReading]]
    verdicts: tuple[JudgedVariant, ...]

    @property
    def is_ratio_right(self) -> bool:
        """Whether the numbers of users fit their weights; where they do not, no figure of the experiment counts."""
        return self.ratio >= RATIO_ALPHA


_ANSWERED = f"""
    SELECT r.id, r.user_id, r.kind, r.created_at, r.latency_ms, r.budget_exceeded, r.unsearched_because,
           r.generation_metadata -> 'experiments' ->> %(experiment)s AS variant
    FROM memory_receipt r
    WHERE r.created_at >= %(since)s AND r.generation_metadata -> 'experiments' ? %(experiment)s
      AND {learning_allowed_condition("r.user_id")}
      AND NOT EXISTS (SELECT FROM consent_erasurefence f WHERE f.user_id = r.user_id)
"""  # noqa: S608  our own constants
_INJECTED_LINES = f"""
    SELECT u.variant, u.hits, u.fitting, u.injected, (
               SELECT count(*) FROM memory_evolutionevent e
               WHERE e.user_id = u.user_id AND e.action = 'fused' AND e.created_at >= u.first_at
                 AND e.created_at <= coalesce(%(until)s, 'infinity'::timestamptz)
           ) AS fused
    FROM (
        SELECT r.user_id, r.variant, min(r.created_at) AS first_at, count(*) AS fitting,
               count(*) FILTER (WHERE l.status = 'accepted') AS injected, count(*) FILTER (WHERE {LINE_IS_HIT}) AS hits
        FROM answered r JOIN memory_receiptline l ON l.receipt_id = r.id
        WHERE r.kind = 'injection' AND {LINE_IS_CHOSEN}
        GROUP BY r.user_id, r.variant
    ) AS u
"""  # noqa: S608  our own constants
_OVERFLOWS = """
    SELECT r.variant, count(*) FILTER (WHERE r.budget_exceeded) AS overflows, count(*) AS answers
    FROM answered r WHERE r.kind = 'injection' GROUP BY r.user_id, r.variant
"""
_SLOW_SEARCHES = f"""
    SELECT r.variant, count(*) FILTER (WHERE r.latency_ms >= {SLOW_MS}) AS slow, count(r.latency_ms) AS searches
    FROM answered r WHERE r.kind = 'retrieval' AND r.unsearched_because IN ('', 'memory_unavailable')
    GROUP BY r.user_id, r.variant
"""  # noqa: S608  our own constants

INJECTION_GAUGE: Final = VariantGauge(
    "injection_quality",
    ("hits", "fitting", "injected", "fused"),
    _INJECTED_LINES,
    estimate_injection_quality,
    higher_is_better=True,
)
OVERFLOW_GAUGE: Final = VariantGauge(
    "context_overflow_rate", ("overflows", "answers"), _OVERFLOWS, estimate_ratio, higher_is_better=False
)
GAUGES: Final = (
    INJECTION_GAUGE,
    OVERFLOW_GAUGE,
    VariantGauge("slow_retrieval_rate", ("slow", "searches"), _SLOW_SEARCHES, estimate_ratio, higher_is_better=False),
)


def read_report(experiment: Experiment) -> ExperimentReport:
    """All gauges of an experiment that has started, since then."""
    sums = {gauge: read_sums(experiment, gauge) for gauge in GAUGES}
    weights = {variant.name: variant.weight for variant in as_running(experiment).variants}
    users = _users(sums[OVERFLOW_GAUGE], weights)
    return ExperimentReport(
        users,
        ratio_probability([*users.values()], [*weights.values()]),
        {gauge.name: _readings(gauge, sums[gauge], [*weights]) for gauge in GAUGES},
        tuple(_judge(experiment, sums[INJECTION_GAUGE], users)),
    )


def judge_experiment(experiment: Experiment) -> list[JudgedVariant]:
    """The verdict on each variant but control, by its injection quality alone."""
    users = _users(read_sums(experiment, OVERFLOW_GAUGE), (one["name"] for one in experiment.variants))
    return _judge(experiment, read_sums(experiment, INJECTION_GAUGE), users)


def read_sums(experiment: Experiment, gauge: VariantGauge) -> dict[str, GroupSums]:
    """The sums of a gauge's counts over users, by variant; without the variants that nobody was answered by."""
    pairs = [*combinations_with_replacement(gauge.counts, 2)]
    columns = [*(f"sum(u.{name})::float8" for name in gauge.counts), *(f"sum(u.{a} * u.{b})::float8" for a, b in pairs)]
    statement = f"""
        WITH answered AS MATERIALIZED ({_ANSWERED})
        SELECT u.variant, count(*), {", ".join(columns)} FROM ({gauge.per_user}) AS u GROUP BY u.variant
    """  # noqa: S608  our own constants
    parameters = {"experiment": str(experiment.pk), "since": experiment.started_at, "until": experiment.ended_at}
    with in_role(OPERATOR_ROLE), connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        rows = cursor.fetchall()
    return {variant: _group(users, figures, len(gauge.counts)) for variant, users, *figures in rows}


def _group(users: int, figures: list[float], counts: int) -> GroupSums:
    products = np.zeros((counts, counts))
    upper = np.triu_indices(counts)
    products[upper] = figures[counts:]
    products.T[upper] = figures[counts:]
    return GroupSums(users, np.array(figures[:counts]), products)


def _readings(gauge: VariantGauge, sums: Mapping[str, GroupSums], names: list[str]) -> dict[str, VariantReading]:
    estimates = {name: gauge.estimate(sums[name]) if name in sums else None for name in names}
    control = estimates[CONTROL]
    return {
        name: VariantReading(
            estimate,
            value_interval(estimate) if estimate else None,
            effect_interval(estimate, control) if estimate and control and name != CONTROL else None,
        )
        for name, estimate in estimates.items()
    }


def _users(answered: Mapping[str, GroupSums], names: Iterable[str]) -> dict[str, int]:
    """How many users each variant answered."""
    return {name: answered[name].users if name in answered else 0 for name in names}


def _judge(experiment: Experiment, sums: Mapping[str, GroupSums], users: Mapping[str, int]) -> list[JudgedVariant]:
    observed = {
        name: ObservedVariant(answered, INJECTION_GAUGE.estimate(sums[name]) if name in sums else None)
        for name, answered in users.items()
    }
    control = observed.pop(CONTROL)
    return judge_variants(observed, control, experiment.floor)
