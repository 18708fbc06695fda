"""Sums of the usage table over days, kinds, models and organisations."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from django.db.models import QuerySet, Sum

from foundation.model_usage.durations import BOUNDS, percentile_of
from foundation.model_usage.models import ModelUsage

_NUMBERS: Final = ("calls", "failures", "input_tokens", "cached_tokens", "output_tokens", "unpriced_calls")
_PLACES: Final = range(len(BOUNDS) + 1)
_SUMS: Final = {
    **{f"sum_{name}": Sum(name) for name in (*_NUMBERS, "cost")},
    **{f"{name}_at_{place}": Sum(f"{name}__{place}") for name in ("first_token", "whole") for place in _PLACES},
}


@dataclass(frozen=True)
class UsageTotals:
    """What some calls came to; the histograms count seconds by ``durations.BOUNDS``."""

    calls: int
    failures: int
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    unpriced_calls: int
    cost: Decimal
    first_token: tuple[int, ...]
    whole: tuple[int, ...]

    @property
    def cached_percent(self) -> int:
        """The share of what was read that the servers had cached."""
        return round(100 * self.cached_tokens / self.input_tokens) if self.input_tokens else 0

    @property
    def has_no_price(self) -> bool:
        """Whether nothing of it has a known price: then its cost is unknown, and not nothing."""
        return bool(self.unpriced_calls) and not self.cost

    def first_token_seconds(self, percent: float) -> float | None:
        """What the first token took at most in ``percent`` of the calls; None where none came."""
        return percentile_of(self.first_token, percent)

    def whole_seconds(self, percent: float) -> float | None:
        """What a whole answer took at most in ``percent`` of the calls; None where there was none."""
        return percentile_of(self.whole, percent)


def totals_by(rows: QuerySet[ModelUsage], field: str) -> dict[Any, UsageTotals]:
    """The totals of each value of ``field``, in its order."""
    summed = rows.order_by().values(field).annotate(**_SUMS).order_by(field)
    return {row[field]: _totals_of(row) for row in summed}


def _totals_of(row: dict[str, Any]) -> UsageTotals:
    numbers = {name: int(row[f"sum_{name}"]) for name in _NUMBERS}
    first, whole = (tuple(int(row[f"{name}_at_{place}"]) for place in _PLACES) for name in ("first_token", "whole"))
    return UsageTotals(**numbers, cost=row["sum_cost"], first_token=first, whole=whole)
