"""Reconstructs memories as they were recorded at an earlier time: today's rows with every later change reversed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from datetime import datetime
from typing import Any, Final, NamedTuple
from uuid import UUID

from django.db.models import Q

from consent.permit import Permit
from foundation.exceptions import NotFound
from memory.models import EvolutionEvent, MemoryItem
from memory.services.history import state_fields_in
from memory.services.item_queries import item_of

Action = EvolutionEvent.Action
State = MemoryItem.State
_OPEN: Final[Mapping[str, Any]] = {"invalid_at": None, "superseded_at": None, "superseded_by_id": None}
# Actions that add no message to an item: those of the first are its own from the start, those of the second never are.
_TELLS_NO_MORE: Final = (Action.ADDED, Action.RETIRED)


class _Step(NamedTuple):
    """A moment at which an item's standing changed, and the fields as they were before."""

    at: datetime
    before: Mapping[str, Any]


def item_as_recorded(permit: Permit, memory_id: UUID, known_at: datetime) -> MemoryItem:
    """One of the user's items as it was recorded at ``known_at``. Raises ``NotFound``, also for one learned later."""
    item = item_of(permit, memory_id)
    if item.created_at > known_at:
        raise NotFound()
    return items_as_recorded(permit, [item], known_at)[0]


def items_as_recorded(permit: Permit, items: Sequence[MemoryItem], known_at: datetime) -> list[MemoryItem]:
    """Copies of the items with the standing they had at ``known_at``: state, confidence, kind, validity and what had
    replaced them. Never to be saved.

    The words are those of the row, which never change. Messages that a later change added to an item are left out.
    """
    changes = _changes_of(permit, items)
    return [_put_back(item, changes, known_at) for item in items]


def _changes_of(permit: Permit, items: Sequence[MemoryItem]) -> list[EvolutionEvent]:
    """Every change that touched one of the items."""
    touching = (
        Q(chain_id__in={item.chain_id for item in items})
        | Q(item_id__in={item.superseded_by_id for item in items if item.superseded_by_id})
        | Q(inputs__merged__has_any_keys=[str(item.pk) for item in items])
    )
    mine = EvolutionEvent.objects.filter(touching, user_id=permit.user_id)
    return list(mine.select_related("item").order_by("created_at", "id"))


def _put_back(item: MemoryItem, changes: Sequence[EvolutionEvent], known_at: datetime) -> MemoryItem:
    recorded = copy(item)
    steps = sorted((step for change in changes for step in _steps(change, item)), key=lambda step: step.at)
    if item.superseded_at is not None and item.superseded_at > known_at:
        _set(recorded, {**_OPEN, "state": State.ACTIVE})  # the fallback if no recorded change says how it was closed
    for step in reversed(steps):
        if step.at > known_at:
            _set(recorded, step.before)
    recorded.provenance_detail = _detail_then(item, changes, known_at)
    recorded.updated_at = max([item.created_at, *(step.at for step in steps if step.at <= known_at)])
    return recorded


def _set(item: MemoryItem, fields: Mapping[str, Any]) -> None:
    for name, value in fields.items():
        setattr(item, name, value)


def _steps(change: EvolutionEvent, item: MemoryItem) -> Iterator[_Step]:
    """The steps at which a change was made and undone, if it touched the item."""
    was_closed = str(item.pk) in (change.inputs.get("previous"), *change.inputs.get("merged", ()))
    if not was_closed and change.item_id != item.pk:
        return
    yield _Step(change.created_at, _open_before(change, item) if was_closed else state_fields_in(change.before))
    if change.undone_at is not None:
        yield _Step(change.undone_at, _closed_by(change, item) if was_closed else _standing_after(change, item))


def _open_before(change: EvolutionEvent, item: MemoryItem) -> dict[str, Any]:
    """The standing of an item before a change closed it in another's favour (see ``history.record_change``)."""
    waited = str(item.pk) in change.inputs.get("waited", ())
    return {**_OPEN, "state": State.QUARANTINED if waited else change.inputs.get("state", State.ACTIVE)}


def _closed_by(change: EvolutionEvent, item: MemoryItem) -> dict[str, Any]:
    """The standing that the change gave an item it closed, which an undo then took away."""
    never_true = change.action == Action.CONFIRMED or change.inputs.get("created", False)
    ends = item.valid_at if never_true else max(change.item.valid_at, item.valid_at)
    closed = {"invalid_at": ends, "superseded_at": change.created_at, "superseded_by_id": change.item_id}
    return closed | {"state": State.SUPERSEDED}


def _standing_after(change: EvolutionEvent, item: MemoryItem) -> dict[str, Any]:
    """The standing that the change gave its own item, which an undo then took away."""
    if "previous" in change.inputs or change.inputs.get("created", False):
        return {**_OPEN, "state": State.ACTIVE}  # the change wrote it, and the undo closed it
    if change.action not in (Action.RETIRED, Action.REJECTED):
        return state_fields_in(change.after)
    ends = item.valid_at if change.action == Action.REJECTED else change.created_at
    return {"state": State.INVALID, "invalid_at": ends, "superseded_at": change.created_at} | state_fields_in(
        change.after
    )


def _detail_then(item: MemoryItem, changes: Sequence[EvolutionEvent], known_at: datetime) -> dict[str, Any]:
    later = {
        message
        for change in changes
        if change.item_id == item.pk and change.created_at > known_at and change.action not in _TELLS_NO_MORE
        for message in change.inputs.get("said_in", ())
    }
    detail: dict[str, Any] = dict(item.provenance_detail)
    if "message_ids" in detail:
        detail["message_ids"] = [message for message in detail["message_ids"] if message not in later]
    return detail
