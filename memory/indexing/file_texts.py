"""Makes the text of files searchable, once a message that may be learned from uses them."""

from __future__ import annotations

from uuid import UUID

from django.db.models import QuerySet

from consent.services import learning_permit
from foundation.outbox.jobs import Job
from media.models import MediaPassage, MediaUse
from memory.indexing import services as indexing
from memory.indexing.documents import passage_document
from memory.indexing.embedding import index
from memory.models import ConversationEvent, SearchEntry

BATCH = 64
"""How many passages are embedded together."""


def index_file(job: Job) -> None:
    """Index the passages of a file that have no entry yet. Those of a file that only temporary chats use get none."""
    media_id = UUID(job.payload["media"])
    with job.acting():
        documents = [passage_document(passage) for passage in _unindexed_passages(job.user_id, media_id)]
    vectors, model_id = indexing.embed([document.text for document in documents]) if documents else ([], "")
    vector_of = {document.id: vector for document, vector in zip(documents, vectors, strict=True)}
    with job.completing():
        if learning_permit(job.user_id) is None:
            return
        current = [passage_document(passage) for passage in _unindexed_passages(job.user_id, media_id)]
        known = [document for document in current if document.id in vector_of]
        for start in range(0, len(known), BATCH):
            some = known[start : start + BATCH]
            index(some, [vector_of[document.id] for document in some], model_id)
        job.result |= {"passages": len(known)}


def _unindexed_passages(user_id: UUID, media_id: UUID) -> QuerySet[MediaPassage]:
    """The passages of a file without an entry; none unless a message of the user's own uses it and may be learned from.

    A file that was shared in a group is found in private, by its owner.
    """
    uses = MediaUse.objects.filter(media_id=media_id, user_id=user_id).values("message_id")
    if not ConversationEvent.objects.filter(pk__in=uses, user_id=user_id, learnable=True).exists():
        return MediaPassage.objects.none()
    indexed = SearchEntry.objects.filter(user_id=user_id, kind=SearchEntry.Kind.DOCUMENT).values("pk")
    return MediaPassage.objects.filter(media_id=media_id).exclude(pk__in=indexed)
