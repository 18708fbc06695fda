"""The burn rate of an error budget, over a long and a short window at once. Pure.

The pattern and its figures follow Google's SRE workbook, chapter "Alerting on SLOs".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from math import inf

MIN_SAMPLES = 30
"""The fewest samples by which a window can be judged. With fewer nobody is called, and no objective counts as missed.
"""


class BurnLevel(StrEnum):
    """The response that a burning budget asks for, the most urgent first."""

    PAGE = "page"
    TICKET = "ticket"
    OBSERVE = "observe"
    QUIET = "quiet"


@dataclass(frozen=True)
class BurnRule:
    """A rule that holds while a budget burns at ``rate`` or faster in both windows.

    The long window shows that the burn is significant, the short one that it still goes on.
    """

    level: BurnLevel
    long: timedelta
    short: timedelta
    rate: float


RULES = (
    BurnRule(BurnLevel.PAGE, timedelta(hours=1), timedelta(minutes=5), 14.4),
    BurnRule(BurnLevel.TICKET, timedelta(hours=6), timedelta(minutes=30), 6.0),
)
WINDOWS = tuple(window for rule in RULES for window in (rule.long, rule.short))


@dataclass(frozen=True)
class WindowSample:
    """The samples of a window: ``bad_share`` is the part of its ``size`` samples that missed the objective."""

    bad_share: float
    size: int


def burn_rate(sample: WindowSample, budget: float) -> float:
    """How many times faster than allowed the budget is used: 1 uses it up exactly; infinite without a budget."""
    if not sample.bad_share:
        return 0.0
    return sample.bad_share / budget if budget else inf


def alert_share(rule: BurnRule, budget: float, shares: Mapping[BurnLevel, float] | None = None) -> float:
    """The share of bad samples from which a rule holds in a window: its rate times the budget, or that of ``shares``.

    Without a budget any bad sample is enough.
    """
    return shares[rule.level] if shares else rule.rate * budget


def burn_level(
    windows: Callable[[timedelta], WindowSample], budget: float, shares: Mapping[BurnLevel, float] | None = None
) -> BurnLevel:
    """The response that a budget's burning asks for.

    ``windows`` returns the sample of a window; ``shares`` are an indicator's ``alert_shares``. The response is OBSERVE
    if a rule holds but one of its windows has too few samples. Where no miss is allowed, as for legal terms (budget 0),
    one sample is enough for the rule's level (row 6 of the acceptance table).
    """
    burning = [rule for rule in RULES if _burns(rule, windows, alert_share(rule, budget, shares))]
    for rule in burning:
        if not budget or _is_enough(rule, windows):
            return rule.level
    return BurnLevel.OBSERVE if burning else BurnLevel.QUIET


def _burns(rule: BurnRule, windows: Callable[[timedelta], WindowSample], share: float) -> bool:
    shares = [windows(window).bad_share for window in (rule.long, rule.short)]
    return min(shares) > 0 and min(shares) >= share


def _is_enough(rule: BurnRule, windows: Callable[[timedelta], WindowSample]) -> bool:
    return all(windows(window).size >= MIN_SAMPLES for window in (rule.long, rule.short))
