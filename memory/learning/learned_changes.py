"""Presents one change to a memory: what it changed, where it stands now, and how it is taken back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal
from uuid import UUID

from memory.models import EvolutionEvent, MemoryItem

Action = EvolutionEvent.Action
Kind = Literal["noted", "changed", "asked", "retracted", "preference"]
Standing = Literal["in_force", "waiting", "left_out", "undone", "past"]
"""``waiting`` for a yes or a no; ``left_out`` after a no or a take-back; ``past`` since something newer was said."""
_WAITS: Final = MemoryItem.State.QUARANTINED


@dataclass(frozen=True)
class UndoAction:
    """How a change is taken back: ``history.undo`` of ``change_id``, or ``item_decisions.withdraw_memory`` where that
    is None.
    """

    change_id: UUID | None


@dataclass(frozen=True)
class LearnedChange:
    """One change that a message made to a memory.

    ``content`` is the statement it is about. ``former_content`` is the statement that it replaced or, if the change is
    ``asked``, may replace; None if there is none or its words were erased. ``former_value`` is the part of that which
    differs, if known. ``certainty`` is the confidence in ``content``, from 0 to 1.
    """

    event: Kind
    memory_id: UUID
    content: str
    certainty: float
    standing: Standing
    former_content: str | None = None
    former_value: str | None = None
    undo: UndoAction | None = None


@dataclass(frozen=True)
class RecordedChange:
    """A recorded change with the last undoable one of its chain, what each replaced, and an open rival."""

    record: EvolutionEvent
    last: EvolutionEvent | None
    former: Mapping[UUID, MemoryItem]
    rival: MemoryItem | None

    @property
    def is_last(self) -> bool:
        """Whether the change is the last of its chain."""
        return self.last is not None and self.last.pk == self.record.pk

    def as_learned_change(
        self, event: Kind, standing: Standing, *, undo: UndoAction | None, former: MemoryItem | None = None
    ) -> LearnedChange:
        """The change as the API and the pages present it."""
        item = self.record.item
        return LearnedChange(
            event=event,
            memory_id=item.pk,
            content=item.content,
            certainty=item.confidence,
            standing=standing,
            former_content=former.content if former else None,
            former_value=_differing_value(former, item) if former else None,
            undo=undo,
        )


def learned_change(change: RecordedChange) -> LearnedChange | None:
    """The change as it stands now; None where there is nothing to present any more."""
    record = change.record
    if record.action == Action.ADDED:
        return _addition(change)
    if record.action == Action.ACCEPTED and record.undone_at is not None:
        return None  # it waits again, under the message that taught it
    former = change.former.get(record.pk)
    undo = UndoAction(record.pk) if change.is_last else None
    return change.as_learned_change(
        _kind_of_change(record, former), _standing_of_change(change), undo=undo, former=former
    )


def _differing_value(former: MemoryItem, item: MemoryItem) -> str | None:
    """The value of the former statement, where the two differ in their values alone."""
    old, new = (version.value for version in (former, item))
    if not old or not new or old not in former.content:
        return None
    return old if former.content.replace(old, new, 1) == item.content else None


def _kind_of_change(record: EvolutionEvent, former: MemoryItem | None) -> Kind:
    if record.action == Action.RETIRED:
        return "retracted"
    if record.item.memory_type == MemoryItem.MemoryType.PERSONA_PREFERENCE:
        return "preference"
    is_new = record.action in (Action.ADDED, Action.ACCEPTED) and former is None
    return "noted" if is_new else "changed"


def _standing_of_change(change: RecordedChange) -> Standing:
    record = change.record
    if record.undone_at is not None:
        return "undone"
    is_open = record.item.superseded_at is None or record.action == Action.RETIRED
    return "in_force" if change.is_last or is_open else "past"


def _addition(change: RecordedChange) -> LearnedChange | None:
    """The outcome of a newly learned statement.

    None for a statement that awaited the user's confirmation and was closed without their answer.
    """
    item, last = change.record.item, change.last
    standing = _standing_of_item(item, last)
    if standing == "past" and item.provenance_detail.get("doubt"):
        return None
    undo = _undo_of_addition(standing, last)
    if change.rival is not None:
        return change.as_learned_change("asked", "waiting", undo=None, former=change.rival)
    was_refused = standing == "left_out" and last is not None and last.before.get("state") == _WAITS
    if standing == "waiting" or was_refused:
        return change.as_learned_change("asked", standing, undo=undo)
    former = change.former.get(last.pk) if last is not None and last.action == Action.ACCEPTED else None
    return change.as_learned_change(_kind_of_change(change.record, former), standing, undo=undo, former=former)


def _undo_of_addition(standing: Standing, last: EvolutionEvent | None) -> UndoAction | None:
    if standing == "in_force" and last is None:
        return UndoAction(None)
    is_answer = last is not None and last.action in (Action.REJECTED, Action.ACCEPTED)
    return UndoAction(last.pk) if last is not None and is_answer and standing != "past" else None


def _standing_of_item(item: MemoryItem, last: EvolutionEvent | None) -> Standing:
    if last is not None and last.action == Action.REJECTED and last.item_id == item.pk:
        return "left_out"
    if item.superseded_at is not None:
        return "past"
    return "waiting" if item.state == _WAITS else "in_force"
