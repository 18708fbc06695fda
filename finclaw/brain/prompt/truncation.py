"""Policies that cut slots which ask for more tokens than there are; named by the setting ``TRUNCATION_POLICY``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Protocol

from finclaw.brain.prompt.budget import BOUNDS, COMPRESSIBLE, Slot


class TruncationPolicy(Protocol):
    """Cuts compressible slots."""

    def truncate(self, slots: Mapping[Slot, int], available_budget: int) -> dict[Slot, int]:
        """``slots``, each at most as large as before, and together at most ``available_budget`` tokens."""
        ...


class FixedPriorityPolicy:
    """Cuts slot by slot in the order of ``COMPRESSIBLE``: first to the minimum, then to nothing."""

    def truncate(self, slots: Mapping[Slot, int], available_budget: int) -> dict[Slot, int]:
        """As ``TruncationPolicy.truncate``."""
        left = dict(slots)
        excess = sum(left.values()) - available_budget
        for floor in (_LEAST, _NOTHING):
            for slot in COMPRESSIBLE:
                cut = max(0, min(excess, left[slot] - floor[slot]))
                left[slot] -= cut
                excess -= cut
        return left


class ConstraintOptimizationPolicy:
    """Cuts all slots at once, with the least squared cut relative to what each can give.

    Minimising Σ cutᵢ²/slackᵢ under Σ cutᵢ = excess has the solution cutᵢ = excess · slackᵢ / Σ slack, which keeps every
    slot within its bounds while the slack lasts. Below their minimum, slots shrink in proportion to it.
    """

    def truncate(self, slots: Mapping[Slot, int], available_budget: int) -> dict[Slot, int]:
        """As ``TruncationPolicy.truncate``."""
        least = {slot: min(tokens, BOUNDS[slot].least) for slot, tokens in slots.items()}
        spare = available_budget - sum(least.values())
        if spare < 0:
            return {slot: _proportional_share(least[slot], available_budget, sum(least.values())) for slot in slots}
        slack = {slot: tokens - least[slot] for slot, tokens in slots.items()}
        whole = sum(slack.values())
        if whole <= spare:
            return dict(slots)
        return {slot: least[slot] + _proportional_share(slack[slot], spare, whole) for slot in slots}


def _proportional_share(part: int, available: int, whole: int) -> int:
    return part * available // whole


_LEAST: Final = {slot: BOUNDS[slot].least for slot in COMPRESSIBLE}
_NOTHING: Final = dict.fromkeys(COMPRESSIBLE, 0)
POLICIES: Final[Mapping[str, type[TruncationPolicy]]] = {
    "fixed_priority": FixedPriorityPolicy,
    "constraint_optimization": ConstraintOptimizationPolicy,
}
"""By the names of the setting ``TRUNCATION_POLICY``."""
