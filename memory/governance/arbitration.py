"""Decides between contradicting memories: the winner by rule, and how far a model's verdict counts. Pure.

A model can only soften the rule's decision: memories that it names outside the conflict are ignored, and it can never
retire the winner.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from memory.evolution.comparison import ComparableItem, contradicts, slot_key

Verdict = Literal["keep", "merge", "retire"]


@dataclass(frozen=True)
class Conflict:
    """Memories of one subject and slot that cannot all be true. By the rule, ``winner`` stays."""

    winner: ComparableItem
    losers: tuple[ComparableItem, ...]


def find_conflicts(statements: Iterable[ComparableItem]) -> list[Conflict]:
    """The conflicts among open memories: different values in a slot that holds one, or liking against disliking.

    The higher provenance wins, at equal level the newer ``valid_at``. A value that only says the winner's in more or
    less detail contradicts nothing.
    """
    rivals: dict[tuple[str, ...], list[ComparableItem]] = defaultdict(list)
    for item in statements:
        if item.subject and item.slot and item.words:
            rivals[slot_key(item)].append(item)
    found = (_conflict_among(answers) for answers in rivals.values())
    return sorted((conflict for conflict in found if conflict.losers), key=lambda conflict: conflict.winner.rank)


def final_verdicts(conflict: Conflict, verdicts: Mapping[UUID, Verdict]) -> dict[UUID, Verdict]:
    """The verdict on each loser: the model's where that is allowed, else to retire it.

    Memories of different groups are not merged, so that no words pass from one group to another: the loser is retired.
    """
    return {
        loser.id: _allowed_verdict(conflict.winner, loser, verdicts.get(loser.id, "retire"))
        for loser in conflict.losers
    }


def _allowed_verdict(winner: ComparableItem, loser: ComparableItem, verdict: Verdict) -> Verdict:
    if verdict == "merge" and winner.group_id != loser.group_id:
        return "retire"
    return verdict


def _conflict_among(answers: list[ComparableItem]) -> Conflict:
    winner = max(answers, key=lambda answer: answer.rank)
    losers = sorted(
        (answer for answer in answers if contradicts(winner, answer)), key=lambda answer: answer.rank, reverse=True
    )
    return Conflict(winner, tuple(losers))
