"""Memories in the shape of mem0. A memory keeps one id through all its versions: that of its chain."""

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
    """One memory."""
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
    """What filters look at: the shape, and every name by which its user may be called."""
    names = {person.external_id} if person.is_managed else {person.username, "me"}
    return {**shape, "names": frozenset({*names, str(person.pk)})}


def history_shape(versions: Sequence[MemoryItem], person: User) -> list[Shape]:
    """The versions of a memory, the oldest first."""
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
    """What was done to memories, as our own API tells it, each under the id of its chain; without what is not kept any
    more. Call acting for the user.
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
