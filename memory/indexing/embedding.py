"""Vectors that cannot be had at once: full text serves first, the worker embeds after."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.db import DatabaseError, transaction

from consent.services import held_since, learning_permit, permit_for
from foundation.accounts.models import User
from foundation.embeddings import configured_embedder
from foundation.outbox import services as outbox
from foundation.outbox.jobs import Job
from foundation.outbox.models import Priority
from foundation.personal_data import Scope
from memory.indexing import services as indexing
from memory.indexing.documents import Document, turn_text
from memory.indexing.services import Vectors
from memory.indexing.vectors import may_be_vectors
from memory.models import CognitiveEvent, ConversationEvent, EntityProfile, MemoryItem, SearchEntry

EMBED_TOPIC = "memory.embed"


def index_now(documents: Sequence[Document]) -> None:
    """Make documents searchable in the caller's transaction.

    An embedded model answers in ten milliseconds or so; a server would be waited for with locks held, so there full
    text serves until the worker has asked it.
    """
    embedder = configured_embedder()
    if embedder.is_local:
        index(documents, list(embedder.embed_passages([one.text for one in documents])), embedder.model_id)
    else:
        index(documents, [None] * len(documents), "")


def index(documents: Sequence[Document], vectors: Vectors, model_id: str) -> None:
    """Write entries in the caller's transaction, and queue what has no vector yet.

    Where the database fails on vectors full text serves: no word is lost for want of an extension.
    """
    try:
        with transaction.atomic():
            indexing.store(documents, vectors, model_id)
    except DatabaseError as error:
        if not may_be_vectors(error):
            raise
        vectors = [None] * len(documents)
        indexing.store(documents, vectors, "")
    embed_later([document for document, vector in zip(documents, vectors, strict=True) if vector is None])


def embed_later(documents: Sequence[Document]) -> None:
    """Queue the documents, all of one person, for the embedding model.

    Last in the queue, but never dropped: a full one drops observations (B-8), and what is stored was observed.
    """
    if documents:
        outbox.enqueue(
            EMBED_TOPIC,
            user_id=documents[0].user_id,
            payload={"entries": [str(one.id) for one in documents]},
            scope=Scope.MEMORY_LEARNING.value,
            priority=Priority.LOW,
        )


def embed_entries(job: Job) -> None:
    """Embed what waits. A model that does not answer makes the job wait too, longer at each attempt.

    A retried job may outlive the consent it was queued under: what was stored before a withdrawal goes to no
    server and gets no vector, though it be granted again since (C-5).
    """
    with job.acting():
        since = held_since(job.user_id, Scope.MEMORY_LEARNING)
        allowed = permit_for(User.objects.get(pk=job.user_id)).allows(Scope.MEMORY_LEARNING)
        texts = _texts([UUID(value) for value in job.payload["entries"]], since) if allowed else {}
    embedder = configured_embedder()
    vectors = list(embedder.embed_passages(list(texts.values()))) if texts else []
    with job.completing():
        if learning_permit(job.user_id, since) is None:
            return
        indexing.add_vectors(dict(zip(texts, vectors, strict=True)), embedder.model_id)


def _texts(wanted: Sequence[UUID], since: int) -> dict[UUID, str]:
    """The own text of each row that still is in search and was stored under consent version ``since`` or later."""
    keys = SearchEntry.objects.filter(pk__in=wanted).values("pk")
    turns = ConversationEvent.objects.filter(pk__in=keys, consent_version__gte=since).with_clock()
    events = CognitiveEvent.objects.filter(pk__in=keys, consent_version__gte=since)
    items = MemoryItem.objects.filter(pk__in=keys, consent_version__gte=since)
    portraits = EntityProfile.objects.filter(pk__in=keys, consent_version__gte=since)
    return (
        {turn.pk: turn_text(turn) for turn in turns}
        | {event.pk: event.canonical_text for event in events}
        | {item.pk: indexing.item_document(item).text for item in items}
        | {portrait.pk: indexing.portrait_document(portrait).text for portrait in portraits}
    )
