"""Decides whether an experiment goes on: it is rolled back once a variant is surely too bad. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from math import pi
from typing import Final

from memory.quality.experiment_statistics import (
    ALPHA,
    GroupEstimate,
    effect_interval,
    estimate_share,
    value_interval,
)

WINDOW: Final = timedelta(days=3)
"""How long the windows are that are judged beside the whole: what begins late is not hidden by what came before it."""


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
    """A variant and what its quality asks for: since the experiment began, or ``lately``, in the last window alone."""

    name: str
    verdict: ExperimentVerdict
    lately: bool = False


@dataclass(frozen=True)
class ObservedVariant:
    """What a variant is judged by: how many users it ``answered``, and the injection quality of those for whom anything
    remembered fitted; None where that is nobody.
    """

    answered: int
    quality: GroupEstimate | None


def window_number(began: datetime, now: datetime) -> int:
    """Which window it is, from 0. Windows lie end to end, so that each answer counts in one of them alone."""
    return max(now - began, timedelta()) // WINDOW


def judge_windows(
    whole: Mapping[str, ObservedVariant], latest: Mapping[str, ObservedVariant], number: int, control: str, floor: float
) -> list[JudgedVariant]:
    """The verdict on each variant but ``control``: by all that was observed, then by the ``latest`` window of this
    number alone, which may be worse than the whole.

    Each of the two has half the chance of error. Of its half the windows together use all, the later the less: the n-th
    has six over the square of pi times n, since those add up to one.
    """
    verdicts = judge_variants(_without(whole, control), whole[control], floor, ALPHA / 2)
    if number == 0:  # the first window is the whole
        return verdicts
    alpha = ALPHA / 2 * 6 / (pi * number) ** 2
    return _worse(verdicts, judge_variants(_without(latest, control), latest[control], floor, alpha))


def _without(observed: Mapping[str, ObservedVariant], control: str) -> dict[str, ObservedVariant]:
    return {name: variant for name, variant in observed.items() if name != control}


def _worse(whole: Sequence[JudgedVariant], latest: Sequence[JudgedVariant]) -> list[JudgedVariant]:
    """The verdicts on the whole, and in place of those that let a variant go on, what rolls it back lately."""
    return [
        replace(last, lately=True) if last.verdict.rolls_back and not first.verdict.rolls_back else first
        for first, last in zip(whole, latest, strict=True)
    ]


def judge_variants(
    treated: Mapping[str, ObservedVariant], control: ObservedVariant, floor: float, alpha: float = ALPHA
) -> list[JudgedVariant]:
    """The verdict on each variant but control, by its injection quality, erring in ``alpha`` of all experiments.

    A variant is rolled back where its whole interval lies below the floor, unless it is surely better than control, or
    where its whole effect lies below zero. Where so little enters its prompts that it has no interval, it is rolled
    back as soon as surely fewer of its users than of control's are reminded of anything.

    With several variants each gets its part of the chance of error (Bonferroni), so that an experiment without effect
    is rolled back no oftener, however often it is looked at: of either interval only the lower side errs.
    """
    each = alpha / max(len(treated), 1)
    return [JudgedVariant(name, _judge(observed, control, floor, each)) for name, observed in treated.items()]


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
