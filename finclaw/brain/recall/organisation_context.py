"""Reads where a conversation takes place: the organisation of its user and their role there, or the group.

Read anew each time and stored nowhere. An organisation is told only where its member consented to a profile, and never
in a group, whose members may belong to several.
"""

from __future__ import annotations

from dataclasses import dataclass

from consent.permit import Permit
from foundation.accounts.models import User
from foundation.personal_data import ConsentScope
from memory.models import Session


@dataclass(frozen=True)
class OrganisationContext:
    """The names, "" where there is none or none may be told."""

    organisation: str = ""
    org_tier: str = ""
    role: str = ""
    group: str = ""

    def as_slots(self) -> dict[str, list[str]]:
        """As entity slots of a prompt; without what is not known."""
        known = {"organisation": self.organisation, "org_tier": self.org_tier, "role": self.role, "group": self.group}
        return {name: [value] for name, value in known.items() if value}


def organisation_context(permit: Permit, user: User, session: Session) -> OrganisationContext:
    """The organisation context of a conversation. Call acting for the user."""
    may_tell = session.group_id is None and permit.for_answers().allows(ConsentScope.SAVE_TO_PROFILE)
    tenant = user.tenant if may_tell else None
    return context_in_turn(session, *((tenant.name, tenant.org_tier, user.role) if tenant else ("", "", "")))


def context_in_turn(session: Session, organisation: str, org_tier: str, role: str) -> OrganisationContext:
    """Where a conversation takes place, from what its turn read; ``organisation`` is "" where it may not be told."""
    if session.group is not None:
        return OrganisationContext(group=session.group.name)
    return OrganisationContext(organisation, org_tier, role) if organisation else OrganisationContext()
