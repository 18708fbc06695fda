"""What a member of an organisation may do with its knowledge: which entries they read, and whether they write.

Call everything here while acting for the member: row-level security shows no other organisation's entries.
"""

from __future__ import annotations

from typing import Final
from uuid import UUID

from django.utils import timezone
from django.utils.translation import gettext as _

from foundation.accounts.exceptions import PermissionDenied
from foundation.accounts.models import User
from foundation.exceptions import require_found
from knowledge.models import KnowledgeEntry
from knowledge.querysets import KnowledgeEntryQuerySet
from knowledge.types import EntryState, Org

_WRITERS: Final = frozenset({User.Role.OWNER.value, User.Role.ADMIN.value})
"""The roles that write: what they write goes before the memories of all members."""


def org_of(user: User, platform: str = "") -> Org | None:
    """The user's organisation, and their tier and role in it; None without one."""
    return Org(user.tenant.pk, user.tenant.org_tier, user.role, platform) if user.tenant else None


def may_write(user: User) -> bool:
    """Whether the user writes what their organisation knows."""
    return user.tenant_id is not None and user.role in _WRITERS


def require_writer(user: User) -> None:
    """Raise ``NotFound`` for a user without an organisation, and ``PermissionDenied`` for a role that only reads."""
    require_found(user.tenant_id)
    if not may_write(user):
        raise PermissionDenied(_("Only owners and admins write what your organisation knows."))


def entries_meant_for(user: User) -> KnowledgeEntryQuerySet:
    """The entries for the user's organisation, tier and role, in force or not, each with its state now; none without
    an organisation.
    """
    org = org_of(user)
    entries = KnowledgeEntry.objects.with_state(timezone.now())
    return entries.meant_for(org) if org else entries.none()


def entry_meant_for(user: User, entry_id: UUID) -> KnowledgeEntry | None:
    """The entry of this id, if it is meant for the user; None without one."""
    return entries_meant_for(user).filter(pk=entry_id).first()


def entries_in_force(user: User) -> KnowledgeEntryQuerySet:
    """The entries that hold now for the user's organisation, tier and role."""
    return entries_meant_for(user).in_state(EntryState.IN_FORCE, timezone.now())


def visible_entries(user: User) -> KnowledgeEntryQuerySet:
    """What the user may read, with its state now: all of it for those who write, else what is in force for them."""
    org = org_of(user)
    if org is None or not may_write(user):
        return entries_in_force(user)
    return KnowledgeEntry.objects.with_state(timezone.now()).filter(tenant_id=org.tenant_id)


def visible_entry(user: User, entry_id: UUID) -> KnowledgeEntry:
    """One entry that the user may read. Raises ``NotFound``."""
    return require_found(visible_entries(user).filter(pk=entry_id).first())
