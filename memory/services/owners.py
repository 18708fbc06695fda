"""Whose memory an id names, for a program that serves many people and is told the id alone."""

from __future__ import annotations

from uuid import UUID

from foundation.accounts.managed_accounts import managed_accounts
from foundation.accounts.models import User
from foundation.database.acting_user import in_role
from foundation.database.roles import OPERATOR_ROLE
from foundation.exceptions import require_found
from memory.models import MemoryItem


def owner_of_chain(tenant_id: UUID, chain_id: UUID) -> User:
    """The person whom an organisation serves and whose memory has this chain; of the memory itself nothing is read.

    Raises ``NotFound`` for a memory of anybody else.
    """
    with in_role(OPERATOR_ROLE):  # which alone reads without knowing whose rows
        owner = MemoryItem.objects.filter(chain_id=chain_id, user__tenant_id=tenant_id).values_list("user_id").first()
    return require_found(managed_accounts(tenant_id).filter(pk=require_found(owner)[0]).first())
