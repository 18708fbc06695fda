"""Compares the variants of an experiment: values with their uncertainty, effects with intervals, the ratio of users.

Users are what is assigned at random, so they are what is counted: the lines of one user's receipts depend on another.
Every interval, and the test of the ratio, holds at all looks at once, so that a job may look every 15 minutes and end
the experiment at any of them. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import exp, lgamma, log, sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

ALPHA: Final = 0.05
"""How often an interval misses the true value at any look at all, at most."""
TUNED_ERROR: Final = 0.02
"""The standard error at which intervals are narrowest for what they promise: about 500 users in each variant."""
MIN_USERS: Final = 30
"""The fewest users of a variant by which it is judged: below it a variance is not yet known well enough."""
RATIO_ALPHA: Final = 0.001
"""Below this probability the numbers of users do not fit their weights: Kohavi, Tang and Xu, "Trustworthy Online
Controlled Experiments" (2020), chapter 21.
"""
RATIO_CLOSENESS: Final = (2.0, 2_000.0)
"""How closely wrong ratios lie about the right one, in users: any at all, seen after few of them, and nearly right
ones, seen after some thousands.
"""


@dataclass(frozen=True)
class GroupSums:
    """Sums over the users of a variant: of each of their counts, and of the product of each two counts."""

    users: int
    sums: NDArray[np.float64]
    products: NDArray[np.float64]

    @property
    def means(self) -> NDArray[np.float64]:
        """The mean of each count."""
        return self.sums / self.users

    @property
    def covariance(self) -> NDArray[np.float64]:
        """The covariance of the counts over users. There must be two users."""
        return (self.products - self.users * np.outer(self.means, self.means)) / (self.users - 1)


@dataclass(frozen=True)
class GroupEstimate:
    """The value of a gauge for one variant. ``variance`` is that of the value itself, above 0; ``samples`` its
    denominator.
    """

    value: float
    variance: float
    users: int
    samples: int


@dataclass(frozen=True)
class ValueInterval:
    """A value with the ends of its interval, from ``low`` to ``high``."""

    value: float
    low: float
    high: float

    def in_figures(self, sign: str = "") -> str:
        """The value and its ends, to three decimals; ``sign`` is that of Python's format, "+" for an effect."""
        return f"{self.value:{sign}.3f} [{self.low:{sign}.3f}, {self.high:{sign}.3f}]"


GaugeFunction = Callable[[GroupSums], GroupEstimate | None]


def estimate_ratio(group: GroupSums) -> GroupEstimate | None:
    """The ratio of the first two sums; None without two users, or without a denominator."""
    if group.users < 2 or not group.sums[1]:
        return None
    numerator, denominator = group.means
    gradient = np.array([1 / denominator, -numerator / denominator**2])
    return _estimate(group, float(numerator / denominator), gradient, samples=int(group.sums[1]))


def estimate_share(some: int, users: int) -> GroupEstimate:
    """The share of users who are some of them."""
    counts = np.array([some, users], dtype=np.float64)
    products = np.array([[some, some], [some, users]], dtype=np.float64)
    return estimate_ratio(GroupSums(users, counts, products)) or GroupEstimate(0.0, 1.0, users, users)


def estimate_injection_quality(group: GroupSums) -> GroupEstimate | None:
    """The indicator ``injection_quality`` of users' hits, fitting and injected lines, and trips of the fuse, in this
    order; None without two users, or where nothing fitted.
    """
    if group.users < 2 or not group.sums[1]:
        return None
    hits, fitting, injected, fused = group.means
    corrected = min(fused / injected, 1.0) if injected else 0.0
    kept = 1 - corrected
    gradient = np.array([kept / fitting, -hits * kept / fitting**2, 0.0, 0.0])
    if injected and corrected < 1:
        gradient[2:] = hits / fitting * fused / injected**2, -hits / fitting / injected
    return _estimate(group, float(hits / fitting * kept), gradient, samples=int(group.sums[1]))


def _estimate(group: GroupSums, value: float, gradient: NDArray[np.float64], *, samples: int) -> GroupEstimate:
    """The delta method for a function of means over users: Deng, Knoblich and Lu, "Applying the Delta Method in Metric
    Analytics" (KDD 2018), section 3.

    The error is at least one over the number of users: where all of them are alike, the next may not be.
    """
    variance = float(gradient @ group.covariance @ gradient) / group.users
    return GroupEstimate(value, max(variance, group.users**-2), group.users, samples)


def value_interval(estimate: GroupEstimate, alpha: float = ALPHA) -> ValueInterval | None:
    """The value of a variant with its interval; None where there is too little to judge by."""
    return _interval(estimate.value, estimate.variance, alpha) if _is_enough(estimate) else None


def effect_interval(treated: GroupEstimate, control: GroupEstimate, alpha: float = ALPHA) -> ValueInterval | None:
    """By how much the variant differs from control; None where there is too little of either to judge by."""
    if not (_is_enough(treated) and _is_enough(control)):
        return None
    return _interval(treated.value - control.value, treated.variance + control.variance, alpha)


def _is_enough(estimate: GroupEstimate) -> bool:
    return estimate.users >= MIN_USERS and estimate.samples >= MIN_USERS


def _interval(value: float, variance: float, alpha: float) -> ValueInterval:
    reach = half_width(variance, alpha)
    return ValueInterval(value, value - reach, value + reach)


def half_width(variance: float, alpha: float = ALPHA) -> float:
    """How far an interval that holds at all looks at once reaches from an estimate of this variance.

    The two-sided normal mixture of Robbins in the form of Howard, Ramdas, McAuliffe and Sekhon, "Time-uniform,
    nonparametric, nonasymptotic confidence sequences" (Annals of Statistics 2021), equation 14, tuned by their
    proposition 3. Its clock is the information, one over the variance: estimates at successive looks go along it as a
    Brownian motion, whatever each look added (Jennison and Turnbull, "Group-sequential analysis incorporating covariate
    information", JASA 1997). At ``TUNED_ERROR`` it reaches half as far again as an interval for a single look.
    """
    information = 1 / variance
    tuning = TUNED_ERROR**-2 / (2 * log(1 / alpha) + log(1 + 2 * log(1 / alpha)))
    clock = information + tuning
    return sqrt(clock * log(clock / (tuning * alpha**2))) / information


def ratio_probability(users: Sequence[int], weights: Sequence[float]) -> float:
    """How likely the numbers of users would by chance differ so much from their weights at any look: at most this.

    One over the mean of Bayes factors, each of Dirichlet alternatives about the weights against the weights themselves:
    Lindon and Malek, "Anytime-Valid Inference for Multinomial Count Data" (NeurIPS 2022). A test for a single look that
    is made at every look finds a wrong ratio in any experiment in the end.
    """
    if not sum(users):
        return 1.0
    shares = [weight / sum(weights) for weight in weights]
    factors = [_log_bayes_factor(users, shares, closeness) for closeness in RATIO_CLOSENESS]
    most = max(factors)
    return min(1.0, exp(-most) * len(factors) / sum(exp(factor - most) for factor in factors))


def _log_bayes_factor(users: Sequence[int], shares: Sequence[float], closeness: float) -> float:
    """How much likelier these numbers are, as a logarithm, where the shares are drawn about those that are due."""
    whole = lgamma(closeness) - lgamma(closeness + sum(users))
    return whole + sum(
        lgamma(closeness * share + seen) - lgamma(closeness * share) - seen * log(share)
        for seen, share in zip(users, shares, strict=True)
    )
