"""Experiments on ten thousand simulated people: what harms is rolled back, what helps is seen, what does nothing stays.

    python -m bench.experiments --runs 100

Assignment, statistics and the rule of rolling back are the product's own. People are not: each talks at a rate of their
own, and of the memories that fit each message a share of their own is put to good use; a treatment shifts that share,
from the beginning or from some hour on.
Operators grow each experiment by the calendar, whatever it shows, which is harder on the rule than operators who look.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from bench.report import publish
from consent.experiment_assignment import CONTROL, ExperimentVariant, RunningExperiment, assigned_variant
from memory.quality.experiment_statistics import (
    RATIO_ALPHA,
    GroupSums,
    ValueInterval,
    effect_interval,
    estimate_injection_quality,
    ratio_probability,
)
from memory.quality.experiment_verdicts import WINDOW, ObservedVariant, judge_windows

PEOPLE: Final = 10_000
STEPS: Final = ((0, 1), (24, 10), (72, 50), (120, 100))
"""From which hour on an experiment takes which share of the people, in per cent."""
HOURS: Final = 14 * 24
WINDOW_OF_RULE: Final = int(WINDOW.total_seconds() // 3600)
WINDOW_HOURS: Final = 7 * 24
"""The window of the indicator, within which harm has to be seen."""
FLOOR: Final = 0.55
USUAL_QUALITY: Final = 0.70
LATE: Final = 10 * 24
"""The hour from which on what harms late does so: when everybody takes part, and most answers were as good as any."""
EFFECTS: Final = {
    "harms by .1": (-0.10, 0),
    "helps by .05": (0.05, 0),
    "does nothing": (0.0, 0),
    "harms late": (-0.10, LATE),
}
_SPREAD: Final = 0.15  # standard deviation of people's own quality
_TURNS_A_DAY: Final = 3.0
_LINES_A_TURN: Final = 3.0
_FUSED: Final = 0.005  # share of injected lines that trip the fuse
_SEED: Final = 20_261_129
_TREATED: Final = "treated"
_VARIANTS: Final = (ExperimentVariant(CONTROL, 50), ExperimentVariant(_TREATED, 50, {"skill_threshold": 0.2}))

Counts = NDArray[np.float64]


@dataclass(frozen=True)
class SimulatedRun:
    """What became of one experiment. ``seen`` is the share of all people who were answered by the treatment;
    ``missed`` whether the interval left out the true effect at any look, ``ratio`` how likely the numbers of users were
    at the look where they were least so.
    """

    rolled_back_after: float | None
    seen: float
    effect: ValueInterval | None
    missed: bool
    ratio: float


class People:
    """The people of one run: how much they talk, how well memories serve them, and what has come of it so far."""

    def __init__(self, random: np.random.Generator, shift: float, since: int) -> None:
        self.random = random
        self.ids = [UUID(bytes=random.bytes(16), version=4) for _ in range(PEOPLE)]
        self.rate = random.gamma(2.0, _TURNS_A_DAY / 24 / 2, PEOPLE)
        weight = USUAL_QUALITY * (1 - USUAL_QUALITY) / _SPREAD**2 - 1
        usual = random.beta(USUAL_QUALITY * weight, (1 - USUAL_QUALITY) * weight, PEOPLE)
        shifted = np.clip(usual + shift, 0.0, 1.0)
        self.true_effect = float(np.average(shifted - usual, weights=self.rate)) * (1 - _FUSED)
        self.treated, self.from_share = self._assign(UUID(bytes=random.bytes(16), version=4))
        self.usual, self.quality, self.since = usual, np.where(self.treated, shifted, usual), since
        self.counts: Counts = np.zeros((PEOPLE, 4))
        self.before_window: Counts = np.zeros((PEOPLE, 4))

    def _assign(self, experiment_id: UUID) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
        """Who is treated, and from which share on each takes part; everybody does at the last step."""
        treated, from_share = np.zeros(PEOPLE, dtype=bool), np.zeros(PEOPLE, dtype=np.int64)
        for _hour, share in reversed(STEPS):
            at_share = RunningExperiment(experiment_id, "brain_routing", "brain_routing", 0, 100, share, _VARIANTS)
            for number, user_id in enumerate(self.ids):
                variant = assigned_variant(at_share, user_id)
                if variant is not None:
                    assert not from_share[number] or treated[number] == (variant.name == _TREATED), "somebody was moved"
                    treated[number], from_share[number] = variant.name == _TREATED, share
        assert from_share.all()
        return treated, from_share

    def talk(self, until: int, hours: int, share: int) -> None:
        """Let those who take part at this share talk for some hours, ``until`` this one."""
        here = self.from_share <= share
        quality = self.quality if until > self.since else self.usual
        turns = self.random.poisson(self.rate[here] * hours)
        fitting = self.random.poisson(turns * _LINES_A_TURN)
        injected = fitting
        hits = self.random.binomial(fitting, quality[here])
        fused = self.random.binomial(injected, _FUSED)
        self.counts[here] += np.stack([hits, fitting, injected, fused], axis=1)

    def begin_window(self) -> None:
        """Let the windows that are judged by themselves begin anew."""
        self.before_window = self.counts.copy()

    def observed(self, *, lately: bool) -> dict[str, ObservedVariant]:
        """What the variants are judged by: all that was observed, or the latest window alone."""
        counts = self.counts - self.before_window if lately else self.counts
        sums = {name: self._sums(counts, treated=name == _TREATED) for name in (CONTROL, _TREATED)}
        return {name: ObservedVariant(of.users, estimate_injection_quality(of)) for name, of in sums.items()}

    def _sums(self, counts: Counts, *, treated: bool) -> GroupSums:
        """The sums over those of one variant who were answered at all."""
        rows = counts[(self.treated == treated) & (counts[:, 1] > 0)]
        return GroupSums(len(rows), rows.sum(axis=0), rows.T @ rows)


def simulate(random: np.random.Generator, shift: float, since: int, hours_a_look: int) -> SimulatedRun:
    """Run one experiment to its end, or until it is rolled back."""
    people = People(random, shift, since)
    missed, effect, ended, ratio, whole = False, None, None, 1.0, people.observed(lately=False)
    for hour, share in _looks(hours_a_look):
        people.talk(hour, hours_a_look, share)
        whole = people.observed(lately=False)
        ratio = min(ratio, ratio_probability([whole[name].answered for name in (CONTROL, _TREATED)], [50, 50]))
        treated, control = whole[_TREATED].quality, whole[CONTROL].quality
        if treated and control and not since:  # of what begins late the whole has no one true effect
            effect = effect_interval(treated, control)
            missed |= effect is not None and not effect.low <= people.true_effect <= effect.high
        number = (hour - 1) // WINDOW_OF_RULE
        (judged,) = judge_windows(whole, people.observed(lately=True), number, CONTROL, FLOOR)
        if judged.verdict.rolls_back:
            ended = float(hour)
            break
        if hour % WINDOW_OF_RULE == 0:
            people.begin_window()
    return SimulatedRun(ended, whole[_TREATED].answered / PEOPLE, effect, missed, ratio)


def _looks(hours_a_look: int) -> Iterator[tuple[int, int]]:
    """The hour of each look, with the share of people that took part before it."""
    for hour in range(hours_a_look, HOURS + 1, hours_a_look):
        yield hour, max(share for since, share in STEPS if since < hour)


def measure(runs: int, hours_a_look: int) -> dict[str, dict[str, float]]:
    """A row of figures for each effect."""
    figures = {}
    for number, (name, (shift, since)) in enumerate(EFFECTS.items()):
        seeds = [[_SEED, number, run] for run in range(runs)]
        runs_of_it = [simulate(np.random.default_rng(seed), shift, since, hours_a_look) for seed in seeds]
        figures[name] = _figures(runs_of_it, since)
    return figures


def _figures(runs: list[SimulatedRun], since: int) -> dict[str, float]:
    ended = [run.rolled_back_after for run in runs if run.rolled_back_after is not None]
    effects = [run.effect for run in runs if run.effect is not None]
    return {
        "runs": len(runs),
        "rolled back": len(ended),
        "before anything harmed": sum(hour <= since for hour in ended),
        "latest hour": max(ended, default=0.0),
        "most who saw it": max(run.seen for run in runs),
        "surely better": sum(effect.low > 0 for effect in effects),
        "surely worse": sum(effect.high < 0 for effect in effects),
        "mean effect": float(np.mean([effect.value for effect in effects])) if effects else 0.0,
        "truth missed": sum(run.missed for run in runs),
        "ratio alarms": sum(run.ratio < RATIO_ALPHA for run in runs),
    }


def failures(figures: dict[str, dict[str, float]]) -> list[str]:
    """What the figures do not show that they must."""
    harm, help_, nothing, late = figures.values()
    required = {
        "harm is always rolled back": harm["rolled back"] == harm["runs"],
        "harm is rolled back within the window": harm["latest hour"] <= WINDOW_HOURS,
        "harm is rolled back before a tenth have seen it": harm["most who saw it"] < 0.1,
        "help is seen with the right sign": help_["surely better"] == help_["runs"] and not help_["rolled back"],
        "what does nothing is left alone in 95 of 100": all(
            early <= 0.05 * nothing["runs"] for early in (nothing["rolled back"], late["before anything harmed"])
        ),
        "no interval misses the truth in more than 5 of 100": all(
            row["truth missed"] <= 0.05 * row["runs"] for row in figures.values()
        ),
        "late harm is rolled back too": late["rolled back"] == late["runs"],
        "late harm is rolled back within two days": late["latest hour"] <= LATE + 48,
        "the ratio is right": sum(row["ratio alarms"] for row in figures.values()) <= 1,
    }
    return [name for name, holds in required.items() if not holds]


def main() -> int:
    """Print the figures; answer 1 where one is not as required."""
    parser = argparse.ArgumentParser(prog="python -m bench.experiments", description=__doc__)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--hours", type=int, default=4, help="between two looks; the product looks every 15 minutes")
    options = parser.parse_args()
    figures = measure(options.runs, options.hours)
    publish("experiments", f"{PEOPLE} people, {HOURS // 24} days, a look every {options.hours} hours", figures)
    missing = failures(figures)
    for name in missing:
        print(f"NOT SHOWN: {name}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
