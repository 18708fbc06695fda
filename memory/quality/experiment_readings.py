"""Reads what came of an experiment: its users by variant, and the gauges of quality for each, in the operators' role.

A gauge counts as the indicator of its name does, but user by user, while the experiment ran. Whoever may no longer be
measured is not counted, nor is what was erased since. Whatever is asked of an experiment at once is one statement,
which reads its receipts once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import combinations_with_replacement
from typing import Final

import numpy as np
from django.db import connection
from django.utils import timezone

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
from memory.quality.experiment_verdicts import (
    WINDOW,
    JudgedVariant,
    ObservedVariant,
    judge_windows,
    window_number,
)
from memory.quality.quality_indicators import LINE_IS_CHOSEN, LINE_IS_HIT, SLOW_MS

Sums = Mapping[str, GroupSums]
"""The sums of a gauge's counts over users, by variant; without the variants that nobody was answered by."""


@dataclass(frozen=True)
class VariantGauge:
    """A gauge that variants are compared by. ``per_user`` is SQL of a row a user over the receipts ``{answered}``, with
    ``variant`` and the ``counts`` that ``estimate`` takes, in this order.
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
class JudgedExperiment:
    """What an experiment asks for: the verdict on each variant, and whether its ``users`` are as their weights.

    ``ratio`` is how likely such numbers of users are by chance.
    """

    users: Mapping[str, int]
    ratio: float
    verdicts: tuple[JudgedVariant, ...]

    @property
    def is_ratio_right(self) -> bool:
        """Whether the numbers of users fit their weights; where they do not, no figure of the experiment counts."""
        return self.ratio >= RATIO_ALPHA


@dataclass(frozen=True)
class ExperimentReport(JudgedExperiment):
    """What came of an experiment: also the ``readings`` by gauge and variant."""

    readings: Mapping[str, Mapping[str, VariantReading]]


_ANSWERED = f"""
    SELECT r.id, r.user_id, r.message_id, r.kind, r.created_at, r.latency_ms, r.budget_exceeded, r.unsearched_because,
           r.generation_metadata -> 'experiments' ->> %(experiment)s AS variant
    FROM memory_receipt r
    WHERE r.created_at >= %(since)s AND r.generation_metadata ? 'experiments'
      AND r.generation_metadata -> 'experiments' ? %(experiment)s
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
        FROM {{answered}} r JOIN memory_receiptline l ON l.receipt_id = r.id
        WHERE r.kind = 'injection' AND {LINE_IS_CHOSEN}
        GROUP BY r.user_id, r.variant
    ) AS u
"""  # noqa: S608  our own constants
_OVERFLOWS = """
    SELECT r.variant, count(*) FILTER (WHERE r.budget_exceeded) AS overflows, count(*) AS answers
    FROM {answered} r WHERE r.kind = 'injection' GROUP BY r.user_id, r.variant
"""
_SLOW_SEARCHES = f"""
    SELECT r.variant, count(*) FILTER (WHERE r.latency_ms >= {SLOW_MS}) AS slow, count(r.latency_ms) AS searches
    FROM {{answered}} r WHERE r.kind = 'retrieval' AND r.unsearched_because IN ('', 'memory_unavailable')
    GROUP BY r.user_id, r.variant
"""  # noqa: S608  our own constants
# A message may start a skill; how it came out stands in the receipt of that run.
_SKILLS = """
    SELECT r.variant, count(*) FILTER (WHERE EXISTS (
               SELECT FROM memory_toolreceipt t
               WHERE t.user_id = r.user_id AND t.run_id = r.message_id AND t.kind = 'skill' AND t.outcome <> 'refused'
           )) AS begun, count(*) AS answers
    FROM {answered} r WHERE r.kind = 'injection' GROUP BY r.user_id, r.variant
"""
# Of the answers that their user rated, those that were liked.
_RATINGS = """
    SELECT r.variant, count(*) FILTER (WHERE f.rating IN ('thumbs_up', 'helpful', 'agree')) AS liked, count(*) AS rated
    FROM {answered} r JOIN drift_feedback f ON f.user_id = r.user_id AND f.object_ref = 'message:' || r.message_id
    WHERE r.kind = 'injection' GROUP BY r.user_id, r.variant
"""

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
    VariantGauge("skill_rate", ("begun", "answers"), _SKILLS, estimate_ratio, higher_is_better=True),
    VariantGauge("liked_rate", ("liked", "rated"), _RATINGS, estimate_ratio, higher_is_better=True),
)


def read_report(experiment: Experiment) -> ExperimentReport:
    """All gauges of an experiment that has started, since then, and what they ask for."""
    since = experiment.started_at
    judging = _windows(experiment)
    read = _read(experiment, [*((gauge, since) for gauge in GAUGES), *judging])
    names = [variant.name for variant in as_running(experiment).variants]
    judged = _judge(experiment, read[len(GAUGES) :])
    readings = {gauge.name: _readings(gauge, sums, names) for gauge, sums in zip(GAUGES, read, strict=False)}
    return ExperimentReport(judged.users, judged.ratio, judged.verdicts, readings)


def judge_experiment(experiment: Experiment) -> JudgedExperiment:
    """The verdict on each variant but control, by its injection quality alone, and the ratio of users."""
    return _judge(experiment, _read(experiment, _windows(experiment)))


def has_right_ratio(experiment: Experiment) -> bool:
    """Whether the numbers of users fit their weights, read without anything else."""
    weights = {variant.name: variant.weight for variant in as_running(experiment).variants}
    answered = read_sums(experiment, OVERFLOW_GAUGE)
    users = [answered[name].users if name in answered else 0 for name in weights]
    return ratio_probability(users, [*weights.values()]) >= RATIO_ALPHA


def read_sums(experiment: Experiment, gauge: VariantGauge) -> Sums:
    """The sums of one gauge since the experiment started."""
    return _read(experiment, [(gauge, experiment.started_at)])[0]


def _windows(experiment: Experiment) -> list[tuple[VariantGauge, datetime | None]]:
    """What an experiment is judged by: two gauges since it started, and the same two in the latest window."""
    began = experiment.started_at
    assert began is not None
    latest = began + WINDOW * window_number(began, experiment.ended_at or timezone.now())
    return [(gauge, since) for since in (began, latest) for gauge in (OVERFLOW_GAUGE, INJECTION_GAUGE)]


def _read(experiment: Experiment, wanted: Sequence[tuple[VariantGauge, datetime | None]]) -> list[Sums]:
    """The sums of each gauge since a moment of its own, in this order."""
    parameters = {"experiment": str(experiment.pk), "since": experiment.started_at, "until": experiment.ended_at}
    parameters |= {f"since_{number}": since for number, (_gauge, since) in enumerate(wanted)}
    parts = " UNION ALL ".join(_statement(number, gauge) for number, (gauge, _since) in enumerate(wanted))
    with in_role(OPERATOR_ROLE), connection.cursor() as cursor:
        cursor.execute(f"WITH answered AS MATERIALIZED ({_ANSWERED}) {parts}", parameters)
        rows = cursor.fetchall()
    sums: list[dict[str, GroupSums]] = [{} for _ in wanted]
    for number, variant, users, figures in rows:
        sums[number][variant] = _group(users, figures, len(wanted[number][0].counts))
    return list(sums)


def _statement(number: int, gauge: VariantGauge) -> str:
    """SQL of the sums over users, and of the sums of each product of two counts, by variant."""
    pairs = combinations_with_replacement(gauge.counts, 2)
    figures = [*(f"sum(u.{name})" for name in gauge.counts), *(f"sum(u.{a} * u.{b})" for a, b in pairs)]
    source = f"(SELECT a.* FROM answered a WHERE a.created_at >= %(since_{number})s)"  # noqa: S608  our own names
    per_user = gauge.per_user.replace("{answered}", source)
    return f"""
        SELECT {number}, u.variant, count(*), ARRAY[{", ".join(figures)}]::float8[]
        FROM ({per_user}) AS u GROUP BY u.variant
    """  # noqa: S608  our own constants


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


def _judge(experiment: Experiment, read: Sequence[Sums]) -> JudgedExperiment:
    """The verdicts by what ``_windows`` asks for."""
    answered, quality, answered_lately, quality_lately = read
    weights = {variant.name: variant.weight for variant in as_running(experiment).variants}
    whole, latest = (_observed(weights, *sums) for sums in ((answered, quality), (answered_lately, quality_lately)))
    users = {name: observed.answered for name, observed in whole.items()}
    began = experiment.started_at
    assert began is not None
    number = window_number(began, experiment.ended_at or timezone.now())
    verdicts = judge_windows(whole, latest, number, CONTROL, experiment.floor)
    return JudgedExperiment(users, ratio_probability([*users.values()], [*weights.values()]), tuple(verdicts))


def _observed(names: Iterable[str], answered: Sums, quality: Sums) -> dict[str, ObservedVariant]:
    """What each variant is judged by; one that answered nobody is there too."""
    return {
        name: ObservedVariant(
            answered[name].users if name in answered else 0,
            INJECTION_GAUGE.estimate(quality[name]) if name in quality else None,
        )
        for name in names
    }
