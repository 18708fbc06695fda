"""Changes that upkeep makes to an item's standing, recorded so that they can be undone, and those undone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from consent.permit import Permit
from memory.models import EvolutionEvent, MemoryItem
from memory.services import history, versions


def apply_change(
    permit: Permit,
    item: MemoryItem,
    action: EvolutionEvent.Action,
    *,
    rule: str,
    inputs: Mapping[str, Any],
    **fields: Any,
) -> MemoryItem:
    """Set these fields of ``item`` and record what they were; returns the changed row.

    Call while holding the permit. ``inputs`` are the ids and numbers that ``rule`` went by.
    """
    before = {name: getattr(item, name) for name in fields}
    changed = versions.change_standing(item, **fields)
    record_upkeep(permit, changed, action, rule=rule, inputs=inputs, before=before, after=fields)
    return changed


def record_upkeep(
    permit: Permit, item: MemoryItem, action: EvolutionEvent.Action, *, rule: str, **grounds: Mapping[str, Any]
) -> EvolutionEvent:
    """Record a change made by upkeep; ``grounds`` as ``history.record_change`` takes them."""
    return history.record_change(
        item,
        action,
        actor=EvolutionEvent.Actor.GOVERNOR,
        consent_version=permit.version,
        rule=rule,
        **grounds,
    )


def undone_changes(permit: Permit, action: EvolutionEvent.Action) -> list[EvolutionEvent]:
    """Changes of this kind that the user undid and that are not repeated."""
    mine = EvolutionEvent.objects.filter(user_id=permit.user_id, action=action, actor=EvolutionEvent.Actor.GOVERNOR)
    return list(mine.exclude(undone_at=None))


def parse_ids(values: Sequence[object]) -> set[UUID]:
    """The ids in a JSON array."""
    return {UUID(str(value)) for value in values}
