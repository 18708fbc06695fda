"""Decides whether an experiment goes on: it is rolled back once a variant is surely too bad. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from memory.quality.experiment_statistics import (
    ALPHA,
    GroupEstimate,
    effect_interval,
    estimate_share,
    value_interval,
)


class ExperimentVerdict(StrEnum):
    """What the quality of a variant asks for."""

    TOO_FEW = "too_few"
    GOES_ON = "goes_on"
    BELOW_FLOOR = "below_floor"
    WORSE_THAN_CONTROL = "worse_than_control"
    STARVES_PROMPT = "starves_prompt"

    @property
    def rolls_back(self) -> bool:
        """Whether the experiment has to end."""
        return self not in (ExperimentVerdict.TOO_FEW, ExperimentVerdict.GOES_ON)


@dataclass(frozen=True)
class JudgedVariant:
    """A variant and what its quality asks for."""

    name: str
    verdict: ExperimentVerdict


@dataclass(frozen=True)
class ObservedVariant:
    """What a variant is judged by: how many users it ``answered``, and the injection quality of those for whom anything
    remembered fitted; None where that is nobody.
    """

    answered: int
    quality: GroupEstimate | None


def judge_variants(
    treated: Mapping[str, ObservedVariant], control: ObservedVariant, floor: float
) -> list[JudgedVariant]:
    """The verdict on each variant but control, by its injection quality.

    A variant is rolled back where its whole interval lies below the floor, unless it is surely better than control, or
    where its whole effect lies below zero. Where so little enters its prompts that it has no interval, it is rolled
    back as soon as surely fewer of its users than of control's are reminded of anything.

    With several variants each gets its part of the chance of error (Bonferroni), so that an experiment without effect
    is rolled back at most once in twenty, however often it is looked at: of either interval only the lower side errs.
    """
    alpha = ALPHA / max(len(treated), 1)
    return [JudgedVariant(name, _judge(observed, control, floor, alpha)) for name, observed in treated.items()]


def _judge(treated: ObservedVariant, control: ObservedVariant, floor: float, alpha: float) -> ExperimentVerdict:
    own = value_interval(treated.quality, alpha) if treated.quality else None
    if own is None:
        starves = _starves(treated, control, alpha)
        return ExperimentVerdict.STARVES_PROMPT if starves else ExperimentVerdict.TOO_FEW
    effect = effect_interval(treated.quality, control.quality, alpha) if treated.quality and control.quality else None
    if own.high < floor and (effect is None or effect.low <= 0):
        return ExperimentVerdict.BELOW_FLOOR
    if effect is None:
        return ExperimentVerdict.TOO_FEW
    return ExperimentVerdict.WORSE_THAN_CONTROL if effect.high < 0 else ExperimentVerdict.GOES_ON


def _starves(treated: ObservedVariant, control: ObservedVariant, alpha: float) -> bool:
    """Whether memory surely enters the prompts of fewer of its users than of control's, which has enough of them."""
    if control.quality is None or value_interval(control.quality, alpha) is None:
        return False
    effect = effect_interval(_reminded(treated), _reminded(control), alpha)
    return effect is not None and effect.high < 0


def _reminded(observed: ObservedVariant) -> GroupEstimate:
    """The share of a variant's users for whom anything remembered fitted."""
    return estimate_share(observed.quality.users if observed.quality else 0, observed.answered)
