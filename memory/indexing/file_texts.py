"""Makes the text of files searchable, once a message that may be learned from uses them."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.db.models import QuerySet

from consent.services import learning_permit, scope_held_since
from foundation.outbox.jobs import Job
from foundation.personal_data import ConsentScope
from media.models import MediaPassage, MediaUse
from memory.indexing import services as indexing
from memory.indexing.documents import passage_document
from memory.indexing.embedding import BATCH, embed_later
from memory.models import ConversationEvent, SearchEntry


def index_file(job: Job) -> None:
    """Index the passages of a file that have no entry yet. Those of a file that only temporary chats use get none.

    A file may hold hundreds: each batch is stored in a transaction of its own, by words alone. Jobs of their own have
    the texts embedded, and judged whether they may stand in a prompt. What was stored before a withdrawal gets no
    entry, even if consent was granted again since.
    """
    media_id, stored = UUID(job.payload["media"]), 0
    with job.acting():
        since = scope_held_since(job.user_id, ConsentScope.MEMORY_LEARNING)
        waiting = list(_unindexed_passages(job.user_id, media_id, since).values_list("pk", flat=True))
    for start in range(0, len(waiting), BATCH):
        stored += _index_batch(job, media_id, waiting[start : start + BATCH], since)
    with job.completing():
        job.result |= {"passages": stored}


def _index_batch(job: Job, media_id: UUID, keys: Sequence[UUID], since: int) -> int:
    """Index these passages, as far as they are there and the consent still holds; returns how many."""
    with job.acting():
        if learning_permit(job.user_id, since) is None:
            return 0
        current = _unindexed_passages(job.user_id, media_id, since).filter(pk__in=keys)
        documents = list(map(passage_document, current))
        indexing.store_entries(documents, [None] * len(documents), "", judge=False)
        embed_later(documents)
    return len(documents)


def _unindexed_passages(user_id: UUID, media_id: UUID, since: int) -> QuerySet[MediaPassage]:
    """The passages of a file without an entry that were stored under consent version ``since`` or later; none unless a
    message of the user's own, just as recent, uses the file and may be learned from.

    A file that was shared in a group is found in private, by its owner.
    """
    uses = MediaUse.objects.filter(media_id=media_id, user_id=user_id).values("message_id")
    learnable = ConversationEvent.objects.filter(user_id=user_id, learnable=True, consent_version__gte=since)
    if not learnable.filter(pk__in=uses).exists():
        return MediaPassage.objects.none()
    indexed = SearchEntry.objects.filter(user_id=user_id, kind=SearchEntry.Kind.DOCUMENT).values("pk")
    return MediaPassage.objects.filter(media_id=media_id, consent_version__gte=since).exclude(pk__in=indexed)
