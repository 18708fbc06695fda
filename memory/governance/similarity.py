"""Clusters memories that say the same: near in meaning, about one slot, none adding what another denies. Pure.

Similarity alone merges what must stay apart ("conservative" and "aggressive" are as close as words get), so a vector
only ever proposes; subject, slot and the values' own words decide.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from memory.evolution.comparison import TASTES, ComparableItem, is_core_of
from memory.evolution.slots import holds_several
from memory.governance.thresholds import Thresholds

MOST_COMPARED: Final = 2_000
"""The most statements of one slot compared with each other, the latest first: 16 MB of similarities."""
CONFIRMED: Final = "confirmed_by_user"


@dataclass(frozen=True)
class ItemCluster:
    """Statements that say the same, with the one that represents them first.

    ``similarity`` is the least of any member to it.
    """

    core: ComparableItem
    others: tuple[ComparableItem, ...]
    similarity: float

    @property
    def members(self) -> tuple[ComparableItem, ...]:
        return (self.core, *self.others)


def find_clusters(statements: Iterable[ComparableItem], thresholds: Thresholds) -> list[ItemCluster]:
    """The clusters of at least ``consolidate_from`` statements.

    Every member is compared with the representative itself, never through a third statement: "Berlin" and "Hamburg" are
    not joined through "Berlin or Hamburg".
    """
    found: list[ItemCluster] = []
    for alike in _comparable(statements).values():
        if len(alike) >= thresholds.consolidate_from:
            latest = sorted(alike, key=lambda item: item.valid_at, reverse=True)[:MOST_COMPARED]
            found += _clusters_among(latest, thresholds)
    return found


def _comparable(statements: Iterable[ComparableItem]) -> dict[Hashable, list[ComparableItem]]:
    """Group statements that may be compared: one group, one subject, one slot, one model and vector length.

    A server may give longer vectors under the same model's name than it gave before.
    """
    compared: dict[Hashable, list[ComparableItem]] = defaultdict(list)
    for item in statements:
        if item.subject and item.slot and item.words and item.vector is not None:
            exact = item.words if holds_several(item.slot) and item.slot not in TASTES else None
            compared[item.group_id, item.subject, item.slot, item.model_id, len(item.vector), exact].append(item)
    return compared


def _clusters_among(alike: Sequence[ComparableItem], thresholds: Thresholds) -> list[ItemCluster]:
    similar = _similarities(alike)
    followers = {at: _followers(at, alike, similar[at], thresholds.similarity) for at in range(len(alike))}
    found: list[ItemCluster] = []
    while followers:
        core = max(followers, key=lambda at: (len(followers[at]), alike[at].rank))
        members = followers[core]
        if len(members) + 1 < thresholds.consolidate_from:
            break
        lowest = min(float(similar[core, at]) for at in members)
        found.append(ItemCluster(alike[core], tuple(alike[at] for at in sorted(members)), lowest))
        gone = members | {core}
        followers = {at: of - gone for at, of in followers.items() if at not in gone}
    return found


def _similarities(alike: Sequence[ComparableItem]) -> NDArray[np.float32]:
    vectors = np.stack([item.vector for item in alike if item.vector is not None])
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit = vectors / np.maximum(lengths, np.finfo(np.float32).tiny)
    similarities: NDArray[np.float32] = (unit @ unit.T).astype(np.float32, copy=False)
    return similarities


def _followers(at: int, alike: Sequence[ComparableItem], similar: NDArray[np.float32], above: float) -> set[int]:
    """The statements that the one at this place can represent."""
    near = (int(other) for other in np.flatnonzero(similar > above))
    return {other for other in near if other != at and _speaks_for(alike[at], alike[other])}


def _speaks_for(core: ComparableItem, other: ComparableItem) -> bool:
    """Whether a statement can represent another.

    A statement that the user confirmed is represented only by another confirmed one in the same words.
    """
    if other.provenance == CONFIRMED:
        return core.provenance == CONFIRMED and core.words == other.words
    return is_core_of(core.words, other.words)
