"""A user's open items in use: as rows, and in the form in which statements are compared."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from consent.permit import Permit
from consent.services import scope_held_since
from foundation.accounts.services import group_ids_of
from foundation.personal_data import ConsentScope
from memory.evolution.comparison import ComparableItem
from memory.models import MemoryItem, SearchEntry
from memory.querysets import MemoryItemQuerySet


def items_in_use(permit: Permit) -> MemoryItemQuerySet:
    """The user's open items that are active."""
    return open_items(permit).filter(state=MemoryItem.State.ACTIVE)


def open_items(permit: Permit) -> MemoryItemQuerySet:
    """The user's open, personal items under the consent that holds now, the oldest first.

    In use or awaiting confirmation. What was stored before a withdrawal awaits its purge, and is left out.
    """
    return MemoryItem.objects.owned_by(permit.user_id).filter(
        superseded_at=None,
        scope=MemoryItem.Scope.PERSONAL,
        consent_version__gte=scope_held_since(permit.user_id, ConsentScope.MEMORY_LEARNING),
    ).order_by("created_at", "id")  # fmt: skip


def in_current_groups(permit: Permit, items: MemoryItemQuerySet) -> list[MemoryItem]:
    """The items without a group, or of a group that the user still belongs to."""
    groups = set(group_ids_of(permit.user_id))
    return [item for item in items if item.group_id is None or item.group_id in groups]


def comparable_item(item: MemoryItem, vector: NDArray[np.float32] | None = None, model_id: str = "") -> ComparableItem:
    """An item in the form that the pure rules compare."""
    return ComparableItem(
        id=item.pk,
        group_id=item.group_id,
        subject=str(item.attributes.get("subject", "")),
        slot=str(item.attributes.get("slot", "")),
        value=str(item.attributes.get("value", "")),
        provenance=item.provenance,
        confidence=item.confidence,
        valid_at=item.valid_at,
        vector=vector,
        model_id=model_id,
    )


def comparable_items(items: Sequence[MemoryItem]) -> list[ComparableItem]:
    """The items with their vectors from search; the vector is None where there is none."""
    entries = SearchEntry.objects.filter(pk__in=[item.pk for item in items], kind=SearchEntry.Kind.ITEM, live=True)
    known = {entry.pk: entry for entry in entries.exclude(vector=None).only("id", "vector", "model_id")}
    return [_embedded(item, known.get(item.pk)) for item in items]


def _embedded(item: MemoryItem, entry: SearchEntry | None) -> ComparableItem:
    if entry is None:
        return comparable_item(item)
    return comparable_item(item, np.asarray(entry.vector, dtype=np.float32), entry.model_id)
