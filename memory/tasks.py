"""What the worker runs for memory: load, think outside any transaction, write with the completion."""

from __future__ import annotations

from uuid import UUID

from consent.permit import Permit
from consent.services import held_since, permit_for
from foundation.accounts.models import User
from foundation.outbox.jobs import Job
from foundation.personal_data import Scope
from memory.evolution.services import learn, result_of
from memory.indexing import services as indexing
from memory.indexing.embedding import embed_later
from memory.models import ConversationEvent
from memory.types import ItemChange


def observe(job: Job) -> None:
    """Index the messages, and learn what the person's own words say of them."""
    wanted = [UUID(value) for value in job.payload["messages"]]
    with job.acting():
        around = _around(job.user_id, UUID(job.payload["session"]), wanted)
    documents = indexing.turn_documents(around, wanted)
    vectors, model_id = indexing.embed([document.text for document in documents])
    with job.completing():
        permit = _permit(job)
        if not permit.allows(Scope.MEMORY_LEARNING):
            return
        indexing.store(documents, vectors, model_id)
        embed_later([document for document, vector in zip(documents, vectors, strict=True) if vector is None])
        indexing.refresh_neighbours(around, wanted)
        job.result["results"] = result_of(_learn(permit, around, wanted))


def _around(user_id: UUID, session_id: UUID, wanted: list[UUID]) -> list[ConversationEvent]:
    """The messages and their neighbours, without what the person said before a withdrawal they have since undone."""
    seqs = ConversationEvent.objects.filter(pk__in=wanted).values_list("seq", flat=True)
    around = indexing.surroundings(session_id, min(seqs), max(seqs)) if seqs else []
    since = held_since(user_id, Scope.MEMORY_LEARNING)
    return [event for event in around if event.user_id != user_id or event.consent_version >= since]


def _learn(permit: Permit, around: list[ConversationEvent], wanted: list[UUID]) -> list[ItemChange]:
    by_seq = {event.seq: event for event in around}
    spoken = [event for event in around if event.pk in set(wanted) and event.role == ConversationEvent.Role.USER]
    return [change for event in spoken for change in learn(permit, event, by_seq.get(event.seq - 1))]


def _permit(job: Job) -> Permit:
    return permit_for(User.objects.get(pk=job.user_id))
