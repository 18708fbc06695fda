"""Divides a model's window among the parts of a prompt: their slots, and the policies that cut what is too much. Pure.

Parts that cannot be cut get all they need. Tokens move among the other parts to what the turn has much of, and all
parts together never exceed the window.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from math import ceil
from typing import Final, NamedTuple

from django.conf import settings
from django.utils.translation import gettext as _

from finclaw.brain.types import IntentType
from foundation.exceptions import ValidationFailed
from foundation.telemetry.degradations import report_degraded


class Slot(StrEnum):
    """The parts of a prompt that share a model's window. (A memory's ``slot`` is something else: see ``types``.)"""

    SYSTEM_PROMPT = "system_prompt"
    LAST_USER_TURN = "last_user_turn"
    GENERATION_BUFFER = "generation_buffer"
    KNOWLEDGE_CONTEXT = "knowledge_context"
    SUMMARY_BLOCKS = "summary_blocks"
    ENTITY_SLOTS = "entity_slots"
    ACTIVE_WINDOW = "active_window"
    PERSONAL_CONTEXT = "personal_context"


@dataclass(frozen=True, slots=True)
class SlotBounds:
    """Tokens of a slot: ``usual`` is the static baseline, which may move between ``least`` and ``most``."""

    least: int
    usual: int
    most: int


Allocation = dict[Slot, int]
TruncationPolicy = Callable[[Mapping[Slot, int], int], Allocation]
"""Cuts compressible slots: none gets larger, and together they fit the tokens given."""

BOUNDS: Final = {
    Slot.SYSTEM_PROMPT: SlotBounds(1_500, 2_000, 3_000),
    Slot.LAST_USER_TURN: SlotBounds(1_000, 2_000, 4_000),
    Slot.GENERATION_BUFFER: SlotBounds(2_000, 4_000, 6_000),
    Slot.KNOWLEDGE_CONTEXT: SlotBounds(0, 8_000, 14_000),
    Slot.SUMMARY_BLOCKS: SlotBounds(1_000, 3_000, 5_000),
    Slot.ENTITY_SLOTS: SlotBounds(500, 1_000, 2_000),
    Slot.ACTIVE_WINDOW: SlotBounds(3_000, 6_000, 10_000),
    Slot.PERSONAL_CONTEXT: SlotBounds(2_000, 4_000, 8_000),
}
INCOMPRESSIBLE: Final = (Slot.SYSTEM_PROMPT, Slot.LAST_USER_TURN, Slot.GENERATION_BUFFER)
COMPRESSIBLE: Final = (
    Slot.KNOWLEDGE_CONTEXT,
    Slot.SUMMARY_BLOCKS,
    Slot.ENTITY_SLOTS,
    Slot.ACTIVE_WINDOW,
    Slot.PERSONAL_CONTEXT,
)
"""The slots that may be cut, in the order in which they are cut."""
_BASELINE: Final = {slot: BOUNDS[slot].usual for slot in COMPRESSIBLE}
_LEAST: Final = {slot: BOUNDS[slot].least for slot in COMPRESSIBLE}

ACTIVE_WINDOW: Final = BOUNDS[Slot.ACTIVE_WINDOW].usual
MOST_OF_ATTACHMENTS: Final = 6_000
"""Tokens for the text of all files of a message; of longer ones the passages that fit the message are shown."""
SAFETY_MARGIN: Final = 0.05  # of the window: token counts are estimates
SAFETY_MARGIN_MIN: Final = 200
BUDGET_ALLOCATOR_FALLBACK: Final = "budget_allocator_fallback"
DEEP_CONVERSATION: Final = 20  # replies from which on a conversation counts as long
_LIFT_FROM: Final = 0.5  # signals below this change nothing

# Tokens of personal context by intent. A user who asks what is remembered is shown as much as the slot holds:
# 4,000 at its baseline.
_PERSONAL_BY_INTENT: Final[dict[IntentType, int]] = {
    "small_talk": 500,
    "knowledge_question": 1_000,
    "correction": 2_000,
    "research": 3_000,
    "statement": 2_000,
    "chat": 3_000,
}


@dataclass(frozen=True)
class ModelLimits:
    """The model's limits in tokens: its whole window, and the longest reply."""

    window: int
    longest_reply: int


@dataclass(frozen=True, slots=True)
class TurnSignals:
    """What a turn has much of. ``memory_richness`` and ``knowledge_relevance`` are 0.0 to 1.0, the latter None
    without organisational knowledge; ``conversation_depth`` counts the replies so far.
    """

    memory_richness: float
    knowledge_relevance: float | None
    conversation_depth: int


class FixedNeeds(NamedTuple):
    """Tokens of the parts that are never cut: the fixed system text, the message, and the longest allowed reply."""

    system_prompt: int = 0
    last_user_turn: int = 0
    generation_buffer: int = 0


def configured_limits() -> ModelLimits:
    return ModelLimits(settings.MODEL_CONTEXT_WINDOW, settings.MODEL_MAX_OUTPUT_TOKENS)


def configured_policy() -> TruncationPolicy:
    return POLICIES[settings.TRUNCATION_POLICY]


def personal_budget(intent: IntentType, slot: int = BOUNDS[Slot.PERSONAL_CONTEXT].usual) -> int:
    """Tokens of personal context for a turn of this intent, at most what the slot was given."""
    return min(_PERSONAL_BY_INTENT.get(intent, slot), slot)


def baseline_of(slot_tokens: Mapping[str, int]) -> Allocation:
    """The usual tokens of each slot that may be cut, with those that an experiment varies, kept within their bounds."""
    varied = {slot: slot_tokens.get(slot.value, BOUNDS[slot].usual) for slot in COMPRESSIBLE}
    return {slot: min(max(tokens, BOUNDS[slot].least), BOUNDS[slot].most) for slot, tokens in varied.items()}


def safety_margin(window: int) -> int:
    """Tokens of a window that no slot may use: 5 % of it, at least 200."""
    return max(ceil(SAFETY_MARGIN * window), SAFETY_MARGIN_MIN)


def attachment_room(limits: ModelLimits, message_tokens: int) -> int:
    """Tokens for what the files of a message say: half of what the window leaves beside what is never cut, so that a
    file never keeps its message from being answered.
    """
    needs = FixedNeeds(BOUNDS[Slot.SYSTEM_PROMPT].usual, message_tokens, limits.longest_reply)
    left = limits.window - safety_margin(limits.window) - least_window(needs)
    return min(MOST_OF_ATTACHMENTS, max(left, 0) // 2)


def least_window(needs: FixedNeeds) -> int:
    """The smallest window, in tokens, that holds the incompressible slots with these needs."""
    return sum(max(BOUNDS[slot].least, needed) for slot, needed in zip(INCOMPRESSIBLE, needs, strict=True))


def divide_window(
    window: int,
    needs: FixedNeeds,
    signals: TurnSignals,
    policy: TruncationPolicy,
    baseline: Mapping[Slot, int] = _BASELINE,
) -> Allocation:
    """Tokens of every slot; with the safety margin they never exceed ``window``. ``baseline`` are the usual tokens.

    Incompressible slots get all they need. Where the policy fails or gives too much, the static baseline is cut by
    priority. Raises ``ValidationFailed`` for a message that does not fit the window whole.
    """
    kept = _incompressible_slots(window, needs)
    available = window - safety_margin(window) - sum(kept.values())
    return kept | _truncate_safely(_apply_signals(signals, baseline), available, policy, baseline)


def divide_block(tokens: int, needed: Mapping[Slot, int], signals: TurnSignals, policy: TruncationPolicy) -> Allocation:
    """Divide ``tokens`` among the slots of a context block, as ``divide_window`` does for a whole prompt.

    A slot gets at most what it ``needed``, 0 if it is not named there, and never more than a turn of these signals
    would give it.
    """
    wanted = {slot: min(size, needed.get(slot, 0)) for slot, size in _apply_signals(signals, _BASELINE).items()}
    return _truncate_safely(wanted, max(tokens, 0), policy, wanted)


def _truncate_safely(
    slots: Allocation, available: int, policy: TruncationPolicy, baseline: Mapping[Slot, int]
) -> Allocation:
    try:
        return _truncate(slots, available, policy)
    except Exception:  # noqa: BLE001  a policy is replaceable; whatever is wrong with one, the turn goes on
        report_degraded(BUDGET_ALLOCATOR_FALLBACK)
        return cut_by_priority(baseline, available)


def _truncate(slots: Allocation, available: int, policy: TruncationPolicy) -> Allocation:
    cut = policy(slots, available)
    if set(cut) != set(COMPRESSIBLE) or min(cut.values()) < 0 or sum(cut.values()) > available:
        raise ValueError("the truncation policy does not keep to the budget")
    return cut


def _incompressible_slots(window: int, needs: FixedNeeds) -> Allocation:
    """Tokens of the incompressible slots: their baseline where it leaves the others their minimum, else what
    they need.
    """
    needed = dict(zip(INCOMPRESSIBLE, needs, strict=True))
    room = window - safety_margin(window)
    usual = {slot: max(needed[slot], BOUNDS[slot].usual) for slot in INCOMPRESSIBLE}
    least = {slot: max(needed[slot], BOUNDS[slot].least) for slot in INCOMPRESSIBLE}
    for slots, others in ((usual, sum(_LEAST.values())), (least, 0), (needed, 0)):
        if sum(slots.values()) + others <= room:
            return slots
    raise ValidationFailed(details={"content": [_("The message is too long for the model.")]})


def _apply_signals(signals: TurnSignals, baseline: Mapping[Slot, int]) -> Allocation:
    """Moves tokens between slots: rich memory takes from summaries, relevant knowledge from the window, a long
    conversation from knowledge.
    """
    depth = signals.conversation_depth / DEEP_CONVERSATION
    slots = dict(baseline)
    for raised, lowered, strength in (
        (Slot.PERSONAL_CONTEXT, Slot.SUMMARY_BLOCKS, signals.memory_richness),
        (Slot.KNOWLEDGE_CONTEXT, Slot.ACTIVE_WINDOW, signals.knowledge_relevance or 0.0),
        (Slot.ACTIVE_WINDOW, Slot.KNOWLEDGE_CONTEXT, depth),
    ):
        lift = min(1.0, max(0.0, (strength - _LIFT_FROM) / (1 - _LIFT_FROM)))
        slots[raised] += int(lift * (BOUNDS[raised].most - baseline[raised]))
        slots[lowered] -= int(lift * (baseline[lowered] - BOUNDS[lowered].least))
    if signals.knowledge_relevance is None:
        slots[Slot.KNOWLEDGE_CONTEXT] = 0
    return slots


def cut_by_priority(slots: Mapping[Slot, int], available: int) -> Allocation:
    """Cut slot by slot in the order of ``COMPRESSIBLE``: first to the minimum, then to nothing."""
    left = dict(slots)
    excess = sum(left.values()) - available
    for floor in (_LEAST, dict.fromkeys(COMPRESSIBLE, 0)):
        for slot in COMPRESSIBLE:
            cut = max(0, min(excess, left[slot] - floor[slot]))
            left[slot] -= cut
            excess -= cut
    return left


def cut_in_proportion(slots: Mapping[Slot, int], available: int) -> Allocation:
    """Cut all slots at once, with the least squared cut relative to what each can give.

    Minimising Σ cutᵢ²/slackᵢ under Σ cutᵢ = excess has the solution cutᵢ = excess · slackᵢ / Σ slack, which keeps every
    slot within its bounds while the slack lasts. Below their minimum, slots shrink in proportion to it.
    """
    least = {slot: min(tokens, BOUNDS[slot].least) for slot, tokens in slots.items()}
    whole = sum(least.values())
    if available < whole:
        return {slot: tokens * available // whole for slot, tokens in least.items()}
    slack = {slot: tokens - least[slot] for slot, tokens in slots.items()}
    spare, most = available - whole, sum(slack.values())
    if most <= spare:
        return dict(slots)
    return {slot: least[slot] + slack[slot] * spare // most for slot in slots}


POLICIES: Final[dict[str, TruncationPolicy]] = {
    "fixed_priority": cut_by_priority,
    "constraint_optimization": cut_in_proportion,
}
"""By the names of the setting ``TRUNCATION_POLICY``."""
