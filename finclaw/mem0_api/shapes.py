"""Turns memories into mem0's JSON. All versions of a memory have one id there: ``chain_id``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from consent.permit import Permit
from finclaw.mem0_api.filters import LABELS
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
        **{name: given.get(name) for name in LABELS},
        "metadata": {name: value for name, value in given.items() if name not in LABELS},
        "categories": [item.category] if item.category else [],
        "created_at": item.valid_at.isoformat(),
        "updated_at": item.created_at.isoformat(),
    }


def filtered_row(shape: Shape, person: User) -> Shape:
    """The memory as filters compare it: its mem0 shape, and every name by which a request may name its user."""
    names = {person.external_id} if person.is_managed else {person.username, "me"}
    return {**shape, "names": frozenset({*names, str(person.pk)})}


def history_shape(versions: Sequence[MemoryItem], person: User) -> list[Shape]:
    """The versions of a memory, the oldest first. A version is created when stored, and updated when superseded."""
    before: str | None = None
    told = []
    for item in versions:
        told.append(
            {
                "id": str(item.pk),
                "memory_id": str(item.chain_id),
                "old_memory": before,
                "new_memory": item.content,
                "event": "ADD" if before is None else "UPDATE",
                "user_id": person.external_id or person.username,
                "created_at": item.created_at.isoformat(),
                "updated_at": (item.superseded_at or item.created_at).isoformat(),
            }
        )
        before = item.content
    return told


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
