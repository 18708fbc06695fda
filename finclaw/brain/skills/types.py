"""The values of skill selection: a skill, who may use it, and the outcome of choosing one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

from finclaw.brain.types import Intent
from foundation.accounts.models import Tenant, User
from foundation.language import ParsedMessage

Confidence = Callable[[Intent, ParsedMessage], float]
ChoiceReason = Literal["chosen", "none", "not_permitted", "tool_missing"]

WHO_WORKS: Final = frozenset({User.Role.OWNER.value, User.Role.ADMIN.value, User.Role.EDITOR.value})
"""Roles that may have work done; viewers only read."""
EVERY_TIER: Final = frozenset(Tenant.OrgTier.values)


@dataclass(frozen=True)
class Skill:
    """Something the assistant can do.

    ``capabilities`` are matched with what a message wants; ``can_handle`` gives the confidence for such a message, 0 to
    1. ``tools`` are required; ``roles`` and ``org_tiers`` say who may use it. Outside an organisation there is no tier,
    and none is required.
    """

    name: str
    capabilities: frozenset[str]
    can_handle: Confidence
    tools: frozenset[str] = frozenset()
    roles: frozenset[str] = WHO_WORKS
    org_tiers: frozenset[str] = EVERY_TIER


@dataclass(frozen=True)
class SkillAccess:
    """What decides which skills a user may use. ``org_tier`` is "" outside an organisation; ``whitelist`` are the
    skills the organisation offers, None for all.
    """

    role: str
    org_tier: str = ""
    whitelist: frozenset[str] | None = None


@dataclass(frozen=True)
class SkillChoice:
    """The skill for a message, None where none may be used, and why. ``confidence`` is the best one's, 0 to 1."""

    skill: Skill | None
    confidence: float
    reason: ChoiceReason
