"""Records every change of a memory with the rule behind it and its inputs, and undoes changes.

An item's standing means the fields that may change in place, such as its state and confidence; its words never change.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from contextlib import nullcontext
from typing import Any, Final, cast
from uuid import UUID

from django.db.models import Field, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from consent.permit import Permit
from foundation.database.acting_program import in_full_sight
from foundation.database.bulk_insert import insert_rows
from foundation.exceptions import ValidationFailed, require_found
from foundation.personal_data import ConsentScope
from foundation.webhooks.models import WebhookEvent
from foundation.webhooks.services import publish
from memory.models import EvolutionEvent, MemoryItem
from memory.services import versions

Action = EvolutionEvent.Action
Actor = EvolutionEvent.Actor

_REVERSED_FIELDS: Final = frozenset(
    {
        "state",
        "confidence",
        "provenance",
        "epistemic_type",
        "category",
        "memory_type",
        "invalid_at",
        "superseded_at",
        "superseded_by_id",
        "last_validated_at",
    }
)
"""The fields of an item's standing. An undo restores those that ``before`` holds."""
_STEPS: Final = (Action.ADDED, Action.UNDONE, Action.NUDGED)
"""Actions that cannot be undone: what was learned is forgotten instead, an undo is not undone, and a nudge of the
confidence is outweighed by the user's next verdict.
"""
_UNTOLD: Final = (Action.NUDGED, Action.CALIBRATED)
"""Changes of a memory's confidence. No webhook reports them: they are many and change no words."""
REPETITION_RULE: Final = "said again"
"""The rule of a confirmation that replaced nothing: the user only repeated the statement. Nor can it be undone."""


def record_change(
    permit: Permit,
    item: MemoryItem,
    action: str,
    actor: str,
    rule: str = "",
    *,
    inputs: Mapping[str, Any] | None = None,
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
) -> EvolutionEvent:
    """Record one change of ``item``, in the transaction that makes it. Ids and numbers only, never text.

    ``undo`` reads the following. ``before`` holds the earlier values of the changed fields of ``item``.
    ``inputs["previous"]`` names the version that ``item`` replaced; ``inputs["merged"]`` lists the items closed in
    favour of ``item``, and ``inputs["created"]`` is true if the merge itself wrote ``item``. The closed items were
    active, unless ``inputs["state"]`` gives another state; those in ``inputs["waited"]`` awaited the user's
    confirmation.
    """
    event = EvolutionEvent(
        user_id=item.user_id,
        item=item,
        chain_id=item.chain_id,
        action=action,
        actor=actor,
        rule=rule,
        inputs=_as_json(inputs),
        before=_as_json(before),
        after=_as_json(after),
        consent_version=permit.version,
        created_at=timezone.now(),
    )
    insert_rows([event])
    if action not in _UNTOLD and rule != REPETITION_RULE:
        told = WebhookEvent.MEMORY_LEARNED if action == Action.ADDED else WebhookEvent.MEMORY_CHANGED
        publish(item.user_id, told, item.pk)
    return event


def apply_change(
    permit: Permit,
    item: MemoryItem,
    action: str,
    actor: str,
    rule: str,
    *,
    inputs: Mapping[str, Any],
    **fields: Any,
) -> MemoryItem:
    """Set these fields of ``item`` and record what they were; returns the changed row.

    Call while holding the permit. ``inputs`` are the ids and numbers on which ``rule`` decided.
    """
    before = {name: getattr(item, name) for name in fields}
    changed = versions.change_fields(item, **fields) if fields else item
    record_change(permit, changed, action, actor, rule, inputs=inputs, before=before, after=fields)
    return changed


def changes_of(permit: Permit, item: MemoryItem) -> QuerySet[EvolutionEvent]:
    """The changes of the item's chain, oldest first, with the one that closed it in another's favour."""
    if not permit.allows(ConsentScope.MEMORY_LEARNING):
        return EvolutionEvent.objects.none()
    mine = EvolutionEvent.objects.filter(user_id=permit.user_id)
    put_away = Q(inputs__merged__contains=[str(item.pk)])
    return mine.filter(Q(chain_id=item.chain_id) | put_away).order_by("created_at", "id")


def state_fields_in(values: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of an item's standing among ``values`` (a change's ``before`` or ``after``), as Python values."""
    return {name: _model_field(name).to_python(values[name]) for name in _REVERSED_FIELDS & values.keys()}


def epistemic_type_of(item: MemoryItem) -> str:
    """The item's epistemic type, or the one it had before upkeep marked it as outdated."""
    marks = EvolutionEvent.objects.filter(item=item, action=Action.OUTDATED, undone_at=None)
    mark = marks.last() if item.epistemic_type == MemoryItem.EpistemicType.OUTDATED else None
    return str(mark.before["epistemic_type"]) if mark else item.epistemic_type


def undoable_change(permit: Permit, item: MemoryItem) -> EvolutionEvent | None:
    """The last change of the item's chain that can be undone and was not; None if there is none."""
    changes = changes_of(permit, item).filter(chain_id=item.chain_id, undone_at=None)
    return changes.exclude(action__in=_STEPS).exclude(rule=REPETITION_RULE).last()


def undoable_changes(permit: Permit, chains: Collection[UUID]) -> dict[UUID, EvolutionEvent]:
    """The ``undoable_change`` of many chains in one query; chains without one are left out."""
    if not chains or not permit.allows(ConsentScope.MEMORY_LEARNING):
        return {}
    changes = EvolutionEvent.objects.filter(user_id=permit.user_id, chain_id__in=chains, undone_at=None)
    changes = changes.exclude(action__in=_STEPS).exclude(rule=REPETITION_RULE)
    return {change.chain_id: change for change in changes.order_by("created_at", "id")}


def undone_changes(permit: Permit, action: str) -> list[EvolutionEvent]:
    """Changes of this kind that upkeep made and the user undid; upkeep must not make them again."""
    mine = EvolutionEvent.objects.filter(user_id=permit.user_id, action=action, actor=Actor.GOVERNOR)
    return list(mine.exclude(undone_at=None))


def is_unchanged_since_learned(permit: Permit, item: MemoryItem) -> bool:
    """Whether the item is still as conversation taught it."""
    learned = changes_of(permit, item).filter(item=item, action=Action.ADDED, actor=Actor.PIPELINE)
    return learned.exists() and undoable_change(permit, item) is None


def undo(permit: Permit, memory_id: UUID) -> MemoryItem:
    """Undo the last change of the memory's chain; returns the version that is open afterwards.

    The undo is itself recorded. Raises ``NotFound`` for what is not the user's, and ``ValidationFailed`` when nothing
    is to be undone, or a later change stands in the way.
    """
    with versions.learning_transaction(permit):
        item = require_found(MemoryItem.objects.owned_by(permit.user_id).filter(pk=memory_id).first())
        change = undoable_change(permit, item)
        if change is None:
            raise _undo_refused(_("There is nothing to undo: this memory has not changed since it was learned."))
        standing = _reverse(permit, change)
        change.undone_at = timezone.now()
        change.save(update_fields=["undone_at"])
        record_change(
            permit, standing, Action.UNDONE, Actor.PERSON, inputs={"undid": change.pk, "action": change.action}
        )
        return standing


def _reverse(permit: Permit, change: EvolutionEvent) -> MemoryItem:
    """Restore what ``change`` changed; returns the first of the versions that are open again."""
    inputs = change.inputs
    is_newer = "previous" in inputs or inputs.get("created", False)
    if is_newer:
        _withdraw_newer(change)
    former = [inputs["previous"]] if "previous" in inputs else inputs.get("merged", [])
    waited, usual = inputs.get("waited", ()), inputs.get("state", versions.State.ACTIVE)
    again = [_reopen(permit, UUID(key), versions.State.QUARANTINED if key in waited else usual) for key in former]
    if is_newer:
        return again[0]
    return _restore(permit, change.item, change.before)


def _withdraw_newer(change: EvolutionEvent) -> None:
    """Close the newer version as never true, so that it is not in force beside the one that is reopened."""
    item = change.item
    if item.superseded_at is not None:
        raise _undo_refused(_("This memory is now part of a merged one. Undo the merge there."))
    is_restated = change.action in (Action.CONFIRMED, Action.MERGED)
    versions.close_version(
        item, at=item.valid_at, state=versions.State.INVALID, now=timezone.now(), is_restated=is_restated
    )


def _reopen(permit: Permit, memory_id: UUID, state: str) -> MemoryItem:
    """Open a version that the change closed, also one that is kept from the acting program."""
    closed = MemoryItem.objects.owned_by(permit.user_id).filter(pk=memory_id)
    with nullcontext() if closed.exists() else in_full_sight():
        item = closed.first()
        if item is None:
            raise _undo_refused(_("The earlier version was forgotten and cannot come back."))
        opened = {"invalid_at": None, "superseded_at": None, "superseded_by_id": None}
        return _restore(permit, item, opened | {"state": state})


def _restore(permit: Permit, item: MemoryItem, before: Mapping[str, Any]) -> MemoryItem:
    """The item with these fields again. Raises where another open memory already says the same."""
    fields = state_fields_in(before)
    if fields.get("superseded_at", item.superseded_at) is None:
        other = versions.item_of_same_words(permit, item.content, item.group_id)
        if other is not None and other.pk != item.pk:
            raise _undo_refused(_("Another memory already says this."))
    return versions.change_fields(item, **fields)


def _model_field(name: str) -> Field[Any, Any]:
    return cast("Field[Any, Any]", MemoryItem._meta.get_field(name))


def _undo_refused(sentence: str) -> ValidationFailed:
    return ValidationFailed(sentence, {"memory_id": [sentence]})


def _as_json(values: Mapping[str, Any] | None) -> dict[str, Any]:
    """The values as JSON holds them, ids and times as text."""
    plain: dict[str, Any] = json.loads(json.dumps(dict(values or {}), default=str))
    return plain
