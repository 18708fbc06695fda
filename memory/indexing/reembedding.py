"""Re-embeds, in the background, entries without a vector of the configured model.

Entries lack one after the configured model was changed, or when it did not answer while they were stored. Each user's
entries are embedded in batches, the latest first; until then full-text search finds them. Switching back to an earlier
model means embedding everything again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Final
from uuid import UUID

import structlog
from django.db import DatabaseError
from django.db.models import Count, Q, QuerySet

from foundation.database.acting_user import in_role
from foundation.database.roles import OPERATOR_ROLE
from foundation.embeddings import Embedder, EmbeddingUnavailable, configured_embedder
from foundation.outbox.jobs import Job
from foundation.telemetry.metrics import DEGRADED, ENTRIES_TO_EMBED
from memory.indexing.backlog import Backlog
from memory.indexing.embedding import BATCH, embed_waiting
from memory.indexing.vector_failures import VECTOR_UNAVAILABLE, is_vector_failure
from memory.models import SearchEntry

REEMBED_TOPIC = "memory.reembed"
LISTED: Final = 4 * BATCH
"""How many entry ids one query lists; jobs pass the list on, because each listing reads all entries of the user."""
MOST_PEOPLE: Final = 2_000
"""For how many users one run of the schedule queues a job, so that the queue has room for new messages."""
PAUSE: Final = timedelta(minutes=15)
"""How long after a user's job ended none is queued for them: what has no vector by then cannot be embedded yet."""
log = structlog.get_logger(__name__)


def entries_without_vector(model_id: str) -> QuerySet[SearchEntry]:
    """The entries without a vector of this model, of all users visible to the role.

    Withdrawn entries are among them until they are purged.
    """
    # Not ``exclude(model_id=…)``: PostgreSQL uses an index for < and >, but not for <>.
    return SearchEntry.objects.filter(Q(model_id__lt=model_id) | Q(model_id__gt=model_id))


def count_waiting() -> int:
    """How many entries of all users wait for the configured model. Call in the operator role."""
    return entries_without_vector(configured_embedder().model_id).count()


@dataclass(frozen=True)
class ReembeddingProgress:
    """How far re-embedding has come.

    ``entries`` maps the id of a model ("" for none) to how many entries it embedded; ``jobs`` counts those that wait
    or run.
    """

    model_id: str
    entries: Mapping[str, int]
    jobs: int

    @property
    def waiting(self) -> int:
        """How many entries have no vector of the configured model."""
        return sum(count for model, count in self.entries.items() if model != self.model_id)


def reembedding_progress() -> ReembeddingProgress:
    """The progress of re-embedding over all users."""
    with in_role(OPERATOR_ROLE):
        counted = SearchEntry.objects.order_by("model_id").values_list("model_id").annotate(entries=Count("pk"))
        entries = dict(counted)
    return ReembeddingProgress(configured_embedder().model_id, entries, BACKLOG.unfinished_count())


def queue_waiting() -> int:
    """Set the gauge of entries that wait, and queue jobs for them if the model answers. For the schedule.

    Returns for how many users a job was queued.
    """
    with in_role(OPERATOR_ROLE):
        count = count_waiting()
    ENTRIES_TO_EMBED.set(count)
    return BACKLOG.queue_due() if count and _model_answers(configured_embedder()) else 0


def reembed(job: Job) -> None:
    """Embed the first ``BATCH`` of the entries that the job lists, and queue a job for the user's next ones.

    The next ones are the others that the job lists or, where there are none, those without a vector stored earlier.
    If the model does not answer, the job ends as degraded and queues nothing; the schedule queues the user again later.
    """
    entries = [UUID(value) for value in job.payload["entries"]]
    batch, others = entries[:BATCH], entries[BATCH:]

    def go_on() -> None:
        # The next job has this one's due time, so it runs before jobs of users queued later: one user's entries are
        # finished before the next user's are begun, because search is best when all vectors are of one model.
        rest = others or _list_waiting(job.user_id, before=batch[-1])
        BACKLOG.queue(job.user_id, rest, available_at=job.message.available_at)

    try:
        embed_waiting(job, batch, afterwards=go_on)
    except EmbeddingUnavailable:
        DEGRADED.labels(reason=VECTOR_UNAVAILABLE).inc()
    except DatabaseError as error:
        if not is_vector_failure(error):
            raise
    else:
        return
    with job.completing():
        job.result |= {"degraded": [VECTOR_UNAVAILABLE]}


def _model_answers(embedder: Embedder) -> bool:
    try:
        embedder.embed_passages(["Does it answer?"])
    except EmbeddingUnavailable as error:
        log.warning("not_reembedded", error=type(error).__name__)
        return False
    return True


def _list_waiting(user_id: UUID, before: UUID | None = None) -> list[UUID]:
    """The latest ``LISTED`` of the user's waiting entries, or of those stored before the entry ``before``.

    ``before`` keeps entries from being listed again: one that cannot be embedded would be listed for ever.
    """
    own = entries_without_vector(configured_embedder().model_id).filter(user_id=user_id)
    if before is not None:
        own = own.filter(pk__lt=before)
    return list(own.order_by("-pk").values_list("pk", flat=True)[:LISTED])


BACKLOG: Final = Backlog(
    REEMBED_TOPIC,
    "entries",
    lambda: entries_without_vector(configured_embedder().model_id),
    _list_waiting,
    MOST_PEOPLE,
    PAUSE,
)
