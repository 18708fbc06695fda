"""Finds and settles contradictions among a user's open memories, in the background."""

from __future__ import annotations

from collections.abc import Mapping
from uuid import UUID

from django.utils import timezone

from consent.permit import Permit
from memory.evolution.comparison import ComparableItem
from memory.governance import arbitration
from memory.governance.arbitration import Conflict, Verdict
from memory.governance.consolidation import merge
from memory.models import EvolutionEvent, MemoryItem
from memory.services import versions
from memory.services.comparable_items import comparable_item
from memory.services.history import Actor, apply_change, record_change, undone_changes
from memory.services.item_queries import items_in_use

RULE = "conflict"
RESOLVED = EvolutionEvent.Action.RESOLVED


def contradictions(permit: Permit) -> list[Conflict]:
    """The unsettled conflicts among the user's open items. Call while acting for the user.

    A conflict counts as settled if a verdict kept both memories, or if the user undid its outcome.
    """
    decided = _decided_pairs(permit)
    in_use = items_in_use(permit).exclude(epistemic_type=MemoryItem.EpistemicType.OUTDATED)
    found = arbitration.find_conflicts(comparable_item(item) for item in in_use)
    left = (Conflict(conflict.winner, _undecided(conflict, decided)) for conflict in found)
    return [conflict for conflict in left if conflict.losers]


def resolve(permit: Permit, verdicts: Mapping[UUID, Verdict] | None = None) -> list[UUID]:
    """Settle the present conflicts; returns the items that were closed.

    Without ``verdicts`` the rule settles them all. With them only conflicts are settled whose losers all have a
    verdict; the others wait for the next run.
    Raises ``ConsentScopeMissing``, ``ConsentOutdated``, ``ErasureInProgress``.
    """
    with versions.learning_transaction(permit):
        found = contradictions(permit)
        if verdicts is not None:
            found = [conflict for conflict in found if all(loser.id in verdicts for loser in conflict.losers)]
        return [key for conflict in found for key in _settle_conflict(permit, conflict, verdicts or {})]


def _settle_conflict(permit: Permit, conflict: Conflict, verdicts: Mapping[UUID, Verdict]) -> list[UUID]:
    outcome = arbitration.final_verdicts(conflict, verdicts)
    items = MemoryItem.objects.in_bulk([conflict.winner.id, *outcome])
    winner, merged = items[conflict.winner.id], [items[key] for key, verdict in outcome.items() if verdict == "merge"]
    for key, verdict in outcome.items():
        if verdict == "retire":
            _retire(permit, items[key], winner)
        elif verdict == "keep":
            _record_kept(permit, items[key], winner)
    if merged:
        merge(permit, [winner, *merged], rule=f"{RULE}.merge")
    return [key for key, verdict in outcome.items() if verdict != "keep"]


def _retire(permit: Permit, loser: MemoryItem, winner: MemoryItem) -> None:
    """Close the loser as valid until the winner became valid, or as never valid if the winner is older."""
    row = versions.lock_open(loser)
    closed = {
        "state": versions.State.SUPERSEDED,
        "invalid_at": max(winner.valid_at, row.valid_at),
        "superseded_at": timezone.now(),
        "superseded_by_id": winner.pk,
    }
    rule = f"{RULE}.{_ground(row, winner)}"
    apply_change(permit, row, RESOLVED, Actor.GOVERNOR, rule, inputs=_inputs(row, winner), **closed)


def _record_kept(permit: Permit, loser: MemoryItem, winner: MemoryItem) -> None:
    record_change(permit, loser, RESOLVED, Actor.GOVERNOR, f"{RULE}.keep", inputs=_inputs(loser, winner))


def _ground(loser: MemoryItem, winner: MemoryItem) -> str:
    """The half of the rule by which the winner won."""
    return "newer" if winner.provenance == loser.provenance else "provenance"


def _inputs(loser: MemoryItem, winner: MemoryItem) -> dict[str, object]:
    return {"winner": winner.pk, "provenances": [winner.provenance, loser.provenance]}


def _decided_pairs(permit: Permit) -> set[tuple[UUID, UUID]]:
    """Pairs of loser and winner that stay as they are: kept by a verdict, or restored by the user."""
    events = EvolutionEvent.objects.filter(user_id=permit.user_id, action=RESOLVED)
    settled = {
        (event.item_id, UUID(event.inputs["winner"]))
        for event in events
        # decided: a "keep" that was not undone, or any other outcome that the user undid
        if (event.rule == f"{RULE}.keep") == (event.undone_at is None)
    }
    parted = (event.inputs["merged"] for event in undone_changes(permit, EvolutionEvent.Action.MERGED))
    return settled | {(UUID(other), UUID(core)) for core, *others in parted for other in others}


def _undecided(conflict: Conflict, decided: set[tuple[UUID, UUID]]) -> tuple[ComparableItem, ...]:
    return tuple(loser for loser in conflict.losers if (loser.id, conflict.winner.id) not in decided)
