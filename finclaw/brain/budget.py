"""Token budgets (seed B §4.2, §4.1 step 3)."""

from __future__ import annotations

from finclaw.brain.types import IntentType

# Seed B §4.2, the static baseline.
SYSTEM_PROMPT = 2_000
PERSONAL_CONTEXT = 4_000
ENTITY_SLOTS = 1_000
SUMMARY_BLOCKS = 3_000
ACTIVE_WINDOW = 6_000
USER_INPUT = 2_000
GENERATION = 4_000
SAFETY_MARGIN = 0.05  # seed B §4.2.1: at least 200 tokens
SAFETY_MARGIN_MIN = 200

# Requirements M-23: the seed's retail intents read for a researcher's assistant.
_PERSONAL_BY_INTENT: dict[IntentType, int] = {
    "small_talk": 500,
    "knowledge_question": 1_000,
    "correction": 2_000,
    "research": 3_000,
    "statement": 2_000,
    "chat": 3_000,
    "memory_check": 4_000,
}


def personal_budget(intent: IntentType) -> int:
    """Tokens of personal context for a turn of this intent, never above the slot's baseline."""
    return min(_PERSONAL_BY_INTENT[intent], PERSONAL_CONTEXT)


def fits(context_window: int) -> bool:
    """Whether the incompressible slots fit the model's window with the safety margin (fail-fast at start)."""
    margin = max(int(SAFETY_MARGIN * context_window), SAFETY_MARGIN_MIN)
    return SYSTEM_PROMPT + USER_INPUT + GENERATION + margin <= context_window
