"""Turns memories into mem0's JSON. All versions of a memory have one id there: ``chain_id``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from consent.permit import Permit
from finclaw.mem0_api.filters import SCOPE_IDS
from foundation.accounts.models import User
from memory.models import MemoryItem
from memory.services.item_queries import items_of

Shape = dict[str, Any]


def memory_shape(item: MemoryItem, person: User) -> Shape:
    """One memory. For mem0, it was created when it became true and updated when its latest version was stored."""
    given = item.attributes.get("metadata") or {}
    return {
        "id": str(item.chain_id),
        "memory": item.content,
        "user_id": person.external_id or person.username,
        **{name: given.get(name) for name in SCOPE_IDS},
        "metadata": {name: value for name, value in given.items() if name not in SCOPE_IDS},
        "categories": [item.category] if item.category else [],
        "created_at": item.valid_at.isoformat(),
        "updated_at": item.created_at.isoformat(),
    }


def filtered_row(shape: Shape, person: User) -> Shape:
    """The memory as filters compare it: its mem0 shape by all names of its fields, and all names of its user."""
    names = {person.external_id} if person.is_managed else {person.username, "me"}
    also_known = {"memory_ids": shape.get("id"), "keywords": shape.get("memory")}
    return {**shape, **also_known, "user_id": frozenset({*names, str(person.pk)})}


def history_shape(versions: Sequence[MemoryItem], person: User) -> list[Shape]:
    """The versions of a memory, the oldest first. A version is created when stored, and updated when superseded."""
    return [
        {
            "id": str(item.pk),
            "memory_id": str(item.chain_id),
            "old_memory": before and before.content,
            "new_memory": item.content,
            "event": "UPDATE" if before else "ADD",
            "user_id": person.external_id or person.username,
            "created_at": item.created_at.isoformat(),
            "updated_at": (item.superseded_at or item.created_at).isoformat(),
        }
        for before, item in zip([None, *versions], versions, strict=False)
    ]


def change_shapes(permit: Permit, rows: Sequence[Shape]) -> list[Shape]:
    """The changes to memories that our own API reports, each under the id of its memory's chain; without changes to
    memories that have been erased since. Call acting for the user.
    """
    kept = items_of(permit).in_bulk([UUID(row["memory_id"]) for row in rows])
    return [
        {"id": str(kept[key].chain_id), "memory": row["memory"], "event": row["event"]}
        for row in rows
        if (key := UUID(row["memory_id"])) in kept
    ]


def entity_shape(person: User, memories: int) -> Shape:
    """One user, with the number of their memories in force."""
    return {
        "id": str(person.pk),
        "name": person.external_id or person.username,
        "type": "user",
        "total_memories": memories,
        "created_at": person.date_joined.isoformat(),
        "updated_at": person.date_joined.isoformat(),
    }
