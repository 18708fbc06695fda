"""Converts a user's memory items into the form in which the rules compare them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memory.evolution.comparison import ComparableItem
from memory.models import MemoryItem, SearchEntry


def comparable_item(item: MemoryItem, vector: NDArray[np.float32] | None = None, model_id: str = "") -> ComparableItem:
    """An item in the form that the pure rules compare."""
    return ComparableItem(
        id=item.pk,
        group_id=item.group_id,
        subject=item.subject,
        slot=item.slot,
        value=item.value,
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
