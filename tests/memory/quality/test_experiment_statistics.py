"""Values, intervals and the ratio of users: against tables, by hand, and over many looks at simulated experiments."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from statistics import NormalDist

import numpy as np
import pytest

from memory.quality.experiment_statistics import (
    ALPHA,
    MIN_USERS,
    RATIO_ALPHA,
    GroupEstimate,
    GroupSums,
    effect_interval,
    estimate_injection_quality,
    estimate_ratio,
    half_width,
    ratio_probability,
    value_interval,
)
from memory.quality.experiment_verdicts import (
    WINDOW,
    ExperimentVerdict,
    JudgedVariant,
    ObservedVariant,
    judge_variants,
    judge_windows,
    window_number,
)


def sums_of(rows: object) -> GroupSums:
    """The sums over users, each a row of counts."""
    counts = np.array(rows, dtype=float)
    return GroupSums(len(counts), counts.sum(axis=0), counts.T @ counts)


def estimate(value: float, error: float = 0.01, users: int = 500, samples: int = 5_000) -> GroupEstimate:
    """A value with its standard error."""
    return GroupEstimate(value, error**2, users, samples)


def observed(quality: GroupEstimate | None) -> ObservedVariant:
    """A variant all of whose users were reminded of something."""
    return ObservedVariant(quality.users if quality else 0, quality)


@pytest.mark.parametrize(
    ("users", "weights", "likely"),
    [
        ([], [], True),
        ([0, 0], [50, 50], True),
        ([2, 0], [1, 99], True),  # too few to say
        ([4, 0], [1, 99], False),
        ([0, 11], [50, 50], True),
        ([0, 15], [50, 50], False),
        ([5_012, 4_988], [50, 50], True),
        ([2_040, 7_960], [20, 80], True),
        ([5_250, 4_750], [50, 50], False),
        ([1_000, 1_000, 900], [1, 1, 1], True),
        ([1_000, 1_000, 800], [1, 1, 1], False),
    ],
)
def test_numbers_of_users_that_do_not_fit_their_weights_are_unlikely(
    users: list[int], weights: list[float], likely: bool
) -> None:
    assert (ratio_probability(users, weights) >= RATIO_ALPHA) == likely


def test_a_ratio_counts_users_and_not_their_lines() -> None:
    rows = np.random.default_rng(1).integers(1, 9, (400, 1)) * np.array([[1, 2]])  # each user's own ratio is a half
    noisy = rows + np.random.default_rng(2).integers(0, 2, (400, 2)) * np.array([[1, 0]])
    found = estimate_ratio(sums_of(noisy))

    assert found is not None
    assert found.value == pytest.approx(noisy[:, 0].sum() / noisy[:, 1].sum())
    assert found.samples == noisy[:, 1].sum()
    residuals = (noisy[:, 0] - found.value * noisy[:, 1]) / noisy[:, 1].mean()
    assert found.variance == pytest.approx(residuals.var(ddof=1) / 400)


def test_injection_quality_is_that_of_the_indicator_with_the_spread_over_samples() -> None:
    random = np.random.default_rng(3)
    fitting = random.poisson(6, 800)
    injected = random.binomial(fitting, 0.9)
    hits, fused = random.binomial(injected, 0.8), random.binomial(injected, 0.05)
    rows = np.stack([hits, fitting, injected, fused], axis=1)
    found = estimate_injection_quality(sums_of(rows))

    assert found is not None
    kept = 1 - fused.sum() / injected.sum()
    assert found.value == pytest.approx(hits.sum() / fitting.sum() * kept)
    drawn = (estimate_injection_quality(sums_of(rows[random.integers(0, 800, 800)])) for _ in range(600))
    spread = np.std([one.value for one in drawn if one])
    assert found.variance**0.5 == pytest.approx(spread, rel=0.1)


@pytest.mark.parametrize("rows", [[[1, 2, 2, 0]], [[0, 0, 0, 0], [0, 0, 0, 0]]])
def test_without_two_users_or_anything_that_fitted_there_is_no_value(rows: list[list[int]]) -> None:
    assert estimate_injection_quality(sums_of(rows)) is None
    assert estimate_ratio(sums_of([row[:2] for row in rows])) is None


def test_more_trips_of_the_fuse_than_lines_leave_nothing() -> None:
    found = estimate_injection_quality(sums_of([[1, 2, 1, 2], [2, 3, 1, 4]]))

    assert found is not None
    assert found.value == 0


@pytest.mark.parametrize("little", [estimate(0.6, users=MIN_USERS - 1), estimate(0.6, samples=MIN_USERS - 1)])
def test_too_little_has_no_interval_and_no_verdict(little: GroupEstimate) -> None:
    assert value_interval(little) is effect_interval(little, estimate(0.6)) is None
    (judged,) = judge_variants({"warm": observed(little)}, observed(estimate(0.9)), 0.55)
    assert judged.verdict is ExperimentVerdict.TOO_FEW


@pytest.mark.parametrize(
    ("treated", "control", "verdict"),
    [
        (0.70, 0.70, ExperimentVerdict.GOES_ON),
        (0.75, 0.70, ExperimentVerdict.GOES_ON),
        (0.60, 0.70, ExperimentVerdict.WORSE_THAN_CONTROL),
        (0.45, 0.46, ExperimentVerdict.BELOW_FLOOR),
        (0.54, 0.55, ExperimentVerdict.GOES_ON),  # below it, but not surely
        (0.45, 0.35, ExperimentVerdict.GOES_ON),  # below it, but surely better than what all others get
    ],
)
def test_what_is_surely_too_bad_is_rolled_back(treated: float, control: float, verdict: ExperimentVerdict) -> None:
    (judged,) = judge_variants({"warm": observed(estimate(treated))}, observed(estimate(control)), 0.55)

    assert judged.verdict is verdict
    assert verdict.rolls_back == (verdict not in (ExperimentVerdict.GOES_ON, ExperimentVerdict.TOO_FEW))


@pytest.mark.parametrize(
    ("treated", "control", "verdict"),
    [
        ([7, 6, 5, 7], [10], ExperimentVerdict.WORSE_THAN_CONTROL),
        ([0], [10], ExperimentVerdict.BELOW_FLOOR),
        ([0], [8, 9, 10, 7], ExperimentVerdict.BELOW_FLOOR),
        ([10], [10], ExperimentVerdict.GOES_ON),
    ],
)
def test_users_who_are_all_alike_are_judged_too(
    treated: list[int], control: list[int], verdict: ExperimentVerdict
) -> None:
    """Each of 300 users has ten lines, of which so many hit, by turns."""
    found = [
        estimate_injection_quality(sums_of([[hits[number % len(hits)], 10, 10, 0] for number in range(300)]))
        for hits in (treated, control)
    ]
    (judged,) = judge_variants({"warm": observed(found[0])}, observed(found[1]), 0.5)

    assert judged.verdict is verdict


def test_below_the_floor_is_too_bad_before_control_is_known() -> None:
    (judged,) = judge_variants({"warm": observed(estimate(0.45))}, ObservedVariant(0, None), 0.55)

    assert judged.verdict is ExperimentVerdict.BELOW_FLOOR


@pytest.mark.parametrize(
    ("treated", "control", "verdict"),
    [
        (ObservedVariant(40, None), ObservedVariant(40, estimate(0.7, users=38)), ExperimentVerdict.STARVES_PROMPT),
        (ObservedVariant(200, estimate(0.9, users=20)), ObservedVariant(200, estimate(0.7, users=90)),
         ExperimentVerdict.STARVES_PROMPT),
        (ObservedVariant(29, None), ObservedVariant(40, estimate(0.7, users=38)), ExperimentVerdict.TOO_FEW),
        (ObservedVariant(90, None), ObservedVariant(90, estimate(0.7, users=29)), ExperimentVerdict.TOO_FEW),
        (ObservedVariant(90, None), ObservedVariant(90, None), ExperimentVerdict.TOO_FEW),
        (ObservedVariant(40, estimate(0.7, users=28)), ObservedVariant(40, estimate(0.7, users=31)),
         ExperimentVerdict.TOO_FEW),
    ],
)  # fmt: skip
def test_a_variant_that_reminds_nobody_is_rolled_back_where_control_does(
    treated: ObservedVariant, control: ObservedVariant, verdict: ExperimentVerdict
) -> None:
    (judged,) = judge_variants({"warm": treated}, control, 0.55)

    assert judged.verdict is verdict


def test_each_of_several_variants_is_judged_more_slowly() -> None:
    treated, control = observed(estimate(0.653)), observed(estimate(0.70))
    alone = judge_variants({"a": treated}, control, 0.5)
    together = judge_variants(dict.fromkeys("abcd", treated), control, 0.5)

    assert [judged.verdict.rolls_back for judged in alone] == [True]
    assert [judged.verdict.rolls_back for judged in together] == [False] * 4


@pytest.mark.parametrize(
    ("whole", "latest", "number", "verdict", "lately"),
    [
        (0.70, 0.55, 1, ExperimentVerdict.WORSE_THAN_CONTROL, True),
        (0.70, 0.55, 0, ExperimentVerdict.GOES_ON, False),  # the first window is the whole
        (0.55, 0.70, 1, ExperimentVerdict.WORSE_THAN_CONTROL, False),
        (0.70, None, 1, ExperimentVerdict.GOES_ON, False),
        (0.70, 0.65, 1, ExperimentVerdict.WORSE_THAN_CONTROL, True),
        (0.70, 0.65, 9, ExperimentVerdict.GOES_ON, False),  # the later the window, the surer it has to be
    ],
)
def test_the_latest_window_is_judged_beside_the_whole(
    whole: float, latest: float | None, number: int, verdict: ExperimentVerdict, lately: bool
) -> None:
    of_whole = {"control": observed(estimate(0.70)), "warm": observed(estimate(whole))}
    of_latest = {"control": observed(estimate(0.70)), "warm": observed(None if latest is None else estimate(latest))}

    judged = judge_windows(of_whole, of_latest, number, "control", 0.5)
    assert judged == [JudgedVariant("warm", verdict, lately)]


def test_windows_lie_end_to_end() -> None:
    began = datetime(2026, 11, 1, tzinfo=UTC)
    ages = (-WINDOW, timedelta(0), WINDOW - timedelta(seconds=1), WINDOW, WINDOW * 5)

    assert [window_number(began, began + age) for age in ages] == [0, 0, 0, 1, 5]


def test_an_interval_for_all_looks_is_wider_than_one_for_a_single_look_but_not_by_much() -> None:
    single = NormalDist().inv_cdf(1 - ALPHA / 2)
    factors = [half_width(error**2) / (single * error) for error in (0.04, 0.02, 0.01, 0.005)]

    assert all(1.4 < factor < 2 for factor in factors)


def test_however_often_one_looks_the_truth_is_seldom_missed() -> None:
    """Two thousand experiments without effect, looked at after each of 400 batches: less than one in twenty errs at any
    look, where intervals for a single look err in most.
    """
    random = np.random.default_rng(4)
    information = np.arange(1, 401) * 50.0
    walk = np.cumsum(random.normal(0, 50**0.5, (2_000, 400)), axis=1) / information
    reach = np.array([half_width(1 / amount) for amount in information])
    single = NormalDist().inv_cdf(1 - ALPHA / 2) / np.sqrt(information)

    assert (np.abs(walk) > reach).any(axis=1).mean() < ALPHA
    assert (np.abs(walk) > single).any(axis=1).mean() > 0.3


def test_however_often_one_looks_a_right_ratio_is_seldom_called_wrong() -> None:
    """Four hundred experiments, looked at sixty times while ten users become ten thousand: a test for a single look,
    whose 0.1 % point is 3.29 standard deviations, errs at some look in one of forty.
    """
    looks = np.unique(np.geomspace(10, 10_000, 60).astype(int))
    treated = np.cumsum(np.random.default_rng(5).binomial(np.diff(looks, prepend=0), 0.5, (400, len(looks))), axis=1)
    deviations = np.abs(2 * treated - looks) / np.sqrt(looks)
    least = [
        min(ratio_probability([some, seen - some], [1, 1]) for some, seen in zip(run, looks.tolist(), strict=True))
        for run in treated.tolist()
    ]

    assert min(least) >= RATIO_ALPHA
    assert (deviations > 3.29).any(axis=1).mean() > 0.01
