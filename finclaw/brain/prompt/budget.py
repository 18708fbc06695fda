"""The slots of a prompt and their bounds in tokens."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from math import ceil
from typing import Final

from finclaw.brain.types import IntentType


class Slot(StrEnum):
    """The parts that share a model's window."""

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

ACTIVE_WINDOW: Final = BOUNDS[Slot.ACTIVE_WINDOW].usual
SAFETY_MARGIN: Final = 0.05  # of the window: token counts are estimates
SAFETY_MARGIN_MIN: Final = 200

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


def personal_budget(intent: IntentType, slot: int = BOUNDS[Slot.PERSONAL_CONTEXT].usual) -> int:
    """Tokens of personal context for a turn of this intent, at most what the slot was given."""
    return min(_PERSONAL_BY_INTENT.get(intent, slot), slot)


def safety_margin(window: int) -> int:
    """Tokens of a window that no slot may use: 5 % of it, at least 200."""
    return max(ceil(SAFETY_MARGIN * window), SAFETY_MARGIN_MIN)


def least_window(message_tokens: int = 0, reply_tokens: int = 0, system_tokens: int = 0) -> int:
    """The smallest window, in tokens, that holds the incompressible slots with a message, reply and system text of
    these sizes.
    """
    needs = {
        Slot.SYSTEM_PROMPT: system_tokens,
        Slot.LAST_USER_TURN: message_tokens,
        Slot.GENERATION_BUFFER: reply_tokens,
    }
    return sum(max(BOUNDS[slot].least, needs.get(slot, 0)) for slot in INCOMPRESSIBLE)
