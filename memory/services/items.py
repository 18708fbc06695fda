"""Adds, changes and ends memory items, with one function for each way. A statement is what an item says of a user."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from datetime import datetime
from typing import Any, Literal, NamedTuple
from uuid import UUID

from django.utils import timezone
from django.utils.translation import gettext as _

from consent.permit import Permit
from foundation.exceptions import ValidationFailed
from memory.confidence import EXPLICIT_CONFIDENCE, PROVENANCE_RANK, after_repetitions
from memory.indexing import visibility
from memory.models import MemoryItem
from memory.services import contradicted_items, history, versions
from memory.services.history import Action, Actor
from memory.services.item_queries import item_of, open_item
from memory.services.versions import ItemDraft

CONFIRMED = MemoryItem.Provenance.CONFIRMED_BY_USER
State = MemoryItem.State


class WriteResult(NamedTuple):
    """The memory that now holds a statement, and what the write did to it."""

    item: MemoryItem
    event: Literal["ADD", "UPDATE", "SUPERSEDE", "MERGE", "NONE"]


def write(
    permit: Permit, draft: ItemDraft, *, actor: str = Actor.PIPELINE, is_permit_held: bool = False
) -> WriteResult:
    """Store a new statement as the first version of its chain and make it searchable.

    If an open memory has the same words already, nothing is stored; if the draft's provenance has more authority, it
    confirms that memory. ``is_permit_held`` says that the caller holds it already, as the worker does.
    """
    with nullcontext() if is_permit_held else versions.learning_transaction(permit):
        known = versions.item_of_same_words(permit, draft.content, draft.group_id)
        if known is not None:
            return _record_repeat(permit, known, draft, actor)
        now = timezone.now()
        item = versions.store_version(permit, draft, now=now, valid_at=draft.valid_at or now)
        history.record_change(permit, item, Action.ADDED, actor, draft.rule, inputs=_said_in(draft.message_ids[-1:]))
        if draft.quarantined:
            history.record_change(permit, item, Action.QUARANTINED, actor, draft.doubt, before={"state": State.ACTIVE})
        return WriteResult(item, "ADD")


def supersede(
    permit: Permit,
    old: MemoryItem,
    draft: ItemDraft,
    *,
    was_ever_true: bool = True,
    action: str = Action.SUPERSEDED,
    actor: str = Actor.PIPELINE,
) -> MemoryItem:
    """Replace the old item by a new version, or by the memory that already says the new words.

    The old row keeps its words and ends at the new one's ``valid_at``. If it was never true, or was only said again,
    its validity becomes empty, so that no instant has two versions.
    """
    # The user is locked before the row, as everywhere: two different orders could deadlock.
    with versions.learning_transaction(permit):
        open_row = versions.lock_open(old)
        now = timezone.now()  # one instant: at every other exactly one version is believed
        begins = max(draft.valid_at or now, open_row.valid_at)
        ends = begins if was_ever_true else open_row.valid_at
        is_restated = action == Action.CONFIRMED
        versions.close_version(open_row, at=ends, state=State.SUPERSEDED, now=now, is_restated=is_restated)
        grounds = {"state": open_row.state} | _said_in(draft.message_ids[-1:])
        new = versions.item_of_same_words(permit, draft.content, draft.group_id)
        if new is not None:
            versions.record_repeats(new, draft.message_ids, draft.source_sessions)
            action, grounds["merged"] = Action.MERGED, [open_row.pk]
        else:
            new = versions.store_version(permit, draft, now=now, valid_at=begins, chain_id=open_row.chain_id)
            grounds["previous"] = open_row.pk
        history.record_change(permit, new, action, actor, draft.rule, inputs=grounds)
        MemoryItem.objects.filter(pk=open_row.pk).update(superseded_by=new)
        if is_restated and open_row.epistemic_type == visibility.OUTDATED:
            visibility.update_visibility(new)  # the old version's messages were marked as past when it became outdated
    return new


def retire(
    permit: Permit,
    old: MemoryItem,
    *,
    at: datetime,
    rule: str = "",
    said_in: Sequence[str] = (),
    is_restated: bool = False,
) -> None:
    """Mark a statement as no longer true from ``at``, with nothing in its place.

    ``said_in`` are messages that said so. The messages that taught it become past with it, unless what they say still
    holds (``is_restated``).
    """
    with versions.learning_transaction(permit):
        open_row = versions.lock_open(old)
        versions.close_version(
            open_row, at=max(at, open_row.valid_at), state=State.INVALID, now=timezone.now(), is_restated=is_restated
        )
        before, inputs = state_fields_of(open_row), _said_in(said_in)
        history.record_change(permit, open_row, Action.RETIRED, Actor.PIPELINE, rule, before=before, inputs=inputs)


def repeat_statement(permit: Permit, known: MemoryItem, draft: ItemDraft) -> MemoryItem:
    """Record that the user repeated an open memory, which gains in confidence; returns the row as it is now.

    The memory names the messages and conversations of ``draft`` and is as fresh as they are (see
    ``confidence.after_repetitions``). A message that is named already counts once. A quarantined item stays
    quarantined; an outdated one holds again. Raises ``NotFound`` where the memory was closed meanwhile.
    """
    with versions.learning_transaction(permit):
        item = versions.lock_open(known)
        named = item.provenance_detail.get("message_ids", ())
        fresh = [key for key in draft.message_ids if key not in named]
        if fresh:
            versions.record_repeats(item, fresh, draft.source_sessions)
        if not fresh or item.state == State.QUARANTINED:
            return item
        fields = _fields_of_repeat(item, draft.valid_at)
        rule = draft.rule if "epistemic_type" in fields else history.REPETITION_RULE
        said = _said_in(fresh)
        return history.apply_change(permit, item, Action.CONFIRMED, Actor.PIPELINE, rule, inputs=said, **fields)


def _fields_of_repeat(item: MemoryItem, said_at: datetime | None) -> dict[str, Any]:
    """The fields that a repetition changes."""
    sayings = len(item.provenance_detail["message_ids"])
    provenance, confidence = after_repetitions(item.provenance, item.confidence, sayings)
    after = {
        "provenance": provenance,
        "confidence": confidence,
        "last_validated_at": max(item.last_validated_at, said_at or item.last_validated_at),
        "epistemic_type": history.epistemic_type_of(item),
    }
    return {name: value for name, value in after.items() if value != getattr(item, name)}


def confirm(
    permit: Permit,
    memory_id: UUID,
    *,
    actor: str = Actor.PERSON,
    rule: str = "",
    said_in: Sequence[str] = (),
    sessions: Sequence[UUID] = (),
) -> MemoryItem:
    """Confirm a memory: its next version has the same words, at the confidence of an explicit statement.

    ``said_in`` are the ids of messages that said it again, in these ``sessions``. A quarantined item is accepted by it.
    """
    old = open_item(permit, memory_id)
    if old.state == State.QUARANTINED:
        accepted = accept(permit, memory_id, actor=actor, rule=rule, said_in=said_in)
        versions.record_repeats(accepted, said_in, sessions)
        return accepted
    messages = [*old.provenance_detail.get("message_ids", ()), *said_in]
    detail = {"change": "confirmed", "rule": rule, "message_ids": messages}
    draft = draft_of(
        old,
        provenance=CONFIRMED,
        confidence=max(old.confidence, EXPLICIT_CONFIDENCE),
        detail={name: value for name, value in detail.items() if value},
        source_sessions=tuple(dict.fromkeys([*old.source_sessions, *sessions])),
    )
    return supersede(permit, old, draft, was_ever_true=False, action=Action.CONFIRMED, actor=actor)


def accept(
    permit: Permit, memory_id: UUID, *, actor: str = Actor.PERSON, rule: str = "", said_in: Sequence[str] = ()
) -> MemoryItem:
    """Accept a quarantined memory: it is in use from now on, and whatever contradicts it is closed.

    An undo reopens what was closed. ``said_in`` are the messages in which the user said so. Raises ``NotFound``, and
    ``ValidationFailed`` for what awaits no decision.
    """
    with versions.learning_transaction(permit):
        item = quarantined_item(permit, memory_id)
        before = state_fields_of(item)
        item = versions.change_fields(
            item,
            state=State.ACTIVE,
            provenance=CONFIRMED,
            confidence=max(item.confidence, EXPLICIT_CONFIDENCE),
            last_validated_at=timezone.now(),
        )
        closed = contradicted_items.close_contradicted(permit, item)
        inputs = closed | _said_in(said_in)
        history.record_change(permit, item, Action.ACCEPTED, actor, rule, before=before, inputs=inputs)
        return item


def close_as_never_true(permit: Permit, item: MemoryItem) -> MemoryItem:
    """Close an open item by the user's own decision, as never true; an undo brings it back."""
    versions.close_version(item, at=item.valid_at, state=State.INVALID, now=timezone.now())
    history.record_change(permit, item, Action.REJECTED, Actor.PERSON, before=state_fields_of(item))
    return item_of(permit, item.pk)


def _record_repeat(permit: Permit, known: MemoryItem, draft: ItemDraft, actor: str) -> WriteResult:
    if draft.quarantined and known.state != State.QUARANTINED:
        return WriteResult(known, "NONE")
    if PROVENANCE_RANK[draft.provenance] <= PROVENANCE_RANK[known.provenance] or draft.quarantined:
        return WriteResult(repeat_statement(permit, known, draft), "NONE")
    said: dict[str, Any] = {"said_in": draft.message_ids, "sessions": draft.source_sessions}
    again = confirm(permit, known.pk, actor=actor, rule=draft.rule, **said)
    return WriteResult(again, "UPDATE")


def _said_in(messages: Sequence[str]) -> dict[str, Any]:
    """The ``inputs`` of a change that these messages made; empty for none."""
    return {"said_in": list(messages)} if messages else {}


def state_fields_of(item: MemoryItem) -> dict[str, Any]:
    """The present values of the fields that a decision about an item changes."""
    fields = ("state", "provenance", "confidence", "invalid_at", "superseded_at", "last_validated_at")
    return {name: getattr(item, name) for name in fields}


def quarantined_item(permit: Permit, memory_id: UUID) -> MemoryItem:
    """One of the user's items that awaits their decision, locked. Raises ``NotFound`` and ``ValidationFailed``."""
    item = versions.lock_open(open_item(permit, memory_id))
    if item.state != State.QUARANTINED:
        sentence = _("This memory needs no decision.")
        raise ValidationFailed(sentence, {"memory_id": [sentence]})
    return item


def draft_of(old: MemoryItem, **changes: Any) -> ItemDraft:
    """A draft of an item's next version: it says the same and comes from the same, except for ``changes``."""
    kept: dict[str, Any] = {
        "content": old.content,
        "memory_type": old.memory_type,
        "epistemic_type": history.epistemic_type_of(old),
        "category": old.category,
        "attributes": old.attributes,
        "valid_at": old.valid_at,
        "source_sessions": tuple(old.source_sessions),
        "group_id": old.group_id,
    }
    return ItemDraft(**(kept | changes))
