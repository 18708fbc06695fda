"""The order in which research advisors speak, by the user's risk preference; never which advisors. Pure."""

from __future__ import annotations

from collections.abc import Collection
from types import MappingProxyType
from typing import Final, Literal

Advisor = Literal["asset_research", "market_macro", "risk", "counter_thesis", "pre_execution"]
BALANCED: Final = "balanced"
_ORDERS: Final = MappingProxyType[str, tuple[Advisor, ...]](
    {
        BALANCED: ("asset_research", "market_macro", "risk", "counter_thesis"),
        "counter_first": ("counter_thesis", "asset_research", "market_macro", "risk"),
        "risk_first": ("risk", "asset_research", "counter_thesis", "market_macro"),
    }
)


def ordered_advisors(
    advisors: Collection[Advisor], risk_prompt_preference: str, *, at_stake: bool = False
) -> tuple[Advisor, ...]:
    """These advisors in the order the user prefers; balanced by default.

    ``at_stake`` means that permissions or credentials are at stake, as at a checkpoint before an execution: then the
    pre-execution advisor comes first, whatever the user prefers. Otherwise it comes last.
    """
    order = _ORDERS.get(risk_prompt_preference, _ORDERS[BALANCED])
    whole: tuple[Advisor, ...] = ("pre_execution", *order) if at_stake else (*order, "pre_execution")
    return tuple(sorted(set(advisors), key=whole.index))
