"""Conflicts between two memories: both stay in force until the user decides which is right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal
from uuid import UUID

from django.utils import timezone
from django.utils.translation import gettext as _

from consent.permit import Permit
from foundation.exceptions import ValidationFailed
from foundation.personal_data import ConsentScope
from memory.confidence import EXPLICIT_CONFIDENCE
from memory.models import EvolutionEvent, MemoryItem
from memory.services import contradicted_items, history, item_queries, items, versions
from memory.services.contradicted_items import MAY_CHANGE
from memory.services.history import Action, Actor
from memory.services.item_queries import items_in_use

BOTH_HOLD: Final = "conflict.keep"
"""The name under which the history records that the user keeps both memories of a conflict."""
Outcome = Literal["newer", "older", "both"]


@dataclass(frozen=True, slots=True)
class OpenConflict:
    """Two memories in force, the newer of which perhaps changes the older."""

    newer: MemoryItem
    older: MemoryItem


def open_conflicts(permit: Permit) -> list[OpenConflict]:
    """The user's unsettled conflicts, the latest first; none without consent."""
    if not permit.allows(ConsentScope.MEMORY_LEARNING):
        return []
    in_use = items_in_use(permit)
    marked = in_use.filter(provenance_detail__has_key=MAY_CHANGE).order_by("-created_at", "-id")
    older = contradicted_items.named_by_each(list(marked), MAY_CHANGE, among=in_use)
    found = [OpenConflict(newer, named[0]) for newer, named in older if named]
    settled = _kept_side_by_side(permit) if found else set()
    return [conflict for conflict in found if (conflict.older.chain_id, conflict.newer.chain_id) not in settled]


def undecided_count(permit: Permit) -> int:
    """How many decisions await the user: quarantined memories and conflicts."""
    return item_queries.review_queue(permit).count() + len(open_conflicts(permit))


def outcome_of(said: str) -> Outcome:
    """The chosen outcome. Raises ``ValidationFailed`` for anything else."""
    chosen = next((outcome for outcome in _SETTLED if outcome == said), None)
    if chosen is None:
        sentence = _("Choose which of the two is right.")
        raise ValidationFailed(sentence, {"holds": [sentence]})
    return chosen


def settle_conflict(permit: Permit, memory_id: UUID, outcome: Outcome) -> MemoryItem:
    """Settle a conflict as the user decided; ``memory_id`` is the newer memory.

    Returns the item whose change can be undone. Raises ``NotFound`` for an item that is not the user's,
    ``ValidationFailed`` for one in no open conflict.
    """
    with versions.learning_transaction(permit):
        conflict = next((conflict for conflict in open_conflicts(permit) if conflict.newer.pk == memory_id), None)
        if conflict is None:
            item_queries.item_of(permit, memory_id)
            sentence = _("You have already settled this conflict.")
            raise ValidationFailed(sentence, {"memory_id": [sentence]})
        return _SETTLED[outcome](permit, conflict)


def _kept_side_by_side(permit: Permit) -> set[tuple[UUID, UUID]]:
    """Pairs of older and newer chains that the user keeps both. Chains outlive versions."""
    kept = EvolutionEvent.objects.filter(
        user_id=permit.user_id, action=Action.RESOLVED, rule=BOTH_HOLD, undone_at=None
    )  # fmt: skip
    pairs = [(older, UUID(str(inputs["winner"]))) for older, inputs in kept.values_list("item_id", "inputs")]
    versions_kept = item_queries.items_of(permit).filter(pk__in={key for pair in pairs for key in pair})
    chains = dict(versions_kept.values_list("pk", "chain_id"))
    return {(chains[older], chains[newer]) for older, newer in pairs if older in chains and newer in chains}


def _keep_newer(permit: Permit, conflict: OpenConflict) -> MemoryItem:
    """Supersede the older memory as if that had been clear at once; an undo brings it back."""
    newer, older = versions.lock_open(conflict.newer), versions.lock_open(conflict.older)
    fields: dict[str, Any] = {
        "provenance": items.CONFIRMED,
        "confidence": max(newer.confidence, EXPLICIT_CONFIDENCE),
        "last_validated_at": timezone.now(),
    }
    before = {name: getattr(newer, name) for name in fields}
    ends = max(newer.valid_at, older.valid_at)
    versions.close_version(older, at=ends, state=MemoryItem.State.SUPERSEDED, now=timezone.now(), by=newer)
    changed = versions.change_fields(newer, **fields)
    history.record_change(permit, changed, Action.ACCEPTED, Actor.PERSON, before=before, inputs={"merged": [older.pk]})
    return changed


def _keep_older(permit: Permit, conflict: OpenConflict) -> MemoryItem:
    """Close the newer memory as misunderstood: it never held."""
    return items.close_as_never_true(permit, versions.lock_open(conflict.newer))


def _keep_both(permit: Permit, conflict: OpenConflict) -> MemoryItem:
    older = versions.lock_open(conflict.older)
    history.record_change(permit, older, Action.RESOLVED, Actor.PERSON, BOTH_HOLD, inputs={"winner": conflict.newer.pk})
    return older


_SETTLED: Final[dict[Outcome, Callable[[Permit, OpenConflict], MemoryItem]]] = {
    "newer": _keep_newer,
    "older": _keep_older,
    "both": _keep_both,
}
