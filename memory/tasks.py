"""What the worker runs for memory: load, think outside any transaction, write with the completion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from consent.permit import Permit
from consent.purge import purge_rows
from consent.services import held_since, learning_permit
from foundation.accounts.services import is_member
from foundation.outbox.jobs import Job
from foundation.personal_data import Scope
from memory.evolution.services import learn, result_of
from memory.indexing import services as indexing
from memory.indexing.documents import Document
from memory.indexing.embedding import embed_later
from memory.models import ConversationEvent, SearchEntry
from memory.types import ItemChange


def observe(job: Job) -> None:
    """Index the messages, and learn what the person's own words say of them."""
    wanted = [UUID(value) for value in job.payload["messages"]]
    with job.acting():
        around = _around(job.user_id, UUID(job.payload["session"]), wanted)
        documents = _own(job.user_id, indexing.turn_documents(around, wanted))
    vectors, model_id = indexing.embed([document.text for document in documents])
    with job.completing():
        permit = learning_permit(job.user_id, _since(around, wanted))
        if permit is None:
            return
        indexing.store(documents, vectors, model_id)
        embed_later([document for document, vector in zip(documents, vectors, strict=True) if vector is None])
        indexing.refresh_neighbours(around, wanted)
        job.result["results"] = result_of(_learn(permit, around, wanted))


def purge(job: Job) -> None:
    """Delete what a withdrawn scope had let in, and take its words out of the entries around it."""
    with job.completing():
        turns = SearchEntry.objects.filter(user_id=job.user_id, kind=SearchEntry.Kind.TURN, group__isnull=False)
        shared = [session for session in turns.values_list("session_id", flat=True).distinct() if session]
        before = datetime.fromisoformat(job.payload["before"])
        job.result["deleted"] = purge_rows(job.user_id, Scope(job.payload["scope"]), before)
        for session_id in shared:
            indexing.rebuild_terms(session_id)


def _around(user_id: UUID, session_id: UUID, wanted: list[UUID]) -> list[ConversationEvent]:
    """The messages and their neighbours, without what anybody said before a withdrawal, undone since or not."""
    seqs = ConversationEvent.objects.filter(pk__in=wanted).values_list("seq", flat=True)
    around = indexing.surroundings(session_id, min(seqs), max(seqs)) if seqs else []
    since = held_since(user_id, Scope.MEMORY_LEARNING)
    allowed = [event for event in around if event.user_id != user_id or event.consent_version >= since]
    return indexing.lending(allowed, wanted)


def _own(user_id: UUID, documents: Sequence[Document]) -> list[Document]:
    """The documents as their person may store them: outside a group they have left since."""
    groups = {document.group_id for document in documents}
    left = {group for group in groups if not is_member(user_id, group)}
    return [replace(document, group_id=None) if document.group_id in left else document for document in documents]


def _since(around: Sequence[ConversationEvent], wanted: Sequence[UUID]) -> int:
    return min((event.consent_version for event in around if event.pk in set(wanted)), default=0)


def _learn(permit: Permit, around: list[ConversationEvent], wanted: list[UUID]) -> list[ItemChange]:
    by_seq = {event.seq: event for event in around}
    spoken = [event for event in around if event.pk in set(wanted) and event.role == ConversationEvent.Role.USER]
    return [change for event in spoken for change in learn(permit, event, by_seq.get(event.seq - 1))]
