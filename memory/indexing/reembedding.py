"""Embedding anew, in the background, what is stored without a vector of the configured model.

That model was changed, or it did not answer when something was stored. Each person's entries are embedded batch by
batch, the latest first; meanwhile search finds those that wait by their words. Switching back is the same work.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

import structlog
from django.db import DatabaseError
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from consent.services import learning_permit
from foundation.accounts.models import User
from foundation.database.acting import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE, WORKER_ROLE
from foundation.embeddings import Embedder, EmbeddingUnavailable, configured_embedder
from foundation.outbox import services as outbox
from foundation.outbox.jobs import Job
from foundation.outbox.models import OutboxMessage, Priority
from foundation.outbox.wake import wake_worker
from foundation.personal_data import Scope
from foundation.telemetry.metrics import DEGRADED, ENTRIES_TO_EMBED
from memory.indexing.embedding import BATCH, embed_waiting
from memory.indexing.vectors import VECTOR_UNAVAILABLE, may_be_vectors
from memory.models import SearchEntry

REEMBED_TOPIC = "memory.reembed"
LISTED: Final = 4 * BATCH
"""Entries that one look at a person's finds, handed from job to job: the look reads all that the person has."""
MOST_PEOPLE: Final = 2_000
"""People begun with by one run of the schedule: what is queued leaves room for what people say."""
PAUSE: Final = timedelta(minutes=15)
"""How long whoever's entries were just gone through is left alone: what still waits then cannot be embedded yet."""
PAUSE_AFTER_FAILURE: Final = timedelta(days=1)
"""The same after a job that used up its attempts: the next would, too, unless somebody looked."""
State = OutboxMessage.State
_UNFINISHED: Final = (State.PENDING, State.PROCESSING)
log = structlog.get_logger(__name__)


def waiting(model_id: str) -> QuerySet[SearchEntry]:
    """The entries without a vector of this model, of whoever the role sees.

    Those that somebody withdrew are among them until they are purged.
    """
    # Smaller or greater, not other: only so PostgreSQL finds them in an index.
    return SearchEntry.objects.filter(Q(model_id__lt=model_id) | Q(model_id__gt=model_id))


def count_waiting() -> int:
    """How many entries of everybody's wait for the configured model. Call in the operators' role."""
    return waiting(configured_embedder().model_id).count()


@dataclass(frozen=True)
class Progress:
    """``entries`` counts by the model that embedded them, "" for none; ``jobs`` are those that wait or run."""

    model_id: str
    entries: Mapping[str, int]
    jobs: int

    @property
    def waiting(self) -> int:
        """The entries without a vector of the configured model."""
        return sum(count for model, count in self.entries.items() if model != self.model_id)


def progress() -> Progress:
    """How far the entries of everybody have come."""
    with in_role(OPERATOR_ROLE):
        counted = SearchEntry.objects.order_by("model_id").values_list("model_id").annotate(entries=Count("pk"))
        entries = dict(counted)
    with in_role(WORKER_ROLE):
        jobs = OutboxMessage.objects.filter(topic=REEMBED_TOPIC, state__in=_UNFINISHED).count()
    return Progress(configured_embedder().model_id, entries, jobs)


def sweep() -> int:
    """For the schedule: meter what waits, and queue it if the model answers; answers for how many people."""
    with in_role(OPERATOR_ROLE):
        count = count_waiting()
    ENTRIES_TO_EMBED.set(count)
    if not count or not outbox.has_room(Priority.LOW) or not _answers(configured_embedder()):
        return 0
    return _queue_for(_people(except_for=_attended())[:MOST_PEOPLE])


def queue_now() -> int:
    """For an operator: queue everybody whose entries wait and who is not queued already; answers how many people."""
    queued = _queue_for(_people(except_for=()))
    if queued:
        wake_worker()
    return queued


def reembed(job: Job) -> None:
    """Embed the first ``BATCH`` of the entries listed, and queue the others, or the next that wait.

    While the model does not answer the person's turn ends: the schedule comes back to them when it does.
    """
    entries = [UUID(value) for value in job.payload["entries"]]
    batch, others = entries[:BATCH], entries[BATCH:]

    def go_on() -> None:
        # Due as long as this job was, before those of whoever was queued later: one person's entries are done before
        # the next one's are begun, as search serves best by vectors of one model.
        rest = others or _list_waiting(job.user_id, before=batch[-1])
        _queue(job.user_id, rest, available_at=job.message.available_at)

    try:
        embed_waiting(job, batch, afterwards=go_on)
    except EmbeddingUnavailable:
        DEGRADED.labels(reason=VECTOR_UNAVAILABLE).inc()
    except DatabaseError as error:
        if not may_be_vectors(error):
            raise
    else:
        return
    with job.completing():
        job.result |= {"degraded": [VECTOR_UNAVAILABLE]}


def _answers(embedder: Embedder) -> bool:
    try:
        embedder.embed_passages(["Does it answer?"])
    except EmbeddingUnavailable as error:
        log.warning("not_reembedded", error=type(error).__name__)
        return False
    return True


def _people(except_for: Collection[UUID]) -> Sequence[UUID]:
    """Whose entries wait. Read as an operator: what an erasure hides is not among them."""
    own = waiting(configured_embedder().model_id).filter(user=OuterRef("pk"))
    with in_role(OPERATOR_ROLE):
        found = set(User.objects.filter(Exists(own)).values_list("pk", flat=True))
    return sorted(found.difference(except_for))


def _attended() -> set[UUID]:
    """Whose entries are being embedded, or were gone through just now."""
    now = timezone.now()
    unfinished = Q(state__in=_UNFINISHED)
    failed = Q(state=State.FAILED, finished_at__gt=now - PAUSE_AFTER_FAILURE)
    with in_role(WORKER_ROLE):
        jobs = OutboxMessage.objects.filter(topic=REEMBED_TOPIC)
        found = jobs.filter(unfinished | failed | Q(finished_at__gt=now - PAUSE))
        return {key for key in found.order_by().values_list("user_id", flat=True) if key}


def _queue_for(people: Sequence[UUID]) -> int:
    return sum(map(_begin, people))


def _begin(user_id: UUID) -> bool:
    """Queue a person's first job, unless they have one or do not allow it; answers whether it was."""
    with acting_as(user_id):
        if learning_permit(user_id) is None:  # holds the person: of two that begin one finds the other's job
            return False
        jobs = OutboxMessage.objects.filter(user_id=user_id, topic=REEMBED_TOPIC)
        if jobs.filter(state__in=_UNFINISHED).exists():
            return False
        return _queue(user_id, _list_waiting(user_id))


def _list_waiting(user_id: UUID, before: UUID | None = None) -> list[UUID]:
    """The latest ``LISTED`` of the acting person's entries that wait, of those stored before the one named.

    Never the same twice in one go through: what cannot be embedded would be listed for ever.
    """
    own = waiting(configured_embedder().model_id).filter(user_id=user_id)
    if before is not None:
        own = own.filter(pk__lt=before)
    return list(own.order_by("-pk").values_list("pk", flat=True)[:LISTED])


def _queue(user_id: UUID, entries: Sequence[UUID], available_at: datetime | None = None) -> bool:
    if entries:
        outbox.enqueue(
            REEMBED_TOPIC,
            user_id=user_id,
            payload={"entries": [str(key) for key in entries]},
            scope=Scope.MEMORY_LEARNING.value,
            priority=Priority.LOW,
            available_at=available_at,
            wake=False,  # whoever works goes on with it, and the sweep of the outbox comes by each minute
        )
    return bool(entries)
