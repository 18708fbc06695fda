"""An alert needs both windows to burn, and enough samples to believe them. No database."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.quality.budget_alerts import ALERTED_INDICATORS
from memory.quality.error_budget import (
    MIN_SAMPLES,
    RULES,
    BurnLevel,
    BurnRule,
    WindowSample,
    alert_share,
    burn_level,
    burn_rate,
)
from memory.quality.indicators import Indicator
from memory.quality.quality_indicators import INJECTION

HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)
QUIET = WindowSample(0.0, 1_000)


def _level(
    windows: dict[str, tuple[float, int]], budget: float = 0.0625, shares: Mapping[BurnLevel, float] | None = None
) -> BurnLevel:
    """Windows by name: m5, h1, m30, h6; those not named are quiet."""
    lengths = {"m5": 5 * MINUTE, "h1": HOUR, "m30": 30 * MINUTE, "h6": 6 * HOUR}
    samples = dict.fromkeys(lengths.values(), QUIET)
    samples |= {lengths[name]: WindowSample(*values) for name, values in windows.items()}
    return burn_level(samples.__getitem__, budget, shares)


def test_a_budget_used_up_exactly_burns_at_one() -> None:
    assert burn_rate(WindowSample(0.05, 100), 0.05) == 1.0
    assert burn_rate(WindowSample(0.0, 100), 0.0) == 0.0
    assert burn_rate(WindowSample(0.01, 100), 0.0) == inf


@pytest.mark.parametrize(
    ("windows", "level"),
    [
        ({}, BurnLevel.QUIET),
        ({"h1": (0.9, 100), "m5": (0.9, 100)}, BurnLevel.PAGE),  # 14.4 times 1/16, which binary figures hold exactly
        ({"h1": (0.89, 100), "m5": (0.9, 100)}, BurnLevel.QUIET),
        ({"h1": (0.9, 100)}, BurnLevel.QUIET),  # over, the short window says
        ({"m5": (1.0, 100)}, BurnLevel.QUIET),  # a blip, the long one says
        ({"h6": (0.375, 100), "m30": (0.375, 100)}, BurnLevel.TICKET),  # 6 times 1/16
        ({"h6": (0.374, 100), "m30": (0.375, 100)}, BurnLevel.QUIET),
        ({"h1": (0.95, 99), "m5": (0.95, 29), "h6": (0.95, 600), "m30": (0.95, 90)}, BurnLevel.TICKET),
        ({"h1": (0.95, 100), "m5": (0.95, 29)}, BurnLevel.OBSERVE),
        ({"h1": (0.95, 29), "m5": (0.95, 30)}, BurnLevel.OBSERVE),
        ({"h6": (0.95, 29), "m30": (0.95, 29)}, BurnLevel.OBSERVE),
    ],
)
def test_the_level_follows_both_windows(windows: dict[str, tuple[float, int]], level: BurnLevel) -> None:
    assert _level(windows) == level


def test_without_a_budget_one_miss_pages_however_few_the_samples() -> None:
    assert _level({"h1": (1.0, 1), "m5": (1.0, 1)}, 0.0) == BurnLevel.PAGE


@pytest.mark.parametrize("indicator", ALERTED_INDICATORS, ids=lambda indicator: indicator.name)
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.level.value)
def test_every_alert_can_be_reached(indicator: Indicator, rule: BurnRule) -> None:
    assert alert_share(rule, indicator.budget or 0.0, indicator.alert_shares) < 1


@pytest.mark.parametrize(
    ("windows", "level"),
    [
        ({"h1": (0.60, 100), "m5": (0.60, 30)}, BurnLevel.PAGE),
        ({"h1": (0.59, 100), "m5": (0.60, 30)}, BurnLevel.QUIET),
        ({"h6": (0.45, 600), "m30": (0.45, 50)}, BurnLevel.TICKET),
        ({"h6": (0.44, 600), "m30": (0.45, 50)}, BurnLevel.QUIET),
        ({"h6": (0.45, 600), "m30": (0.45, 29)}, BurnLevel.OBSERVE),
    ],
)
def test_a_large_budget_alerts_on_shares(windows: dict[str, tuple[float, int]], level: BurnLevel) -> None:
    assert _level(windows, INJECTION.budget or 0.0, INJECTION.alert_shares) == level


def test_a_short_window_is_a_twelfth_of_its_long_one() -> None:
    assert all(rule.long == 12 * rule.short for rule in RULES)


SHARES = st.floats(min_value=0, max_value=1)


@given(shares=st.tuples(SHARES, SHARES, SHARES, SHARES), size=st.integers(min_value=0, max_value=MIN_SAMPLES - 1))
def test_few_samples_never_call_anybody(shares: tuple[float, ...], size: int) -> None:
    names = ("m5", "h1", "m30", "h6")
    windows = {name: (share, size) for name, share in zip(names, shares, strict=True)}

    assert _level(windows) in (BurnLevel.OBSERVE, BurnLevel.QUIET)
