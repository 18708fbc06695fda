"""Keeping search entries in step with what they stand for."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import groupby
from operator import attrgetter
from uuid import UUID

import structlog
from django.db import connection

from foundation.database.acting import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE
from foundation.embeddings import configured_embedder
from foundation.embeddings.exceptions import EmbeddingUnavailable
from foundation.telemetry.metrics import DEGRADED
from memory.indexing.documents import Document, terms_literal, turn_text
from memory.models import CognitiveEvent, ConversationEvent, MemoryItem, SearchEntry
from memory.types import Kind

log = structlog.get_logger(__name__)
_UPDATED = ["terms", "vector", "model_id", "live", "occurred_at"]
REACH = 2  # turns to either side that lend their words
Vectors = Sequence[Sequence[float] | None]


def embed(texts: Sequence[str]) -> tuple[Vectors, str]:
    """A vector a text, and the model's id. Without a working model: no vectors, full text only, and a log line."""
    embedder = configured_embedder()
    try:
        return list(embedder.embed(texts)), embedder.model_id
    except EmbeddingUnavailable as error:
        DEGRADED.labels(reason=error.code).inc()
        log.warning("not_embedded", rows=len(texts), error=type(error).__name__)
        return [None] * len(texts), ""


def store(documents: Sequence[Document], vectors: Vectors, model_id: str) -> None:
    """Write or rewrite the entries of the acting person's documents."""
    entries = [
        SearchEntry(
            id=document.id,
            kind=document.kind,
            user_id=document.user_id,
            group_id=document.group_id,
            session_id=document.session_id,
            occurred_at=document.occurred_at,
            terms=terms_literal(document),
            vector=vector,
            model_id=model_id if vector is not None else "",
        )
        for document, vector in zip(documents, vectors, strict=True)
    ]
    SearchEntry.objects.bulk_create(entries, update_conflicts=True, unique_fields=["id"], update_fields=_UPDATED)


def turn_documents(events: Sequence[ConversationEvent], of: Iterable[UUID]) -> list[Document]:
    """Documents of the turns ``of`` among ``events``, which are one conversation's, in order, learnable only."""
    wanted = set(of)
    texts = {event.seq: event.text for event in events}
    return [
        Document(
            id=event.pk,
            kind="turn",
            user_id=event.user_id,
            group_id=event.group_id,
            session_id=event.session_id,
            occurred_at=event.occurred_at,
            text=turn_text(event),
            near=_texts_at(texts, event.seq, 1),
            far=_texts_at(texts, event.seq, 2),
        )
        for event in events
        if event.pk in wanted
    ]


def _texts_at(texts: dict[int, str], seq: int, distance: int) -> tuple[str, ...]:
    return tuple(texts[at] for at in (seq - distance, seq + distance) if at in texts)


def surroundings(session_id: UUID, first_seq: int, last_seq: int) -> list[ConversationEvent]:
    """The learnable turns whose entries change with these, and the neighbours of those.

    What was said without consent to learning is nobody's neighbour.
    """
    margin = 2 * REACH
    rows = ConversationEvent.objects.filter(
        session_id=session_id, seq__gte=first_seq - margin, seq__lte=last_seq + margin, learnable=True
    )
    return list(rows.with_clock().order_by("seq"))


def lending(events: Sequence[ConversationEvent], new: Iterable[UUID]) -> list[ConversationEvent]:
    """Those of the turns whose words may stand in others' entries: new ones, and those that have an entry.

    A turn without one was purged, or waits for its own indexing, which then refreshes the others.
    """
    indexed = SearchEntry.objects.filter(pk__in=[event.pk for event in events]).values_list("pk", flat=True)
    known = {*indexed, *new}
    return [event for event in events if event.pk in known]


def lock_conversation(session_id: UUID) -> None:
    """Let no other transaction write words across this conversation's entries until this one ends: read the turns
    after it, or words taken back meanwhile would be written anew.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [str(session_id)])


def rebuild_shared_terms(session_ids: Collection[UUID]) -> int:
    """Make the words of these conversations' entries anew, after some of their turns are gone from search.

    Whoever the transaction acts for need not be of the group any more: turns are read as an operator, and each
    entry is written acting as its owner. Answers how many were written.
    """
    documents: list[Document] = []
    for session_id in sorted(session_ids):
        lock_conversation(session_id)
        documents += _shared_documents(session_id)
    for owner, own in groupby(documents, key=attrgetter("user_id")):
        with acting_as(owner):
            _write_terms(own)
    return len(documents)


def _shared_documents(session_id: UUID) -> list[Document]:
    """The documents of a conversation's turns, each owner's together. Who left before their turn was indexed has
    it for themselves: it lends nobody else its words.
    """
    with in_role(OPERATOR_ROLE):
        rows = ConversationEvent.objects.filter(session_id=session_id, learnable=True).with_clock().order_by("seq")
        events = lending(list(rows), ())
        entries = SearchEntry.objects.filter(pk__in=[event.pk for event in events], group__isnull=False)
        shared = set(entries.values_list("pk", flat=True))
    documents = []
    for owner in sorted({event.user_id for event in events}):
        lent = [event for event in events if event.user_id == owner or event.pk in shared]
        documents += turn_documents(lent, [event.pk for event in lent if event.user_id == owner])
    return documents


def refresh_neighbours(events: Sequence[ConversationEvent], around: Iterable[UUID]) -> None:
    """Give the turns beside ``around`` their new neighbour's words; their own vectors stay as they are."""
    fresh = set(around)
    seqs = {event.seq for event in events if event.pk in fresh}
    reach = {seq + distance for seq in seqs for distance in range(-REACH, REACH + 1)}
    beside = [event.pk for event in events if event.pk not in fresh and event.seq in reach]
    _write_terms(turn_documents(events, beside))


def _write_terms(documents: Iterable[Document]) -> None:
    for document in documents:
        SearchEntry.objects.filter(pk=document.id).update(terms=terms_literal(document))


def item_document(item: MemoryItem) -> Document:
    """A memory as search sees it."""
    return Document(
        id=item.pk,
        kind="item",
        user_id=item.user_id,
        group_id=item.group_id,
        session_id=None,
        occurred_at=item.valid_at,
        text=item_text(item.category, item.content),
    )


def item_text(category: str, content: str) -> str:
    """A memory's category and its sentence: what it is about belongs in the vector (seed B §2.3.0.1 C)."""
    label = category.replace("_", " ")
    return f"{label}: {content}" if label else content


def event_document(event: CognitiveEvent, near: tuple[str, ...]) -> Document:
    """An event as search sees it. A person's own perspective is searched privately, the group's in its group."""
    of_group = event.perspective == CognitiveEvent.Perspective.GROUP
    return Document(
        id=event.pk,
        kind="event",
        user_id=event.user_id,
        group_id=event.group_id if of_group else None,
        session_id=event.session_id,
        occurred_at=event.timestamp_utc,
        text=event.canonical_text,
        near=near,
    )


def retire(kind: Kind, row_id: UUID) -> None:
    """Take a row out of ordinary search; questions about the past still find it."""
    SearchEntry.objects.filter(pk=row_id, kind=kind).update(live=False)


def revive(kind: Kind, row_id: UUID) -> None:
    """Put a row back into ordinary search."""
    SearchEntry.objects.filter(pk=row_id, kind=kind).update(live=True)
