"""Finds the owner of a memory by its id, for a program that serves many people and sends only the id."""

from __future__ import annotations

from uuid import UUID

from foundation.accounts.managed_accounts import managed_accounts
from foundation.accounts.models import User
from foundation.database.acting_user import in_role
from foundation.database.roles import OPERATOR_ROLE
from foundation.exceptions import require_found
from memory.models import MemoryItem


def owner_of_chain(tenant_id: UUID, chain_id: UUID) -> User:
    """The user managed by this organisation whose memory has this chain; nothing but its owner is read.

    Raises ``NotFound`` for a memory of anybody else.
    """
    with in_role(OPERATOR_ROLE):  # no other role sees rows before their owner is known
        owner = MemoryItem.objects.filter(chain_id=chain_id, user__tenant_id=tenant_id).values_list("user_id").first()
    return require_found(managed_accounts(tenant_id).filter(pk=require_found(owner)[0]).first())
