"""Indexes documents, and embeds those in the worker whose vectors are not available at once.

Full-text search finds an entry until it has its vector.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final
from uuid import UUID

from django.db.models import QuerySet

from consent.services import learning_permit, permit_for, scope_held_since
from foundation.accounts.models import User
from foundation.embeddings import configured_embedder
from foundation.outbox import services as outbox
from foundation.outbox.jobs import Job
from foundation.outbox.models import Priority
from foundation.personal_data import ConsentScope
from media.models import MediaPassage
from memory.indexing import services as indexing
from memory.indexing.documents import (
    SearchDocument,
    event_document,
    item_document,
    passage_document,
    portrait_document,
    turn_document,
)
from memory.indexing.services import Vectors
from memory.indexing.vector_failures import with_vector_fallback
from memory.models import CognitiveEvent, ConversationEvent, EntityProfile, MemoryItem, SearchEntry

EMBED_TOPIC = "memory.embed"
BATCH: Final = 64
"""How many texts one job embeds: few enough that a small model on a slow machine finishes within a job's lease."""


def index_now(documents: Sequence[SearchDocument]) -> None:
    """Make documents searchable in the caller's transaction.

    A model in this process answers in about ten milliseconds. A model on a server is not called here, because the
    transaction would wait for it with locks held: the worker calls it later, and full-text search serves until then.
    """
    if configured_embedder().is_local:
        index(documents, *indexing.embed([document.text for document in documents]))
    else:
        index(documents, [None] * len(documents), "")


def index(documents: Sequence[SearchDocument], vectors: Vectors, model_id: str) -> None:
    """Write entries in the caller's transaction, and queue those without a vector to be embedded.

    If the database's vector extension fails, the entries are written without vectors, and full-text search serves.
    """

    def store(vectors: Vectors, model_id: str) -> Vectors:
        indexing.store_entries(documents, vectors, model_id)
        return vectors

    stored = with_vector_fallback(lambda: store(vectors, model_id), lambda: store([None] * len(documents), ""))
    embed_later([document for document, vector in zip(documents, stored, strict=True) if vector is None])


def embed_later(documents: Sequence[SearchDocument]) -> None:
    """Queue the documents, all of one user, for the embedding model, ``BATCH`` to a job.

    The jobs have low priority, but are queued even when the queue is full: only new observations are dropped then.
    """
    for start in range(0, len(documents), BATCH):
        some = documents[start : start + BATCH]
        outbox.enqueue(
            EMBED_TOPIC,
            user_id=some[0].user_id,
            payload={"entries": [str(document.id) for document in some]},
            scope=ConsentScope.MEMORY_LEARNING.value,
            priority=Priority.LOW,
        )


def embed_entries(job: Job) -> None:
    """Embed the queued entries. Where the model does not answer, the job waits longer at each attempt."""
    embed_waiting(job, [UUID(value) for value in job.payload["entries"]])


def embed_waiting(job: Job, keys: Sequence[UUID], afterwards: Callable[[], None] = lambda: None) -> None:
    """Give the entries without a vector of the configured model one, and complete the job.

    A retried job may outlive the consent it was queued under: a text stored before a withdrawal is not sent to the
    model and gets no vector, even if consent was granted again since. An entry that was erased, rewritten or embedded
    during the call to the model gets none either. ``afterwards`` is called in the completing transaction, unless the
    consent is gone. Raises ``EmbeddingUnavailable``.
    """
    embedder = configured_embedder()
    with job.acting():
        since = scope_held_since(job.user_id, ConsentScope.MEMORY_LEARNING)
        allowed = permit_for(User.objects.get(pk=job.user_id)).allows(ConsentScope.MEMORY_LEARNING)
        texts = _texts(keys, since, embedder.model_id) if allowed else {}
    vectors = dict(zip(texts, embedder.embed_passages(list(texts.values())), strict=True)) if texts else {}
    with job.completing():
        if learning_permit(job.user_id, since) is None:
            return
        # Changing a text takes the lock on the user that we hold by now: what is read here cannot change until commit.
        current = _texts(list(texts), since, embedder.model_id)
        unchanged = {key: vectors[key] for key, text in current.items() if text == texts[key]}
        indexing.add_vectors(unchanged, embedder.model_id)
        afterwards()


def _texts(wanted: Sequence[UUID], since: int, model_id: str) -> dict[UUID, str]:
    """The texts of the entries named that have no vector of this model, as ``texts_of`` reads them."""
    return texts_of(SearchEntry.objects.filter(pk__in=wanted).exclude(model_id=model_id), since)


def texts_of(entries: QuerySet[SearchEntry], since: int) -> dict[UUID, str]:
    """The text to embed for each entry whose row was stored under consent version ``since`` or later."""
    return {document.id: document.text for document in _documents(entries, since)}


def stored_since(entries: QuerySet[SearchEntry], since: int) -> set[UUID]:
    """The entries whose row was stored under consent version ``since`` or later."""
    return {key for rows in _rows(entries, since).values() for key in rows.values_list("pk", flat=True)}


def prompt_texts(entries: QuerySet[SearchEntry], since: int) -> dict[UUID, str]:
    """The text that a prompt may contain, for each entry whose row has consent version ``since`` or later."""
    return {document.id: document.prompt_text for document in _documents(entries, since)}


def _documents(entries: QuerySet[SearchEntry], since: int) -> Iterator[SearchDocument]:
    """The documents of the entries' rows, without the words of neighbours."""
    for kind, rows in _rows(entries, since).items():
        yield from map(_ROWS[kind][1], rows)


def _rows(entries: QuerySet[SearchEntry], since: int) -> dict[str, QuerySet[Any]]:
    """The rows for which the entries stand, by kind, if stored under consent version ``since`` or later."""
    keys: dict[str, list[UUID]] = defaultdict(list)
    for key, kind in entries.values_list("pk", "kind"):
        keys[kind].append(key)
    return {kind: _ROWS[kind][0]().filter(pk__in=named, consent_version__gte=since) for kind, named in keys.items()}


# Kind of entry → the rows it stands for, and the document of a row.
_ROWS: Final[dict[str, tuple[Callable[[], QuerySet[Any]], Callable[[Any], SearchDocument]]]] = {
    "turn": (lambda: ConversationEvent.objects.with_clock(), turn_document),
    "event": (lambda: CognitiveEvent.objects.all(), event_document),
    "item": (lambda: MemoryItem.objects.all(), item_document),
    "profile": (lambda: EntityProfile.objects.all(), portrait_document),
    "document": (lambda: MediaPassage.objects.all(), passage_document),
}
