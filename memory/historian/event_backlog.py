"""The background job that writes old events anew from their messages.

It replaces an event that holds the transcript of a whole chat by one event for each thing told, and events that the
rules wrote while the model was down by events of the model. It works in batches for each user, the latest first; until
then the old events stay readable and searchable. An event whose messages all still exist is replaced by its parts in
one transaction. Any other is marked and stays as it was: one that the user corrected, one that a program reported in
its own words, or one of whose messages one was erased or withdrawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

import structlog
from django.conf import settings
from django.db.models import Count, QuerySet

from consent.services import learning_permit, scope_held_since
from foundation.accounts.models import User
from foundation.accounts.services import tenant_id_of
from foundation.database.acting_user import in_role
from foundation.database.roles import OPERATOR_ROLE
from foundation.llm import ModelUnavailable, configured_model
from foundation.outbox import services as outbox
from foundation.outbox.jobs import Job
from foundation.personal_data import ConsentScope
from memory.historian.end_events import EndContent, write_parts
from memory.historian.event_parts import EventPart
from memory.historian.event_writer import end_content_of, store_parts
from memory.historian.events import PERSON
from memory.historian.rewriter import UNAVAILABLE
from memory.indexing import services as indexing
from memory.indexing.backlog import Backlog
from memory.indexing.event_terms import rebuild_event_terms
from memory.models import CognitiveEvent, CognitiveJob, ConversationEvent, SearchEntry
from memory.portraits.tasks import queue_events

REMAKE_EVENTS_TOPIC = "memory.remake_events"
BATCH: Final = 10
"""Events that one job writes anew."""
LISTED: Final = 20 * BATCH
MOST_PEOPLE: Final = 500
"""Users whose events one run of the schedule begins to rewrite: the queue must keep room for new messages."""
_OF_A_CHAT: Final = ("chat-", "archive-")
"""How the ids of those requests begin whose two fields the historian itself wrote from the messages."""
Rewriting = CognitiveEvent.Rewriting
log = structlog.get_logger(__name__)


def waiting_events() -> QuerySet[CognitiveEvent]:
    """The events that wait to be rewritten, of all users visible to the role; of each the sender's perspective."""
    return CognitiveEvent.objects.filter(rewriting=Rewriting.WAITS, perspective=CognitiveEvent.Perspective.SENDER)


@dataclass(frozen=True)
class EventRewritingProgress:
    """Events still ``waiting``, events ``kept`` as they were, and ``jobs`` that wait or run."""

    waiting: int
    kept: int
    jobs: int


def rewriting_progress() -> EventRewritingProgress:
    """The progress of rewriting over all users."""
    of_sender = CognitiveEvent.Perspective.SENDER
    with in_role(OPERATOR_ROLE):
        rows = CognitiveEvent.objects.filter(perspective=of_sender).exclude(rewriting=Rewriting.NONE)
        counted = dict(rows.order_by().values_list("rewriting").annotate(Count("pk")))
    return EventRewritingProgress(
        counted.get(Rewriting.WAITS, 0), counted.get(Rewriting.KEPT, 0), BACKLOG.unfinished_count()
    )


def queue_due_events() -> int:
    """Queue a job for users whose events wait; returns for how many. For the schedule."""
    return BACKLOG.queue_due()


def rewrite_listed_events(job: Job) -> None:
    """Rewrite the first ``BATCH`` of the listed events, and queue the rest, or the next that wait.

    Where a batch takes too long, each event is rewritten by itself; one that takes too long even so stays as it was.
    """
    BACKLOG.work_on(
        job,
        BATCH,
        _rewrite_batch,
        lambda keys: _keep_events(CognitiveEvent.objects.filter(pk__in=keys, user_id=job.user_id)),
    )


@dataclass(frozen=True)
class _RewrittenEvent:
    """An event as it was read, its ``end`` call, and the new parts with their vectors."""

    event: CognitiveEvent
    row: CognitiveJob
    ended: EndContent
    parts: tuple[EventPart, ...]
    vectors: indexing.Vectors
    model_id: str


def _rewrite_batch(job: Job, batch: Sequence[UUID], others: Sequence[UUID]) -> None:
    with job.acting():
        told = _rewritable_events(job.user_id, batch)
    remade = [_rewrite_event(job, *rewritable) for rewritable in told]
    with job.completing():
        if learning_permit(job.user_id) is None:
            return
        parts = sum(_replace_event(job.user_id, event) for event in remade)
        _keep_events(waiting_events().filter(pk__in=batch, user_id=job.user_id))
        job.result |= {"parts": parts}
        BACKLOG.queue_next(job, others)


def _rewritable_events(user_id: UUID, keys: Sequence[UUID]) -> list[tuple[CognitiveEvent, CognitiveJob, EndContent]]:
    """The events that can be rewritten, each with its ``end`` call as of today. Call acting for the user."""
    if learning_permit(user_id) is None:
        return []
    name = User.objects.get(pk=user_id).name
    found = {}
    for event in waiting_events().filter(pk__in=keys, user_id=user_id):
        row = _row_of(event, name)
        if event.event_id not in found and row is not None and _has_its_messages(event):
            found[event.event_id] = (event, row, end_content_of(row))  # its other parts are replaced with it
    return list(found.values())


def _row_of(event: CognitiveEvent, name: str) -> CognitiveJob | None:
    """The ``end`` call of an event, its fields emptied if they were made from its messages; None if it is unknown."""
    if event.rewritten_by == PERSON or not event.message_ids:
        return None
    row = CognitiveJob.objects.filter(user_id=event.user_id, request_id=event.request_id, end_seq=event.end_seq).first()
    if event.request_id.startswith(_OF_A_CHAT):
        row = row or CognitiveJob(**_end_fields(event), sender_name=name)
        row.action_summary = row.new_info = ""
    return row


def _end_fields(event: CognitiveEvent) -> dict[str, object]:
    names = ("user_id", "session_id", "group_id", "request_id", "end_seq", "message_ids", "consent_version")
    return {
        **{field: getattr(event, field) for field in names},
        "occurred_at": event.timestamp_utc,
        "time_zone": event.timezone,
        "location": event.location_abs,
    }


def _has_its_messages(event: CognitiveEvent) -> bool:
    """Whether the words of every message that the event names may still be learned from."""
    there = ConversationEvent.objects.filter(
        pk__in=event.message_ids,
        user_id=event.user_id,
        learnable=True,
        redacted_at=None,
        consent_version__gte=scope_held_since(event.user_id, ConsentScope.MEMORY_LEARNING),
    )
    return there.count() == len(set(event.message_ids))


def _rewrite_event(job: Job, event: CognitiveEvent, row: CognitiveJob, ended: EndContent) -> _RewrittenEvent:
    written = write_parts(
        ended, configured_model(tenant_id_of(job.user_id)), before_asking=lambda: outbox.require_lease(job.message)
    )
    if written.degraded == UNAVAILABLE:
        raise ModelUnavailable()  # the rules have written it already: the job waits until the model is back
    vectors, model_id = indexing.embed([part.rewritten.canonical_text for part in written.parts])
    return _RewrittenEvent(event, row, ended, written.parts, vectors, model_id)


def _replace_event(user_id: UUID, remade: _RewrittenEvent) -> int:
    """Replace an event by its parts, unless it or its messages changed meanwhile; returns how many there are.

    A message that lost a sentence is still there: what it says is compared with what was read.
    """
    event = waiting_events().filter(pk=remade.event.pk, canonical_text=remade.event.canonical_text).first()
    row = _row_of(event, remade.row.sender_name) if event is not None and _has_its_messages(event) else None
    if event is None or row is None or end_content_of(row) != remade.ended:
        return 0
    events = store_parts(row, remade.parts, remade.vectors, remade.model_id)
    left = CognitiveEvent.objects.filter(user_id=user_id, event_id=event.event_id, rewriting=Rewriting.WAITS)
    gone = set(left.values_list("pk", flat=True))  # old rows that no new part, or none for the group, has replaced
    SearchEntry.objects.filter(pk__in=gone).delete()
    left.delete()
    rebuild_event_terms(user_id, {event.session_id})
    queue_events(events, anew=True)
    return len(remade.parts)


def _keep_events(events: QuerySet[CognitiveEvent]) -> None:
    """Mark events as kept, in every perspective."""
    for user_id, event_id in list(events.values_list("user_id", "event_id")):
        CognitiveEvent.objects.filter(user_id=user_id, event_id=event_id).update(rewriting=Rewriting.KEPT)


def _list_waiting(user_id: UUID) -> list[UUID]:
    return list(waiting_events().filter(user_id=user_id).order_by("-pk").values_list("pk", flat=True)[:LISTED])


BACKLOG: Final = Backlog(
    REMAKE_EVENTS_TOPIC, "events", waiting_events, _list_waiting, MOST_PEOPLE,
    is_on=lambda: bool(settings.COGNITIVE_ENABLED),
)  # fmt: skip
