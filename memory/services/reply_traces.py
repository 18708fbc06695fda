"""Reads from the injection receipt of a reply what its model was given and why."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Prefetch, QuerySet
from django.utils.translation import gettext as _

from consent.permit import Permit
from foundation.personal_data import ConsentScope
from media.models import MediaPassage
from memory.models import (
    CognitiveEvent,
    ConversationEvent,
    EntityProfile,
    MemoryItem,
    Receipt,
    ReceiptLine,
    ToolReceipt,
    UserContext,
)
from memory.research.profile_context import PREFERENCES, profile_context
from memory.services.follow_ups import FollowUpQuestion, follow_ups_of
from memory.services.item_queries import items_of


@dataclass(frozen=True)
class TraceEntry:
    """One thing a reply was given. ``ref`` is the id in its page's address: an event's ``ref``, else the row's id.

    ``reason`` and ``context_position`` are the receipt line's; confidence and types are an item's, empty for the other
    kinds. ``utilized`` says whether the answer drew on it; None if that is unknown. ``mine`` is false for what another
    member of a group owns, and for a message of the assistant.
    """

    kind: str
    ref: str
    text: str
    created_at: datetime
    reason: str = ""
    provenance: str = ""
    memory_type: str = ""
    epistemic_type: str = ""
    confidence: float | None = None
    state: str = ""
    context_position: int = 0
    mine: bool = True
    utilized: bool | None = None


@dataclass(frozen=True)
class ReplyTrace:
    """What the model was given for one reply, in order, what ran degraded, how the tools it called came out, and the
    question that the assistant asked below it.
    """

    memories: tuple[TraceEntry, ...]
    degraded: tuple[str, ...]
    receipt_id: UUID
    tools: tuple[ToolReceipt, ...] = ()
    knowledge_ids: tuple[UUID, ...] = ()  # the entries of the organisation's knowledge among it
    follow_up: FollowUpQuestion | None = None


def traces_of(permit: Permit, message_ids: Collection[UUID]) -> dict[UUID, ReplyTrace]:
    """The traces of the user's replies among ``message_ids``, by one query for each kind of entry.

    Entries that consent no longer allows to be read, or that were erased, are left out.
    """
    accepted = ReceiptLine.objects.filter(status=ReceiptLine.Status.ACCEPTED).order_by("context_position")
    receipts = Receipt.objects.filter(
        user_id=permit.user_id, kind=Receipt.Kind.INJECTION, message_id__in=message_ids
    ).prefetch_related(Prefetch("lines", queryset=accepted))
    lines = {receipt.message_id: list(receipt.lines.all()) for receipt in receipts}
    known = _entries_of_lines(permit, [line for group in lines.values() for line in group])
    called = _tools_called(permit, lines)
    asked = follow_ups_of(permit, {receipt.message_id: receipt.generation_metadata for receipt in receipts})
    return {
        receipt.message_id: ReplyTrace(
            _in_order(lines[receipt.message_id], known),
            tuple(receipt.degraded),
            receipt.pk,
            tuple(called[receipt.message_id]),
            tuple(receipt.knowledge_ids),
            asked.get(receipt.message_id),
        )
        for receipt in receipts
    }


def _tools_called(permit: Permit, message_ids: Collection[UUID]) -> dict[UUID, list[ToolReceipt]]:
    """The tools that the model called for each reply, in their order."""
    called: dict[UUID, list[ToolReceipt]] = {key: [] for key in message_ids}
    ran = ToolReceipt.objects.filter(user_id=permit.user_id, run_id__in=called, kind=ToolReceipt.Kind.TOOL)
    for receipt in ran:
        called[receipt.run_id].append(receipt)
    return called


def uses_of(permit: Permit, item: MemoryItem) -> QuerySet[ReceiptLine]:
    """Every time that any version of the item was given to the model, the latest first."""
    versions = items_of(permit).filter(chain_id=item.chain_id).values("pk")
    injected = ReceiptLine.objects.filter(receipt__kind="injection", status=ReceiptLine.Status.ACCEPTED)
    return injected.filter(ref_id__in=versions).select_related("receipt").order_by("-receipt__created_at")


_Key = tuple[str, UUID]


def texts_of_lines(permit: Permit, lines: Iterable[ReceiptLine]) -> dict[tuple[str, UUID], str]:
    """The texts behind lines of receipts, by kind and id, if consent allows reading them and they still exist."""
    return {key: remembered.text for key, remembered in _entries_of_lines(permit, lines).items()}


def _entries_of_lines(permit: Permit, lines: Iterable[ReceiptLine]) -> dict[_Key, TraceEntry]:
    wanted: dict[str, set[UUID]] = {}
    for line in lines:
        wanted.setdefault(line.kind, set()).add(line.ref_id)
    return {
        (kind, key): remembered
        for kind, keys in wanted.items()
        if kind in _LOADERS
        for key, remembered in _LOADERS[kind](permit, keys).items()
    }


def _in_order(lines: Iterable[ReceiptLine], known: dict[_Key, TraceEntry]) -> tuple[TraceEntry, ...]:
    pairs = ((line, known.get((line.kind, line.ref_id)) or _entry_of_unknown_kind(line)) for line in lines)
    return tuple(
        replace(found, reason=line.decision_reason, context_position=line.context_position or 0, utilized=line.utilized)
        for line, found in pairs
        if found is not None
    )


def _entry_of_unknown_kind(line: ReceiptLine) -> TraceEntry | None:
    """An entry of a kind that only a later release can read: named rather than left out."""
    if line.kind in _LOADERS:
        return None
    words = _("Entry of an unknown kind (%(kind)s)") % {"kind": line.kind}
    return TraceEntry(line.kind, str(line.ref_id), words, line.receipt.created_at)


def _item_entry(item: MemoryItem, _: Permit) -> TraceEntry:
    return TraceEntry(
        "item",
        str(item.pk),
        item.content,
        item.created_at,
        provenance=item.provenance,
        memory_type=item.memory_type,
        epistemic_type=item.epistemic_type,
        confidence=item.confidence,
        state=item.state,
    )


def _event_entry(event: CognitiveEvent, permit: Permit) -> TraceEntry:
    mine = event.user_id == permit.user_id
    return TraceEntry("event", event.ref, event.canonical_text, event.timestamp_utc, mine=mine)


def _turn_entry(turn: ConversationEvent, permit: Permit) -> TraceEntry:
    mine = turn.user_id == permit.user_id and turn.role == ConversationEvent.Role.USER
    return TraceEntry("turn", str(turn.pk), turn.text, turn.occurred_at, mine=mine)


def _context_entries(permit: Permit, keys: Collection[UUID]) -> dict[UUID, TraceEntry]:
    context = profile_context(permit)
    if context is None or context.pk not in keys:
        return {}
    return {context.pk: TraceEntry("context", str(context.pk), _stated_lines(context), context.updated_at)}


def _stated_lines(context: UserContext) -> str:
    """The fields of a user's stated context that plain chat loads, the first three of ``PREFERENCES``, as lines."""
    fields: list[Any] = [context._meta.get_field(name) for name in PREFERENCES[:3]]
    shown = [(field.verbose_name, getattr(context, f"get_{field.name}_display")()) for field in fields]
    return "\n".join(f"{name}: {value}" for name, value in shown if value)


def _profile_entry(row: EntityProfile, permit: Permit) -> TraceEntry:
    """A portrait, or what a member contributed to a group's."""
    ref = f"{row.entity_type}:{row.entity_id}"
    return TraceEntry("profile", ref, row.body, row.updated_at, mine=row.user_id == permit.user_id)


def _passage_entry(passage: MediaPassage, _: Permit) -> TraceEntry:
    text = f"{passage.file_name}: {passage.text}"
    return TraceEntry("document", str(passage.media_id), text, passage.created_at)


_Load = Callable[[Permit, Collection[UUID]], dict[UUID, TraceEntry]]


def _rows_by(rows_of: Callable[[Permit], QuerySet[Any]], entry_of: Callable[[Any, Permit], TraceEntry]) -> _Load:
    """The loader of a kind whose rows were learned: it loads none without the consent to learning."""

    def load(permit: Permit, keys: Collection[UUID]) -> dict[UUID, TraceEntry]:
        rows = rows_of(permit).filter(pk__in=keys) if permit.allows(ConsentScope.MEMORY_LEARNING) else ()
        return {row.pk: entry_of(row, permit) for row in rows}

    return load


def _passages(permit: Permit, keys: Collection[UUID]) -> dict[UUID, TraceEntry]:
    """What files say was never learned: it may be read whatever the consent to learning."""
    return {row.pk: _passage_entry(row, permit) for row in MediaPassage.objects.filter(pk__in=keys)}


_LOADERS: dict[str, _Load] = {
    "item": _rows_by(items_of, _item_entry),
    "event": _rows_by(lambda _: CognitiveEvent.objects.all(), _event_entry),
    "turn": _rows_by(lambda _: ConversationEvent.objects.all(), _turn_entry),
    "context": _context_entries,
    "profile": _rows_by(lambda _: EntityProfile.objects.all(), _profile_entry),
    "document": _passages,
}
