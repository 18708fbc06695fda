"""Selects the skill for a message: by capability, confidence, permission and tools, in this order."""

from __future__ import annotations

from finclaw.brain.routing_parameters import USUAL_ROUTING, RoutingParameters
from finclaw.brain.skills import registry
from finclaw.brain.skills.permissions import may_use
from finclaw.brain.skills.types import Skill, SkillAccess, SkillChoice
from finclaw.brain.types import Intent
from foundation.language import ParsedMessage


def choose_skill(
    intent: Intent,
    message: ParsedMessage,
    access: SkillAccess,
    tools: frozenset[str],
    routing: RoutingParameters = USUAL_ROUTING,
) -> SkillChoice:
    """The most confident capable skill, if the user may use it and its tools (``tools``) are available.

    A less confident skill never stands in for one that may not be used.
    """
    confidence, skill = _surest_skill(intent, message, routing)
    if skill is None or confidence < routing.skill_threshold:
        return SkillChoice(None, confidence, "none")
    if not may_use(skill, access):
        return SkillChoice(None, confidence, "not_permitted")
    if not skill.tools <= tools:
        return SkillChoice(None, confidence, "tool_missing")
    return SkillChoice(skill, confidence, "chosen")


def is_any_skill_able(intent: Intent, message: ParsedMessage, routing: RoutingParameters = USUAL_ROUTING) -> bool:
    """Whether any skill can do what the message wants, whoever asks."""
    return _surest_skill(intent, message, routing)[0] >= routing.skill_threshold


def _surest_skill(intent: Intent, message: ParsedMessage, routing: RoutingParameters) -> tuple[float, Skill | None]:
    wanted = {intent.intent_type, *intent.context_hints}
    able = [
        (_confidence(skill, intent, message) * routing.skill_weights.get(skill.name, 1.0), skill)
        for skill in registry.SKILLS
        if wanted & skill.capabilities
    ]
    confidence, skill = max(able, key=lambda pair: pair[0], default=(0.0, None))
    return min(1.0, confidence), skill


def _confidence(skill: Skill, intent: Intent, message: ParsedMessage) -> float:
    return min(1.0, max(0.0, skill.can_handle(intent, message)))
