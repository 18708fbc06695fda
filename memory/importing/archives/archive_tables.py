"""Describes the tables of an archive: which values a row gets here in place of its own, and how it is indexed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any, Final
from uuid import UUID

from django.conf import settings
from django.db import models
from django.db.models import Case, F, Value, When
from django.utils import timezone

from consent.models import ErasureScope, Tombstone
from foundation.accounts.models import User
from foundation.personal_data import ConsentScope
from memory.importing.archives.row_ids import RowIds
from memory.importing.archives.row_shapes import (
    are_attributes,
    are_content_blocks,
    are_sources,
    are_summary_blocks,
    is_list_of_texts,
    is_provenance_detail,
)
from memory.indexing.documents import event_document, item_document, turn_documents
from memory.indexing.embedding import index
from memory.indexing.services import messages_with_neighbours, neighbour_text_sources
from memory.indexing.unconfirmed_health import find_unconfirmed_health
from memory.indexing.visibility import update_visibility
from memory.models import (
    ChatImport,
    CognitiveEvent,
    CognitiveJob,
    ConversationEvent,
    EvolutionEvent,
    MemoryItem,
    Session,
    UserContext,
)
from memory.models.items import BROUGHT_BY
from memory.services.item_decisions import MAX_CONTENT_CHARS
from memory.services.portrait_rebuilds import rebuild_later
from memory.services.versions import content_hash

_CONTEXT_TEXTS: Final = (
    "user_focus_reason", "research_style", "user_stated_position_context", "time_horizon", "constraints",
)  # fmt: skip
Values = dict[str, Any]


@dataclass
class ArchiveImport:
    """An archive being imported: for which user, with which ids, and which of its rows were erased here.

    ``made_at`` is when an archive of this very account was made, None for another's: what was forgotten since stays so.
    """

    chat_import: ChatImport
    ids: RowIds
    last_seqs: Mapping[UUID, int]
    made_at: datetime | None

    @property
    def user(self) -> User:
        return self.chat_import.user

    @cached_property
    def erased_ids(self) -> frozenset[UUID]:
        """The ids of rows that the user has had forgotten here, except those of an import that the user only undid.

        Cached: read it for the first time while acting for the user.
        """
        named = Tombstone.objects.filter(user_id=self.user.pk).exclude(scope=ErasureScope.IMPORT)
        targets = (found.get("delete", {}).values() for found in named.values_list("targets", flat=True).iterator())
        return frozenset(UUID(key) for lists in targets for keys in lists for key in keys)

    def chain_of(self, chain_id: UUID) -> UUID:
        """The chain that a row joins. An archive of this very account keeps its ids, but it may be forged: a chain that
        is not the user's gets a new id, since it may be another user's.
        """
        if self.made_at is None or MemoryItem.objects.owned_by(self.user.pk).filter(chain_id=chain_id).exists():
            return chain_id
        return self.ids.fresh_id(chain_id)


@dataclass(frozen=True)
class ArchiveTable:
    """One table. ``texts`` says as which field each of its texts is screened; ``complete`` adds what an archive does
    not hold; ``follow`` makes stored rows findable; ``scope`` is the consent under which they are kept.

    ``import_field`` is the lookup of the import that brought a row; ``parents`` are the models of the rows that must
    exist for it, by the columns that name them; ``shapes`` and ``most_chars`` bound a column where its field does not.
    """

    path: str
    model: type[models.Model]
    texts: Mapping[str, str]
    complete: Callable[[ArchiveImport, Values], Values] = field(default=lambda imported, values: values)
    follow: Callable[[ArchiveImport, Sequence[Values]], None] = field(default=lambda imported, rows: None)
    scope: ConsentScope = ConsentScope.MEMORY_LEARNING
    import_field: str = "session__brought_by"
    parents: Mapping[str, type[models.Model]] = field(default_factory=lambda: {"session_id": Session})
    shapes: Mapping[str, Callable[[Any], bool]] = field(default_factory=dict)
    most_chars: Mapping[str, int] = field(default_factory=dict)

    @property
    def fields(self) -> Sequence[models.Field[Any, Any]]:
        """The fields of its columns."""
        return self.model._meta.local_concrete_fields

    @cached_property
    def columns(self) -> frozenset[str]:
        """The names under which a row holds the values of its columns."""
        return frozenset(field.attname for field in self.fields)


def _complete_session(imported: ArchiveImport, values: Values) -> Values:
    last, blocks = imported.last_seqs.get(values["id"], 0), values["summary_blocks"]
    usual = timezone.now() + timedelta(hours=settings.SESSION_TTL_HOURS)
    return values | {
        "thread_id": None,  # research threads are not imported
        "awaited_tools": {},  # no program continues an answer of another account
        "opened_by": None,
        "history_hash": "",
        "turn_started_at": None,
        "turn_process": None,
        "brought_by": imported.chat_import.pk,
        "last_seq": last,
        "ended_seq": last,  # its events are imported too
        "summarized_seq": int(blocks[-1]["to_seq"]) if blocks else 0,
        "expires_at": max(values["expires_at"], usual) if values["remember"] else values["expires_at"],
    }


def _complete_item(imported: ArchiveImport, values: Values) -> Values:
    detail = values["provenance_detail"] | {BROUGHT_BY: str(imported.chat_import.pk)}
    return values | {
        "tenant_id": imported.user.tenant_id,
        "chain_id": imported.chain_of(values["chain_id"]),
        "content_hash": content_hash(imported.user.pk, values["content"]),
        "provenance_detail": detail,
        "superseded_by_id": None,  # linked once all are there
    }


def _complete_change(imported: ArchiveImport, values: Values) -> Values:
    return values | {"chain_id": imported.chain_of(values["chain_id"])}


def _complete_event(imported: ArchiveImport, values: Values) -> Values:
    return values | {"sender_id": imported.user.pk}


def _complete_context(imported: ArchiveImport, values: Values) -> Values:
    return values | {"financial_confirmed": False}  # to be asked for anew, as every consent


def _index_messages(imported: ArchiveImport, rows: Sequence[Values]) -> None:
    """Index messages, by words now and by meaning later, except those about health that await confirmation."""
    _raise_last_seqs(rows)
    said = ConversationEvent.objects.in_bulk([row["id"] for row in rows if row["learnable"] and not row["redacted_at"]])
    private = find_unconfirmed_health(imported.user.pk, list(said.values()))
    for session in {message.session_id for message in said.values()}:
        keys = [key for key, message in said.items() if message.session_id == session and key not in private]
        if keys:
            around = neighbour_text_sources(messages_with_neighbours(session, keys), keys)
            documents = turn_documents(around, keys)
            index(documents, [None] * len(documents), "")


def _raise_last_seqs(rows: Sequence[Values]) -> None:
    """Raise the last number of conversations that were there, so that new messages follow the imported ones.

    The historian is not given the imported ones: where it was up to date, it counts as up to date.
    """
    for session_id in {row["session_id"] for row in rows}:
        last = max(row["seq"] for row in rows if row["session_id"] == session_id)
        Session.objects.filter(pk=session_id, last_seq__lt=last).update(
            last_seq=last,
            ended_seq=Case(
                When(ended_seq=F("last_seq"), then=Value(last, output_field=models.PositiveIntegerField())),
                default=F("ended_seq"),
            ),
        )


def _index_events(imported: ArchiveImport, rows: Sequence[Values]) -> None:
    events = CognitiveEvent.objects.filter(pk__in=[row["id"] for row in rows])
    documents = [event_document(event) for event in events]
    index(documents, [None] * len(documents), "")


def _index_items(imported: ArchiveImport, rows: Sequence[Values]) -> None:
    items = list(MemoryItem.objects.filter(pk__in=[row["id"] for row in rows]))
    index([item_document(item) for item in items], [None] * len(items), "")
    for item in items:
        if item.state != MemoryItem.State.ACTIVE or item.superseded_at is not None:
            update_visibility(item)
    if items:
        rebuild_later(imported.user.pk)


SESSIONS: Final = ArchiveTable(
    "sessions/sessions.json",
    Session,
    {
        "title": "content",
        "location": "location",
        "entity_slots": "content",
        "summary_blocks": "content",
        "program": "title",
    },
    _complete_session,
    import_field="brought_by",
    parents={},
    shapes={"summary_blocks": are_summary_blocks},
)
MESSAGES: Final = ArchiveTable(
    "sessions/messages.jsonl",
    ConversationEvent,
    {"content": "content", "speaker": "name"},
    follow=_index_messages,
    shapes={"content": are_content_blocks},
)
ENDS: Final = ArchiveTable(
    "events/ends.jsonl",
    CognitiveJob,
    {"action_summary": "action_summary", "new_info": "new_info", "location": "location", "sender_name": "name"},
)
_EVENT_TEXTS: Final = {
    "canonical_text": "canonical_text",
    "did_what": "canonical_text",
    "new_info": "new_info",
    "location_abs": "location",
    "sources": "content",
    "unresolved": "content",
}
EVENTS: Final = ArchiveTable(
    "events/events.jsonl",
    CognitiveEvent,
    _EVENT_TEXTS,
    _complete_event,
    _index_events,
    shapes={"sources": are_sources, "unresolved": is_list_of_texts},
)
_ITEM_TEXTS: Final = {
    "content": "content", "attributes": "content", "category": "title", "provenance_detail": "content",
}  # fmt: skip
_BROUGHT: Final = f"provenance_detail__{BROUGHT_BY}"
ITEMS: Final = ArchiveTable(
    "memory_items/items.jsonl",
    MemoryItem,
    _ITEM_TEXTS,
    _complete_item,
    _index_items,
    import_field=_BROUGHT,
    parents={},
    shapes={"attributes": are_attributes, "provenance_detail": is_provenance_detail},
    most_chars={"content": 2 * MAX_CONTENT_CHARS},  # what is masked may have grown
)
CHANGES: Final = ArchiveTable(
    "memory_items/changes.jsonl",
    EvolutionEvent,
    {"rule": "title", "inputs": "content", "before": "content", "after": "content"},
    _complete_change,
    import_field=f"item__{_BROUGHT}",
    parents={"item_id": MemoryItem},
)
CONTEXTS: Final = ArchiveTable(
    "user_contexts/_profile/",
    UserContext,
    {name: name for name in _CONTEXT_TEXTS},
    _complete_context,
    scope=ConsentScope.SAVE_TO_PROFILE,
    import_field="",
    parents={},
)
TABLES: Final = (SESSIONS, MESSAGES, ENDS, EVENTS, ITEMS, CHANGES, CONTEXTS)
"""In an order in which rows refer only to rows stored before, except a memory to the one that replaced it."""
