"""The worker's jobs for memory: load, call models outside any transaction, write with the completion."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

from django.conf import settings

from consent.purge import purge_rows
from consent.services import learning_permit
from foundation.accounts.services import tenant_id_of
from foundation.deadlines import DeadlineExceeded, cpu_deadline
from foundation.llm import configured_model, is_model_configured
from foundation.outbox import services as outbox
from foundation.outbox.jobs import Job
from foundation.outbox.models import Priority
from foundation.personal_data import ConsentScope
from foundation.telemetry.metrics import EVOLUTION_BLOCKED
from foundation.webhooks.models import WebhookEvent
from foundation.webhooks.services import publish_all
from memory.erasure.object_names import ObjectNameCleaning
from memory.erasure.research import ResearchCleaning, is_learned_source
from memory.erasure.session_traces import forget_summaries
from memory.evolution.health_statements import states_health
from memory.governance import feedback
from memory.historian.automatic_ends import end_later
from memory.indexing import neighbour_terms, visibility
from memory.indexing import services as indexing
from memory.indexing.documents import turn_documents
from memory.indexing.embedding import index
from memory.indexing.services import Vector
from memory.indexing.unconfirmed_health import find_unconfirmed_health
from memory.indexing.withheld_messages import withhold_messages
from memory.learning import model_amendment
from memory.learning import services as learning
from memory.learning.extraction import candidate_sentences, read_messages, with_sentence_vectors
from memory.learning.model_amendment import Amendment, Spoken
from memory.learning.preceding_messages import utterance_of
from memory.learning.services import LearningResult, job_result, learn, queue
from memory.models import ConversationEvent, MemoryItem, SearchEntry

_MOST_DEADLINES: Final = 10
"""The most deadlines a job gets, however many messages an import hands over."""


def observe(job: Job) -> None:
    """Index messages, and learn what the user's own words say of them.

    Where several together take too long, each is queued by itself: only the one to blame ends as failed.
    """
    messages = job.payload["messages"]
    try:
        with cpu_deadline(settings.LEARNING_DEADLINE_SECONDS * min(len(messages), _MOST_DEADLINES)):
            _observe(job)
    except DeadlineExceeded:
        if len(messages) == 1:
            raise
        with job.completing():
            for message in messages:
                queue(job.user_id, job.payload["session"], [message], Priority(job.message.priority))


def _observe(job: Job) -> None:
    session_id = UUID(job.payload["session"])
    wanted = [UUID(value) for value in job.payload["messages"]]
    with job.acting():
        around = neighbour_terms.messages_with_neighbours(job.user_id, session_id, wanted)
        texts = {document.id: document.text for document in turn_documents(around, wanted)}
        said = [utterance_of(event, previous) for event, previous in _own_messages(around, wanted)]
    readings = read_messages(said)
    embedded, model_id = indexing.embed([*texts.values(), *candidate_sentences(readings)])
    vectors = dict(zip(texts, embedded, strict=False))
    found = with_sentence_vectors(readings, embedded[len(texts) :], model_id)
    with job.completing():
        permit = learning_permit(job.user_id)
        if permit is None:
            return
        around = _lock_messages(job.user_id, session_id, wanted)
        _index_messages(job.user_id, around, wanted, texts, vectors, model_id)
        spoken = _own_messages(around, wanted)
        for message, before in spoken[:1]:  # one turn is one job: what stands before its first message is answered
            feedback.close_answered(permit, message, before)
        learned = [learn(permit, event, previous, found) for event, previous in spoken]
        unconfirmed = find_unconfirmed_health(job.user_id, [event for event, _ in spoken])
        withhold_messages(job.user_id, unconfirmed)
        if job.message.priority != Priority.LOW:  # small talk, questions, and what was said long ago
            told = [event for (event, _), result in zip(spoken, learned, strict=True) if result.changes]
            end_later(job.user_id, session_id, [event for event in told if event.pk not in unconfirmed])
        if spoken and is_model_configured():
            messages = [str(event.pk) for event, _ in spoken]
            model_amendment.queue_messages(job.user_id, session_id, messages, Priority(job.message.priority))
        job.result |= job_result(learned, (reason for reading in readings.values() for reason in reading.degraded))


def _lock_messages(user_id: UUID, session_id: UUID, wanted: Collection[UUID]) -> list[ConversationEvent]:
    """The messages and their neighbours as they are now, their conversation locked: words may have been taken back."""
    indexing.lock_conversation(session_id)
    return neighbour_terms.messages_with_neighbours(user_id, session_id, wanted)


def _index_messages(
    user_id: UUID,
    around: Sequence[ConversationEvent],
    wanted: Collection[UUID],
    texts: Mapping[UUID, str],
    vectors: Mapping[UUID, Vector],
    model_id: str,
) -> None:
    """Make messages searchable; one that has lost a sentence since its text was embedded is queued again."""
    if not set(vectors) <= {event.pk for event in around}:
        EVOLUTION_BLOCKED.inc()
    documents = neighbour_terms.storable_documents(user_id, turn_documents(around, vectors))
    known = [vectors[document.id] if document.text == texts[document.id] else None for document in documents]
    index(documents, known, model_id)
    indexing.refresh_neighbours(around, wanted)


def amend(job: Job) -> None:
    """Let the small model read messages in their context, and amend what the rules learned from them."""
    session_id = UUID(job.payload["session"])
    wanted = [UUID(value) for value in job.payload["messages"]]
    with job.acting():
        permit = learning_permit(job.user_id)  # nothing goes to a model once the consent is gone
        around = neighbour_terms.messages_with_neighbours(job.user_id, session_id, wanted) if permit else []
        amendments = model_amendment.gather_passages(permit, _own_messages(around, wanted)) if permit else []
    read = [_still_applies(job, amendment, place) for place, amendment in enumerate(amendments)]
    if not any(map(_changes_something, read)):  # most messages teach nothing beside what the rules found
        with job.completing():
            job.result |= job_result((), ())
        return
    found = model_amendment.candidates_by_message(read)
    with job.completing():
        permit = learning_permit(job.user_id)
        if permit is None:
            return
        around = _lock_messages(job.user_id, session_id, wanted)
        past = visibility.past_messages(job.user_id, wanted)  # settled meanwhile, by later words or by the user
        spoken = [
            message for message in _unchanged_messages(_own_messages(around, wanted), read) if message[0].pk not in past
        ]
        learned = [learning.amend(permit, event, before, found.get(event.pk, ())) for event, before in spoken]
        refused = tuple(reason for amendment in read for reason in amendment.answer.refused)
        withhold_messages(job.user_id, find_unconfirmed_health(job.user_id, [event for event, _ in spoken]))
        job.result |= job_result(
            [*learned, LearningResult(refused=refused)], (why for amendment in read for why in amendment.degraded)
        )


def _changes_something(amendment: Amendment) -> bool:
    """Whether an answer is to be learned from or noted, or its messages perhaps withheld."""
    answer = amendment.answer
    said = (event.text for event, _ in amendment.spoken)
    return bool(answer.found or answer.refused or amendment.degraded) or any(map(states_health, said))


def _still_applies(job: Job, amendment: Amendment, place: int) -> Amendment:
    if place:  # the first is asked about as soon as the job is claimed
        outbox.require_lease(job.message)
    model = configured_model(tenant_id_of(job.user_id))
    return amendment if model.is_offline else model_amendment.ask_model(amendment, model)


def _unchanged_messages(spoken: Sequence[Spoken], read: Sequence[Amendment]) -> list[Spoken]:
    """The messages whose text is still what the model read."""
    said = {event.pk: utterance_of(event, before) for earlier in read for event, before in earlier.spoken}
    return [(event, before) for event, before in spoken if said.get(event.pk) == utterance_of(event, before)]


def delete_withdrawn(job: Job) -> None:
    """Delete what a withdrawn scope had let in, with its words in neighbouring entries, summaries and research.

    Call while the job is completing.
    """
    turns = SearchEntry.objects.filter(user_id=job.user_id, kind=SearchEntry.Kind.TURN, group__isnull=False)
    shared = {session for session in turns.values_list("session_id", flat=True) if session}
    before = datetime.fromisoformat(job.payload["before"])
    if job.payload["scope"] == ConsentScope.MEMORY_LEARNING:
        publish_all(job.user_id, WebhookEvent.MEMORY_FORGOTTEN, _learned_until(job.user_id, before))
    deleted = purge_rows(job.user_id, ConsentScope(job.payload["scope"]), before)
    rebuilt = indexing.rebuild_shared_terms(shared) if deleted.get(SearchEntry._meta.label) else 0
    if job.payload["scope"] == ConsentScope.MEMORY_LEARNING:
        forget_summaries(_spoken_in(job.user_id, before))
        research = ResearchCleaning(job.user_id, before, is_learned_source)
        research.clean()
        ObjectNameCleaning(research).clean()
    job.result |= {"deleted": deleted, "rebuilt": rebuilt}


def _learned_until(user_id: UUID, before: datetime) -> list[UUID]:
    """The memories that a withdrawal deletes; what an erasure has hidden, that told of."""
    items = MemoryItem.objects.filter(user_id=user_id, created_at__lte=before)
    return list(items.values_list("pk", flat=True))


def _spoken_in(user_id: UUID, before: datetime) -> set[UUID]:
    """The conversations in which the user said something that could be learned from, up to ``before``."""
    said = ConversationEvent.objects.filter(user_id=user_id, learnable=True, created_at__lte=before)
    return set(said.values_list("session_id", flat=True).distinct())


def _own_messages(
    around: Sequence[ConversationEvent], wanted: Collection[UUID]
) -> list[tuple[ConversationEvent, ConversationEvent | None]]:
    """The user's own messages among ``wanted``, each with the message before it."""
    by_seq = {event.seq: event for event in around}
    spoken = [event for event in around if event.pk in set(wanted) and event.role == ConversationEvent.Role.USER]
    return [(event, by_seq.get(event.seq - 1)) for event in spoken]
