"""Decides whether an experiment goes on: it is rolled back once a variant is surely too bad. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from memory.quality.experiment_statistics import ALPHA, GroupEstimate, effect_interval, value_interval


class ExperimentVerdict(StrEnum):
    """What the quality of a variant asks for."""

    TOO_FEW = "too_few"
    GOES_ON = "goes_on"
    BELOW_FLOOR = "below_floor"
    WORSE_THAN_CONTROL = "worse_than_control"

    @property
    def rolls_back(self) -> bool:
        """Whether the experiment has to end."""
        return self in (ExperimentVerdict.BELOW_FLOOR, ExperimentVerdict.WORSE_THAN_CONTROL)


@dataclass(frozen=True)
class JudgedVariant:
    """A variant and what its quality asks for."""

    name: str
    verdict: ExperimentVerdict


def judge_variants(
    treated: Mapping[str, GroupEstimate | None], control: GroupEstimate | None, floor: float
) -> list[JudgedVariant]:
    """The verdict on each variant but control, by its injection quality.

    A variant is rolled back where its whole interval lies below the floor, unless it is surely better than control, or
    where its whole effect lies below zero.
    With several variants each gets its part of the chance of error (Bonferroni), so that an experiment without effect
    is rolled back at most once in twenty, however often it is looked at.
    """
    alpha = ALPHA / max(len(treated), 1)
    return [JudgedVariant(name, _judge(estimate, control, floor, alpha)) for name, estimate in treated.items()]


def _judge(
    estimate: GroupEstimate | None, control: GroupEstimate | None, floor: float, alpha: float
) -> ExperimentVerdict:
    own = value_interval(estimate, alpha) if estimate else None
    if own is None:
        return ExperimentVerdict.TOO_FEW
    effect = effect_interval(estimate, control, alpha) if estimate and control else None
    if own.high < floor and (effect is None or effect.low <= 0):
        return ExperimentVerdict.BELOW_FLOOR
    if effect is None:
        return ExperimentVerdict.TOO_FEW
    return ExperimentVerdict.WORSE_THAN_CONTROL if effect.high < 0 else ExperimentVerdict.GOES_ON
