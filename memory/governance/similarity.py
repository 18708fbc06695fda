"""Clusters statements that say the same: near in meaning, about one slot, none adding what another denies. Pure.

Similarity alone merges what must stay apart ("conservative" and "aggressive" are as close as words get), so a vector
only ever proposes; subject, slot and the values' own words decide.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from foundation.text import tokenize
from memory.evolution.confidence import PROVENANCE_RANK
from memory.evolution.slots import holds_several, value_key
from memory.governance.thresholds import Thresholds

MOST_COMPARED: Final = 2_000
"""The most statements of one slot compared with each other, the latest first: 16 MB of similarities."""
TASTES: Final = frozenset({"likes", "dislikes"})
"""Slots of many values in which a wider value may stand for narrower ones.

Who likes spicy Sichuan food likes Sichuan food. Who may not eat peanut butter is not thereby told to leave peanuts.
"""
CONFIRMED: Final = "confirmed_by_user"
_DENIALS = frozenset(
    tokenize("not no never without except unless avoid hardly can't cannot won't none neither nor less")
)
_TURNS_MEANING = re.compile(r"\d|[不没无非别勿未禁除]")  # in index tokens, which are simplified


@dataclass(frozen=True)
class ComparableItem:
    """An open item as upkeep compares it. ``vector`` is None where it has none."""

    id: UUID
    group_id: UUID | None
    subject: str
    slot: str
    value: str
    provenance: str
    confidence: float
    valid_at: datetime
    vector: NDArray[np.float32] | None = field(default=None, compare=False)
    model_id: str = ""

    @property
    def words(self) -> frozenset[str]:
        """The index tokens of the value."""
        return frozenset(tokenize(value_key(self.value)))

    @property
    def rank(self) -> tuple[int, datetime, UUID]:
        """The rank in a conflict: the higher provenance, among equals the newer."""
        return PROVENANCE_RANK.get(self.provenance, 0), self.valid_at, self.id


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


def is_core_of(core: frozenset[str], whole: frozenset[str]) -> bool:
    """Whether ``whole`` says what ``core`` says and more, but no number or "not" that changes the meaning."""
    return bool(core) and core <= whole and not any(map(_turns_meaning, whole - core))


def _turns_meaning(word: str) -> bool:
    return word in _DENIALS or _TURNS_MEANING.search(word) is not None


def says_the_same(words: frozenset[str], other: frozenset[str]) -> bool:
    """Whether one of two sets of words is the core of the other."""
    return is_core_of(words, other) or is_core_of(other, words)


def find_clusters(statements: Iterable[ComparableItem], thresholds: Thresholds) -> list[ItemCluster]:
    """The clusters of at least ``consolidate_from`` statements.

    Every member is compared with the representative, never with a chain between: of "Berlin", "Berlin or Hamburg" and
    "Hamburg" no two are joined through the third.
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

    What the user confirmed is represented in no other words, and by nothing less sure.
    """
    if other.provenance == CONFIRMED:
        return core.provenance == CONFIRMED and core.words == other.words
    return is_core_of(core.words, other.words)
