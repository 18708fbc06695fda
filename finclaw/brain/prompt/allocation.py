"""Divides a model's window among the prompt's slots by what the turn has most of; never exceeds the window. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Protocol

from django.utils.translation import gettext as _

from finclaw.brain.prompt.budget import BOUNDS, COMPRESSIBLE, INCOMPRESSIBLE, Slot, safety_margin
from finclaw.brain.prompt.truncation import FixedPriorityPolicy, TruncationPolicy
from foundation.exceptions import ValidationFailed
from foundation.telemetry.metrics import DEGRADED

BUDGET_ALLOCATOR_FALLBACK: Final = "budget_allocator_fallback"
DEEP_CONVERSATION: Final = 20  # replies from which on a conversation counts as long
_LIFT_FROM: Final = 0.5  # signals below this change nothing

Allocation = dict[Slot, int]


@dataclass(frozen=True, slots=True)
class TurnSignals:
    """What a turn has much of. ``memory_richness`` and ``knowledge_relevance`` are 0.0 to 1.0, the latter None without
    organisational knowledge; ``conversation_depth`` counts the replies so far.
    """

    memory_richness: float
    knowledge_relevance: float | None
    conversation_depth: int


@dataclass(frozen=True, slots=True)
class FixedNeeds:
    """Tokens of the parts that are never cut: the fixed system text, the message, and the longest allowed reply."""

    system_prompt: int
    last_user_turn: int
    generation_buffer: int


class BudgetAllocator(Protocol):
    """Divides the tokens left by the incompressible slots among the compressible ones."""

    def allocate(self, signals: TurnSignals, available: int) -> Allocation:
        """Tokens for each compressible slot, at most ``available`` in total."""
        ...


class DynamicContextBudgetAllocator:
    """Moves the static baseline by the turn's signals, then lets a truncation policy cut the excess."""

    def __init__(self, policy: TruncationPolicy) -> None:
        self._policy = policy

    def allocate(self, signals: TurnSignals, available: int) -> Allocation:
        """As ``BudgetAllocator.allocate``. Raises ``ValueError`` where the policy returns more than is available."""
        slots = self._policy.truncate(_apply_signals(signals), available)
        if set(slots) != set(COMPRESSIBLE) or min(slots.values()) < 0 or sum(slots.values()) > available:
            raise ValueError("the truncation policy does not keep to the budget")
        return slots


def divide_window(
    window: int, needs: FixedNeeds, signals: TurnSignals, allocator: BudgetAllocator
) -> tuple[Allocation, tuple[str, ...]]:
    """Tokens of every slot, and what ran degraded; with the safety margin they never exceed ``window``.

    Incompressible slots get all they need. Where the allocator fails, the static baseline is used. Raises
    ``ValidationFailed`` for a message that does not fit the window whole.
    """
    kept = _incompressible_slots(window, needs)
    available = window - safety_margin(window) - sum(kept.values())
    try:
        return kept | allocator.allocate(signals, available), ()
    except Exception:  # noqa: BLE001  a strategy is replaceable; whatever is wrong with one, the turn goes on
        DEGRADED.labels(reason=BUDGET_ALLOCATOR_FALLBACK).inc()
        static = FixedPriorityPolicy().truncate(_baseline_slots(), available)
        return kept | static, (BUDGET_ALLOCATOR_FALLBACK,)


def _incompressible_slots(window: int, needs: FixedNeeds) -> Allocation:
    """Tokens of the incompressible slots: their baseline where it leaves the others their minimum, else what
    they need.
    """
    needed = dict(
        zip(INCOMPRESSIBLE, (needs.system_prompt, needs.last_user_turn, needs.generation_buffer), strict=True)
    )
    room = window - safety_margin(window)
    usual = {slot: max(needed[slot], BOUNDS[slot].usual) for slot in INCOMPRESSIBLE}
    least = {slot: max(needed[slot], BOUNDS[slot].least) for slot in INCOMPRESSIBLE}
    for slots, others in ((usual, sum(BOUNDS[slot].least for slot in COMPRESSIBLE)), (least, 0), (needed, 0)):
        if sum(slots.values()) + others <= room:
            return slots
    raise ValidationFailed(details={"content": [_("The message is too long for the model.")]})


def _baseline_slots() -> Allocation:
    return {slot: BOUNDS[slot].usual for slot in COMPRESSIBLE}


def _apply_signals(signals: TurnSignals) -> Allocation:
    """Moves tokens between slots: rich memory takes from summaries, relevant knowledge from the window, a long
    conversation from knowledge.
    """
    depth = signals.conversation_depth / DEEP_CONVERSATION
    slots = _baseline_slots()
    for raised, lowered, strength in (
        (Slot.PERSONAL_CONTEXT, Slot.SUMMARY_BLOCKS, signals.memory_richness),
        (Slot.KNOWLEDGE_CONTEXT, Slot.ACTIVE_WINDOW, signals.knowledge_relevance or 0.0),
        (Slot.ACTIVE_WINDOW, Slot.KNOWLEDGE_CONTEXT, depth),
    ):
        lift = min(1.0, max(0.0, (strength - _LIFT_FROM) / (1 - _LIFT_FROM)))
        slots[raised] += int(lift * (BOUNDS[raised].most - BOUNDS[raised].usual))
        slots[lowered] -= int(lift * (BOUNDS[lowered].usual - BOUNDS[lowered].least))
    if signals.knowledge_relevance is None:
        slots[Slot.KNOWLEDGE_CONTEXT] = 0
    return slots


def receipt_quota(allocation: Mapping[Slot, int]) -> dict[str, int]:
    """The allocation as the receipt stores it: slot name to tokens."""
    return {slot.value: tokens for slot, tokens in allocation.items()}
