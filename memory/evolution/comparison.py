"""Compares statements: which say the same, which contradict each other. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from foundation.text import tokenize
from memory.confidence import PROVENANCE_RANK
from memory.evolution.slots import holds_several, opposite_slot, value_key

TASTES: Final = frozenset({"likes", "dislikes"})
"""Slots of several values in which a narrower value implies the wider one.

Who likes spicy Sichuan food likes Sichuan food. In other slots this does not hold: who must avoid peanut butter need
not avoid peanuts.
"""
_DENIALS = frozenset(
    tokenize("not no never without except unless avoid hardly can't cannot won't none neither nor less")
)
_TURNS_MEANING = re.compile(r"\d|[不没无非别勿未禁除]")  # in index tokens, which are simplified


@dataclass(frozen=True)
class ComparableItem:
    """An open item as it is compared with others. ``vector`` is None where it has none."""

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


def is_core_of(core: frozenset[str], whole: frozenset[str]) -> bool:
    """Whether ``whole`` says what ``core`` says and more, but no number or "not" that changes the meaning."""
    return bool(core) and core <= whole and not any(map(_turns_meaning, whole - core))


def _turns_meaning(word: str) -> bool:
    return word in _DENIALS or _TURNS_MEANING.search(word) is not None


def is_same_statement(words: frozenset[str], other: frozenset[str]) -> bool:
    """Whether one of two sets of words is the core of the other."""
    return is_core_of(words, other) or is_core_of(other, words)


def contradicted_by(winner: ComparableItem, others: Iterable[ComparableItem]) -> list[ComparableItem]:
    """The statements that cannot hold beside ``winner``, whatever their rank."""
    if not (winner.subject and winner.slot and winner.words):
        return []
    question = slot_key(winner)
    return [
        other
        for other in others
        if other.slot and other.words and slot_key(other) == question and contradicts(winner, other)
    ]


def slot_key(item: ComparableItem) -> tuple[str, ...]:
    """The question that a statement answers; two answers to one question contradict each other."""
    if not holds_several(item.slot):
        return item.subject, item.slot
    slots = sorted(slot for slot in (item.slot, opposite_slot(item.slot)) if slot)
    return item.subject, *slots, value_key(item.value)


def contradicts(winner: ComparableItem, other: ComparableItem) -> bool:
    """Whether two answers to the same question cannot both hold."""
    if holds_several(winner.slot):
        return winner.slot != other.slot
    return not is_same_statement(winner.words, other.words)
