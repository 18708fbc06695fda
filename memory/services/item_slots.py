"""The subject and slot of memories, by which statements about the same thing are recognised."""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from consent.permit import Permit
from memory.evolution.slots import USER_SUBJECT
from memory.models import MemoryItem


def slots_of(permit: Permit, ids: Collection[UUID]) -> dict[UUID, tuple[str, str]]:
    """Subject and slot of each of the user's memories that has a slot. Call in a transaction acting for them."""
    rows = MemoryItem.objects.owned_by(permit.user_id).filter(pk__in=ids).values_list("pk", "attributes")
    return {
        key: (str(attributes.get("subject", USER_SUBJECT)), str(attributes["slot"]))
        for key, attributes in rows
        if attributes.get("slot")
    }
