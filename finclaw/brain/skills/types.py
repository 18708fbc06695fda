"""Skills as the brain sees them: what each can do, who may have it done, and what became of looking for one (B-3)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

from finclaw.brain.types import Intent
from foundation.accounts.models import Tenant, User

Confidence = Callable[[Intent, str], float]
ChoiceReason = Literal["chosen", "none", "not_permitted", "tool_missing"]

WHO_WORKS: Final = frozenset({User.Role.OWNER.value, User.Role.ADMIN.value, User.Role.EDITOR.value})
"""A viewer looks at what there is, and has nothing done."""
EVERY_TIER: Final = frozenset(Tenant.OrgTier.values)


@dataclass(frozen=True)
class Skill:
    """Something the brain can have done.

    ``capabilities`` are tags, matched with what a message wants; ``can_handle`` says how sure the skill is of a message
    that wants one of them, 0–1. ``tools`` are what it cannot do without; ``roles`` and ``org_tiers`` those of the
    people it is for. Outside an organisation there is no tier, and none is asked for.
    """

    name: str
    capabilities: frozenset[str]
    can_handle: Confidence
    tools: frozenset[str] = frozenset()
    roles: frozenset[str] = WHO_WORKS
    org_tiers: frozenset[str] = EVERY_TIER


@dataclass(frozen=True)
class SkillAccess:
    """What of a person decides which skills they may use. ``org_tier`` is "" outside an organisation; ``whitelist`` are
    the names of the skills that theirs offers, None for all.
    """

    role: str
    org_tier: str = ""
    whitelist: frozenset[str] | None = None


@dataclass(frozen=True)
class SkillChoice:
    """The skill for a message, None where there is none to be used, and why. ``confidence`` is the best one's, 0–1."""

    skill: Skill | None
    confidence: float
    reason: ChoiceReason
