"""Which skills a user may use: by role, by the organisation's tier, and by what it offers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import structlog
from pydantic import BaseModel, ConfigDict, ValidationError

from finclaw.brain.skills import registry
from finclaw.brain.skills.types import Skill, SkillAccess
from foundation.accounts.exceptions import PermissionDenied
from foundation.accounts.models import User

SETTING: Final = "skill_whitelist"
"""The key in ``Tenant.settings`` that lists the skills an organisation offers; without it, all."""
log = structlog.get_logger(__name__)


class SkillSettings(BaseModel):
    """An organisation's settings on skills. A name that no skill has offers nothing."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    skill_whitelist: frozenset[str] | None = None


class SkillNotPermitted(PermissionDenied):
    default_message = "Your organisation does not offer you this kind of work."


def whitelist_of(settings: Mapping[str, Any]) -> frozenset[str] | None:
    """The skills an organisation with these settings offers: None for all, none where they are invalid."""
    try:
        return SkillSettings.model_validate(settings).skill_whitelist
    except ValidationError:
        log.warning("skill_settings_refused")
        return frozenset()


def skill_access_of(user: User) -> SkillAccess:
    """The user's skill access, with their organisation's; reads the organisation where it is not loaded."""
    tenant = user.tenant
    return SkillAccess(user.role, tenant.org_tier, whitelist_of(tenant.settings)) if tenant else SkillAccess(user.role)


def may_use(skill: Skill, access: SkillAccess) -> bool:
    """Whether role, tier and whitelist all allow the skill."""
    in_tier = not access.org_tier or access.org_tier in skill.org_tiers
    offered = access.whitelist is None or skill.name in access.whitelist
    return access.role in skill.roles and in_tier and offered


def permitted_skills(access: SkillAccess) -> frozenset[str]:
    """The names of the skills that may be used."""
    return frozenset(skill.name for skill in registry.SKILLS if may_use(skill, access))


def require_permitted(user: User, name: str) -> None:
    """Raise ``SkillNotPermitted`` for a named skill that the user may not use.

    An unknown name is left to the caller to refuse.
    """
    if any(skill.name == name and not may_use(skill, skill_access_of(user)) for skill in registry.SKILLS):
        raise SkillNotPermitted()
