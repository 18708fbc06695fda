"""Vectors that cannot be had at once: full text serves first, the worker embeds after."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from foundation.embeddings import configured_embedder
from foundation.outbox import services as outbox
from foundation.outbox.jobs import Job
from foundation.outbox.models import Priority
from foundation.personal_data import Scope
from memory.indexing import services as indexing
from memory.indexing.documents import Document, turn_text
from memory.models import CognitiveEvent, ConversationEvent, MemoryItem, SearchEntry

EMBED_TOPIC = "memory.embed"


def index_now(documents: Sequence[Document]) -> None:
    """Make documents searchable in the caller's transaction.

    The embedded model answers in a tenth of a millisecond; a server would be waited for with locks held, so
    there full text serves until the worker has asked it.
    """
    embedder = configured_embedder()
    if embedder.is_local:
        indexing.store(documents, list(embedder.embed([one.text for one in documents])), embedder.model_id)
    else:
        indexing.store(documents, [None] * len(documents), "")
        embed_later(documents)


def embed_later(documents: Sequence[Document]) -> None:
    """Queue the documents, all of one person, for the embedding model."""
    if documents:
        outbox.enqueue(
            EMBED_TOPIC,
            user_id=documents[0].user_id,
            payload={"entries": [str(one.id) for one in documents]},
            scope=Scope.MEMORY_LEARNING.value,
            priority=Priority.LOW,
        )


def embed_entries(job: Job) -> None:
    """Embed what waits. A model that does not answer makes the job wait too, longer at each attempt."""
    with job.acting():
        texts = _texts([UUID(value) for value in job.payload["entries"]])
    embedder = configured_embedder()
    vectors = list(embedder.embed(list(texts.values()))) if texts else []
    with job.completing():
        for key, vector in zip(texts, vectors, strict=True):
            SearchEntry.objects.filter(pk=key).update(vector=vector, model_id=embedder.model_id)


def _texts(keys: Sequence[UUID]) -> dict[UUID, str]:
    """The own text of each row that still is there."""
    turns = ConversationEvent.objects.filter(pk__in=keys).select_related("session", "user")
    events = CognitiveEvent.objects.filter(pk__in=keys).values_list("pk", "canonical_text")
    items = MemoryItem.objects.filter(pk__in=keys)
    return (
        {turn.pk: turn_text(turn) for turn in turns}
        | dict(events)
        | {item.pk: indexing.item_document(item).text for item in items}
    )
