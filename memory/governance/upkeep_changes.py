"""Changes that upkeep makes to an item's standing, recorded so that they can be undone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from consent.permit import Permit
from memory.evolution import history
from memory.models import EvolutionEvent, MemoryItem
from memory.services import versions


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
