"""Memory items: one function for each way a statement about a user is added, changed or ended."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from datetime import datetime
from typing import Any, Literal, NamedTuple
from uuid import UUID

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from consent.permit import Permit
from consent.sensitive.services import screen_text
from foundation.accounts.models import User
from foundation.exceptions import NotFound, ValidationFailed
from foundation.personal_data import ConsentScope
from memory.confidence import EXPLICIT_CONFIDENCE, PROVENANCE_RANK, repeated
from memory.indexing import visibility
from memory.models import MemoryItem
from memory.querysets import MemoryItemQuerySet
from memory.services import contradicted_items, history, versions
from memory.services.history import Action, Actor
from memory.services.versions import ItemDraft as ItemDraft
from memory.services.versions import content_hash as content_hash

CONFIRMED = MemoryItem.Provenance.CONFIRMED_BY_USER
State = MemoryItem.State
MAX_CONTENT_CHARS = 2_000


def items_of(permit: Permit) -> MemoryItemQuerySet:
    """The user's own items, the latest first; none without ``memory_learning_allowed``."""
    if not permit.allows(ConsentScope.MEMORY_LEARNING):
        return MemoryItem.objects.none()
    return MemoryItem.objects.owned_by(permit.user_id).order_by("-created_at", "-id")


def items_matching(
    permit: Permit,
    *,
    state: str = "",
    valid_at: datetime | None = None,
    known_at: datetime | None = None,
    include_invalid: bool = False,
    q: str = "",
    **types: str,
) -> QuerySet[MemoryItem]:
    """The user's items by ``types`` (memory_type, epistemic_type) and words in their text, the latest first.

    With ``valid_at`` or ``known_at``: what was believed then, now standing in for the one not given. Else by ``state``,
    or with ``include_invalid`` whatever their state, or what is in force now.
    """
    items = items_of(permit).filter(**types)
    now = timezone.now()
    if q:
        items = items.filter(content__icontains=q)
    if state:
        items = items.filter(state=state)
    if valid_at or known_at:
        return items.believed(valid_at or now, known_at or now)
    return items if state or include_invalid else items.in_force(now)


def item_of(permit: Permit, memory_id: UUID) -> MemoryItem:
    """One of the user's items, whatever its state. Raises ``NotFound``."""
    item = items_of(permit).filter(pk=memory_id).first()
    if item is None:
        raise NotFound()
    return item


def history_of(permit: Permit, item: MemoryItem) -> list[MemoryItem]:
    """Every version of the item's chain, the oldest first."""
    return list(items_of(permit).filter(chain_id=item.chain_id).order_by("version"))


def review_queue(permit: Permit) -> QuerySet[MemoryItem]:
    """The quarantined items that await the user's decision, the latest first."""
    return items_of(permit).filter(state=State.QUARANTINED, superseded_at=None)


class WriteResult(NamedTuple):
    """The memory that now stands for a statement, and what the write did to it."""

    item: MemoryItem
    event: Literal["ADD", "UPDATE", "SUPERSEDE", "MERGE", "NONE"]


def write(permit: Permit, draft: ItemDraft, *, actor: str = Actor.PIPELINE, held: bool = False) -> WriteResult:
    """Store a new statement as the first version of its chain and make it searchable.

    Words that stand in an open memory already are stored no second time; said with more authority, they confirm it. A
    permit ``held`` already, as the worker holds it, is not asked for again.
    """
    with nullcontext() if held else versions.learning_transaction(permit):
        known = versions.item_of_same_words(permit, draft.content, draft.group_id)
        if known is not None:
            return _record_repeat(permit, known, draft, actor)
        now = timezone.now()
        item = versions.store_version(permit, draft, now=now, valid_at=draft.valid_at or now)
        _record_change(permit, item, Action.ADDED, actor, draft.rule, inputs=_last_message(draft))
        if draft.quarantined:
            _record_change(permit, item, Action.QUARANTINED, actor, draft.doubt, before={"state": State.ACTIVE})
        return WriteResult(item, "ADD")


def add_item(permit: Permit, draft: ItemDraft, *, actor: str = Actor.PIPELINE) -> MemoryItem:
    """The memory that stands for this statement: a new one, or the one of the same words (see ``write``)."""
    return write(permit, draft, actor=actor).item


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

    The old row keeps its words and ends at the new one's ``valid_at``; corrected as never true (or merely said again),
    its validity becomes empty, so that no instant has two versions.
    """
    # The user is locked before the row, as everywhere: two orders would wait for each other.
    with versions.learning_transaction(permit):
        open_row = versions.lock_open(old)
        now = timezone.now()  # one instant: at every other exactly one version is believed
        begins = max(draft.valid_at or now, open_row.valid_at)
        ends = begins if was_ever_true else open_row.valid_at
        said_anew = action == Action.CONFIRMED
        versions.close_version(open_row, at=ends, state=State.SUPERSEDED, now=now, said_anew=said_anew)
        grounds = {"state": open_row.state} | _last_message(draft)
        new = versions.item_of_same_words(permit, draft.content, draft.group_id)
        if new is not None:
            versions.record_repeats(new, draft.detail.get("message_ids", ()), draft.source_sessions)
            _record_change(permit, new, Action.MERGED, actor, draft.rule, inputs={"merged": [open_row.pk]} | grounds)
        else:
            new = versions.store_version(permit, draft, now=now, valid_at=begins, chain_id=open_row.chain_id)
            _record_change(permit, new, action, actor, draft.rule, inputs={"previous": open_row.pk} | grounds)
        MemoryItem.objects.filter(pk=open_row.pk).update(superseded_by=new)
        if said_anew and open_row.epistemic_type == visibility.OUTDATED:
            visibility.update_visibility(new)  # the messages were past with it
    return new


def retire(
    permit: Permit,
    old: MemoryItem,
    *,
    at: datetime,
    rule: str = "",
    actor: str = Actor.PIPELINE,
    said_in: Sequence[str] = (),
    said_anew: bool = False,
) -> None:
    """Mark a statement as no longer true from ``at``, with nothing in its place.

    ``said_in`` are messages that said so. The messages that taught it become past with it, unless what they say holds
    on (``said_anew``).
    """
    with versions.learning_transaction(permit):
        open_row = versions.lock_open(old)
        versions.close_version(
            open_row, at=max(at, open_row.valid_at), state=State.INVALID, now=timezone.now(), said_anew=said_anew
        )
        grounds = {"said_in": list(said_in)} if said_in else {}
        _record_change(permit, open_row, Action.RETIRED, actor, rule, before=_standing(open_row), inputs=grounds)


def repeat_statement(permit: Permit, known: MemoryItem, draft: ItemDraft) -> MemoryItem:
    """Record that the user repeated an open memory, which gains in confidence; returns the row as it is now.

    The memory names the messages and conversations of ``draft`` and is as fresh as they are (see
    ``confidence.repeated``). A message that is named already counts once. A quarantined item stays quarantined; an
    outdated one holds again. Raises ``NotFound`` where the memory was closed meanwhile.
    """
    with versions.learning_transaction(permit):
        item = versions.lock_open(known)
        named = item.provenance_detail.get("message_ids", ())
        fresh = [key for key in draft.detail.get("message_ids", ()) if key not in named]
        if fresh:
            versions.record_repeats(item, fresh, draft.source_sessions)
        if not fresh or item.state == State.QUARANTINED:
            return item
        fields = _fields_of_repeat(item, draft.valid_at)
        before = {name: getattr(item, name) for name in fields}
        changed = versions.change_standing(item, **fields) if fields else item
        rule = draft.rule if "epistemic_type" in fields else history.SAID_AGAIN
        grounds: dict[str, Any] = {"inputs": {"said_in": fresh}, "before": before, "after": fields}
        _record_change(permit, changed, Action.CONFIRMED, Actor.PIPELINE, rule, **grounds)
        return changed


def _fields_of_repeat(item: MemoryItem, said_at: datetime | None) -> dict[str, Any]:
    """The fields that a repetition changes."""
    sayings = len(item.provenance_detail["message_ids"])
    provenance, confidence = repeated(item.provenance, item.confidence, sayings)
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
    """Confirm a memory: the same words, at the confidence of an explicit statement.

    ``said_in`` are the ids of messages that said it again, in these ``sessions``. A quarantined item is accepted by it.
    """
    old = _open_item(permit, memory_id)
    if old.state == State.QUARANTINED:
        accepted = accept(permit, memory_id, actor=actor, rule=rule, said_in=said_in)
        versions.record_repeats(accepted, said_in, sessions)
        return accepted
    confidence = max(old.confidence, EXPLICIT_CONFIDENCE)
    messages = [*old.provenance_detail.get("message_ids", ()), *said_in]
    detail = {"change": "confirmed", "rule": rule, "message_ids": messages}
    said = {name: value for name, value in detail.items() if value}
    conversations = tuple(dict.fromkeys([*old.source_sessions, *sessions]))
    draft = _draft_of(old, provenance=CONFIRMED, confidence=confidence, detail=said, source_sessions=conversations)
    return supersede(permit, old, draft, was_ever_true=False, action=Action.CONFIRMED, actor=actor)


def accept(
    permit: Permit, memory_id: UUID, *, actor: str = Actor.PERSON, rule: str = "", said_in: Sequence[str] = ()
) -> MemoryItem:
    """Accept a quarantined memory: it is in use from now on, in place of whatever contradicts it.

    An undo brings that back. ``said_in`` are the messages in which the user said so. Raises ``NotFound``, and
    ``ValidationFailed`` for what awaits no decision.
    """
    with versions.learning_transaction(permit):
        item = _quarantined_item(permit, memory_id)
        before = _standing(item)
        item = versions.change_standing(
            item,
            state=State.ACTIVE,
            provenance=CONFIRMED,
            confidence=max(item.confidence, EXPLICIT_CONFIDENCE),
            last_validated_at=timezone.now(),
        )
        closed = contradicted_items.close_contradicted(permit, item)
        grounds: dict[str, Any] = {"said_in": list(said_in)} if said_in else {}
        _record_change(permit, item, Action.ACCEPTED, actor, rule, before=before, inputs=closed | grounds)
        return item


def reject(permit: Permit, memory_id: UUID) -> MemoryItem:
    """Reject a quarantined memory: it was never true, and is never in use.

    Raises ``NotFound``, and ``ValidationFailed`` for what awaits no decision.
    """
    with versions.learning_transaction(permit):
        item = _quarantined_item(permit, memory_id)
        versions.close_version(item, at=item.valid_at, state=State.INVALID, now=timezone.now())
        _record_change(permit, item, Action.REJECTED, Actor.PERSON, before=_standing(item))
        return item_of(permit, memory_id)


def take_back(permit: Permit, memory_id: UUID) -> MemoryItem:
    """Withdraw a memory learned from the user's words as never true. An undo brings it back.

    Raises ``NotFound``, and ``ValidationFailed`` for what was not learned from conversation, or was changed since.
    """
    with versions.learning_transaction(permit):
        item = versions.lock_open(_open_item(permit, memory_id))
        if item.state != State.ACTIVE or not history.is_unchanged_since_learned(permit, item):
            sentence = _("This memory has changed since it was noted, so it cannot be taken back.")
            raise ValidationFailed(sentence, {"memory_id": [sentence]})
        before = _standing(item)
        versions.close_version(item, at=item.valid_at, state=State.INVALID, now=timezone.now())
        _record_change(permit, item, Action.REJECTED, Actor.PERSON, before=before)
        return item_of(permit, memory_id)


def correct(permit: Permit, memory_id: UUID, content: str, reason: str = "") -> MemoryItem:
    """Supersede a memory by the user's correction, which is confirmed.

    Raises ``ValidationFailed`` for empty or oversized text, ``SensitiveInput``, and ``NotFound`` for an item that is
    not open.
    """
    text = _checked_content(permit, content)
    old = _open_item(permit, memory_id)
    attributes = dict(old.attributes) | {"value": text}
    detail = {"change": "corrected", "reason": screen_text("reason", reason).text}
    draft = _draft_of(
        old, content=text, attributes=attributes, provenance=CONFIRMED, confidence=EXPLICIT_CONFIDENCE,
        valid_at=timezone.now(), detail=detail,
    )  # fmt: skip
    return supersede(permit, old, draft, action=Action.CORRECTED, actor=Actor.PERSON)


STATED_KINDS = {
    MemoryItem.MemoryType.INSIGHT: MemoryItem.EpistemicType.FACT,
    MemoryItem.MemoryType.PREFERENCE: MemoryItem.EpistemicType.PREFERENCE,
    MemoryItem.MemoryType.PATTERN: MemoryItem.EpistemicType.FACT,
}
"""The kinds of statements that users may write down themselves, each with its epistemic type."""


def keep_stated(
    permit: Permit,
    content: str,
    *,
    metadata: Mapping[str, Any] | None = None,
    memory_type: str = MemoryItem.MemoryType.INSIGHT,
) -> WriteResult:
    """Store a sentence word for word, as told by the user or a program of theirs (``infer: false``).

    ``memory_type`` is one of ``STATED_KINDS``. Raises ``ConsentScopeMissing``, ``SensitiveInput``, and
    ``ValidationFailed`` for nothing, or too much.
    """
    permit.require(ConsentScope.MEMORY_LEARNING)
    text = _checked_content(permit, content)
    screen_text("metadata", json.dumps(metadata or {}, ensure_ascii=False))
    kind = MemoryItem.MemoryType(memory_type)
    draft = ItemDraft(
        content=text, memory_type=kind, epistemic_type=STATED_KINDS[kind],
        provenance=CONFIRMED, confidence=EXPLICIT_CONFIDENCE,
        attributes={"metadata": dict(metadata or {})}, detail={"rule": "stated"},
    )  # fmt: skip
    return write(permit, draft, actor=Actor.PERSON)


def add_stated(permit: Permit, content: str, *, metadata: Mapping[str, Any] | None = None) -> MemoryItem:
    """The memory that stands for a sentence kept word for word (see ``keep_stated``)."""
    return keep_stated(permit, content, metadata=metadata).item


def _record_repeat(permit: Permit, known: MemoryItem, draft: ItemDraft, actor: str) -> WriteResult:
    if draft.quarantined and known.state != State.QUARANTINED:
        return WriteResult(known, "NONE")
    if PROVENANCE_RANK[draft.provenance] <= PROVENANCE_RANK[known.provenance] or draft.quarantined:
        return WriteResult(repeat_statement(permit, known, draft), "NONE")
    messages = draft.detail.get("message_ids", ())
    again = confirm(permit, known.pk, actor=actor, rule=draft.rule, said_in=messages, sessions=draft.source_sessions)
    return WriteResult(again, "UPDATE")


def _record_change(permit: Permit, item: MemoryItem, action: str, actor: str, rule: str = "", **grounds: Any) -> None:
    history.record_change(item, action, actor=actor, rule=rule, consent_version=permit.version, **grounds)


def _last_message(draft: ItemDraft) -> dict[str, Any]:
    """The last of the messages that a draft was read from."""
    named = list(draft.detail.get("message_ids", ()))[-1:]
    return {"said_in": named} if named else {}


def _standing(item: MemoryItem) -> dict[str, Any]:
    """The present values of the fields that a decision about an item changes."""
    fields = ("state", "provenance", "confidence", "invalid_at", "superseded_at", "last_validated_at")
    return {name: getattr(item, name) for name in fields}


def _quarantined_item(permit: Permit, memory_id: UUID) -> MemoryItem:
    item = versions.lock_open(_open_item(permit, memory_id))
    if item.state != State.QUARANTINED:
        sentence = _("This memory needs no decision.")
        raise ValidationFailed(sentence, {"memory_id": [sentence]})
    return item


def _open_item(permit: Permit, memory_id: UUID) -> MemoryItem:
    item = item_of(permit, memory_id)
    if item.superseded_at is not None:
        raise NotFound(_("A newer memory has replaced this one."))
    return item


def _draft_of(old: MemoryItem, **changes: Any) -> ItemDraft:
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


def _checked_content(permit: Permit, content: str) -> str:
    text = content.strip()
    if not text or len(text) > MAX_CONTENT_CHARS:
        sentence = f"Give between 1 and {MAX_CONTENT_CHARS} characters."
        raise ValidationFailed(details={"content": [sentence]})
    return screen_text("content", text, [User.objects.get(pk=permit.user_id).name]).text
