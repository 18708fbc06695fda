"""Selects the skill for a message: by capability, confidence, permission and tools, in this order."""

from __future__ import annotations

from typing import Final

from finclaw.brain.skills import registry
from finclaw.brain.skills.permissions import may_use
from finclaw.brain.skills.types import Skill, SkillAccess, SkillChoice
from finclaw.brain.types import Intent
from foundation.language import ParsedMessage

THRESHOLD: Final = 0.3  # confidence below which no skill is chosen


def choose_skill(intent: Intent, message: ParsedMessage, access: SkillAccess, tools: frozenset[str]) -> SkillChoice:
    """The most confident capable skill, if the user may use it and its tools (``tools``) are available.

    A less confident skill never stands in for one that may not be used.
    """
    confidence, skill = _surest_skill(intent, message)
    if skill is None or confidence < THRESHOLD:
        return SkillChoice(None, confidence, "none")
    if not may_use(skill, access):
        return SkillChoice(None, confidence, "not_permitted")
    if not skill.tools <= tools:
        return SkillChoice(None, confidence, "tool_missing")
    return SkillChoice(skill, confidence, "chosen")


def is_any_skill_able(intent: Intent, message: ParsedMessage) -> bool:
    """Whether any skill can do what the message wants, whoever asks."""
    return _surest_skill(intent, message)[0] >= THRESHOLD


def _surest_skill(intent: Intent, message: ParsedMessage) -> tuple[float, Skill | None]:
    wanted = {intent.intent_type, *intent.context_hints}
    able = [(_confidence(skill, intent, message), skill) for skill in registry.SKILLS if wanted & skill.capabilities]
    return max(able, key=lambda pair: pair[0], default=(0.0, None))


def _confidence(skill: Skill, intent: Intent, message: ParsedMessage) -> float:
    return min(1.0, max(0.0, skill.can_handle(intent, message)))
