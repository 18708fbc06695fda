"""Counts behind a usage pattern: how often something was used for one intent, and how often it served its purpose."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any
from uuid import UUID


@dataclass(frozen=True)
class UsageCount:
    """The counts of one organisation for one intent: ``uses`` of a ``subject``, those that were ``utilized``, and the
    people behind them.
    """

    tenant_id: UUID
    intent_type: str
    subject: str
    uses: int
    utilized: int
    people: int

    @property
    def share(self) -> float:
        """The share of uses that served their purpose, from 0 to 1."""
        return self.utilized / self.uses

    @property
    def confidence(self) -> float:
        """One minus half the width of the share's 95 % interval, by the normal approximation. A share near 0 or 1 is
        given the variance of a share of 0.1, since few uses prove no certainty.
        """
        spread = max(self.share * (1 - self.share), 0.09)
        return 1 - 1.96 * sqrt(spread / self.uses)

    @property
    def statistics(self) -> dict[str, Any]:
        """The counts behind the pattern."""
        return {"uses": self.uses, "utilized": self.utilized, "people": self.people}
