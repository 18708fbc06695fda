"""Embeds knowledge entries: at once by a model in this process, else in the background, a batch at a time.

What is left to do stands in the rows themselves, so work that is cut off goes on where it ended; until its turn comes
an entry is found by its words.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final
from uuid import UUID

import structlog
from numpy import float32
from numpy.typing import NDArray
from pgvector import HalfVector

from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import ERASER_ROLE, OPERATOR_ROLE
from foundation.embeddings import EmbeddingUnavailable, configured_embedder
from foundation.telemetry.metrics import DEGRADED
from knowledge.models import KnowledgeEntry
from knowledge.projection import project_later

BATCH: Final = 64
MOST_BATCHES: Final = 50
"""How many batches one run of the schedule embeds; the next run goes on."""
log = structlog.get_logger(__name__)


def embedded_text(subject: str, text: str) -> str:
    """What of an entry is embedded."""
    return f"{subject}\n{text}".strip()


def embed_now(entry: KnowledgeEntry) -> None:
    """Set an unsaved entry's vector, where a model in this process answers at once; else it waits for the schedule."""
    embedder = configured_embedder()
    embed_later(entry)
    if embedder.is_local:
        [vector] = embedder.embed_passages([embedded_text(entry.subject, entry.text)])
        entry.vector, entry.model_id = HalfVector(vector), embedder.model_id


def embed_later(entry: KnowledgeEntry) -> None:
    """Leave an unsaved entry's vector to the schedule: of many at once, each would be waited for."""
    entry.vector, entry.model_id = None, ""


def count_waiting() -> int:
    """How many entries of all organisations have no vector of the configured model."""
    with in_role(OPERATOR_ROLE):
        return KnowledgeEntry.objects.without_vector(configured_embedder().model_id).count()


def embed_waiting() -> int:
    """Embed the entries without a vector of the configured model; returns how many. For the schedule.

    Each batch is committed by itself. An entry that changed while the model was asked is left for the next run. Where
    the model does not answer, the run ends.
    """
    embedder, embedded = configured_embedder(), 0
    for _ in range(MOST_BATCHES):
        waiting = _list_waiting(embedder.model_id)
        if not waiting:
            break
        try:
            vectors = embedder.embed_passages([embedded_text(entry.subject, entry.text) for entry in waiting])
        except EmbeddingUnavailable as error:
            DEGRADED.labels(reason=error.code).inc()
            log.warning("knowledge_not_embedded", error=type(error).__name__)
            break
        stored = _store_vectors(zip(waiting, vectors, strict=True), embedder.model_id)
        embedded += stored
        if not stored:
            break
    return embedded


def _list_waiting(model_id: str) -> Sequence[KnowledgeEntry]:
    with in_role(OPERATOR_ROLE):
        waiting = KnowledgeEntry.objects.without_vector(model_id).order_by("-updated_at")
        return list(waiting.only("pk", "version", "subject", "text", "derived_from_user")[:BATCH])


def _store_vectors(embedded: Iterable[tuple[KnowledgeEntry, NDArray[float32]]], model_id: str) -> int:
    """Store vectors of entries that are as they were read; returns how many."""
    by_origin: dict[UUID | None, list[tuple[KnowledgeEntry, NDArray[float32]]]] = defaultdict(list)
    for entry, vector in embedded:
        by_origin[entry.derived_from_user].append((entry, vector))
    stored = 0
    for origin, some in by_origin.items():
        with _changing(origin):
            for entry, vector in some:
                unchanged = KnowledgeEntry.objects.filter(pk=entry.pk, version=entry.version)
                if unchanged.update(vector=HalfVector(vector), model_id=model_id):
                    stored += 1
                    project_later(entry)
    return stored


@contextmanager
def _changing(origin: UUID | None) -> Iterator[None]:
    """A transaction that may change the operators' entries or, with an ``origin``, those promoted from this user."""
    if origin is None:
        with in_role(OPERATOR_ROLE):
            yield
    else:
        with acting_as(origin), in_role(ERASER_ROLE):
            yield
