"""Organisations in tests, and what they know."""

from __future__ import annotations

from typing import Any

from foundation.accounts.models import Tenant, User
from foundation.database.acting_user import in_role
from foundation.database.roles import OPERATOR_ROLE
from knowledge.models import KnowledgeEntry
from knowledge.services import save_entry


def employ(tenant: Tenant, *people: User) -> None:
    """These people belong to the organisation from now on."""
    for person in people:
        person.tenant = tenant
        person.save(update_fields=["tenant"])


def owned_by(owner: User, *others: User, name: str) -> Tenant:
    """An organisation that the first of these people owns and the others belong to."""
    tenant = Tenant.objects.create(name=name)
    employ(tenant, owner, *others)
    owner.role = User.Role.OWNER
    owner.save(update_fields=["role"])
    return tenant


def know(tenant: Tenant, text: str, **fields: Any) -> KnowledgeEntry:
    """An entry of the organisation's, as an operator writes it."""
    with in_role(OPERATOR_ROLE):
        return save_entry(KnowledgeEntry(tenant=tenant, text=text, **fields))
