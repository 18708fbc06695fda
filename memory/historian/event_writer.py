"""The outbox handler of ``end``: writes a job's events, with their search entries, in one transaction."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final
from zoneinfo import ZoneInfo

import structlog
from django.utils import timezone

from consent.services import learning_permit
from foundation.accounts.groups import is_member
from foundation.accounts.services import tenant_id_of
from foundation.alerts import alert_key, raise_alert
from foundation.llm import configured_model
from foundation.outbox import services as outbox
from foundation.outbox.jobs import Job
from foundation.telemetry.memory_operations import report_written
from foundation.telemetry.metrics import DEGRADED, EVENTS_WRITTEN, EVOLUTION_BLOCKED, REWRITES
from memory.historian.end_events import EndContent, WrittenParts, write_parts
from memory.historian.end_messages import messages_of_end
from memory.historian.event_parts import EventPart
from memory.historian.rewriter import OFFLINE, UNAVAILABLE
from memory.historian.services import ASSISTANT_NAME
from memory.indexing import services as indexing
from memory.indexing.documents import SearchDocument, event_document
from memory.indexing.embedding import index
from memory.indexing.event_terms import preceding_event_text
from memory.indexing.services import Vector, Vectors
from memory.models import CognitiveEvent, CognitiveJob
from memory.portraits.sentence_classifier import tells_of_health
from memory.portraits.tasks import queue_events
from memory.rewriting.types import Draft, EventClock

ALERT_KIND: Final = "historian"
_MODEL_ID_CHARS: Final = 80
log = structlog.get_logger(__name__)


class EndChanged(Exception):
    """Part of an ``end`` call was erased while its events were written; the next attempt reads what is left."""


def write_events(job: Job) -> None:
    """Write the events of a job, searchable at once: one for each thing told, each with a row for every perspective."""
    with job.acting():
        row = CognitiveJob.objects.filter(pk=job.payload["job"]).first()
        allowed = row is not None and learning_permit(job.user_id, row.consent_version) is not None
        ended = end_content_of(row) if row is not None and allowed else None
    if row is None or ended is None:
        _drop_withdrawn(job)
        return
    model = configured_model(tenant_id_of(job.user_id))
    written = write_parts(ended, model, before_asking=lambda: outbox.require_lease(job.message))
    vectors, model_id = indexing.embed([part.rewritten.canonical_text for part in written.parts])
    with job.completing():
        permit = learning_permit(job.user_id, row.consent_version)
        if permit is None:
            row.delete()
            return
        current = CognitiveJob.objects.filter(pk=row.pk).first()
        if current is None or end_content_of(current) != ended:  # erased, or some of it, while the historian wrote
            EVOLUTION_BLOCKED.inc()
            if current is not None:
                raise EndChanged()
            return
        events = store_parts(row, written.parts, vectors, model_id, _rewriting_of(row, written))
        queue_events(events)
        _report_events(row, written)
        job.result |= _job_result(row, written)
    report_written("event", permit.consent_id, count=len(events))


def _drop_withdrawn(job: Job) -> None:
    """Delete a job whose user withdrew consent to learning before it ran."""
    with job.completing():
        CognitiveJob.objects.filter(pk=job.payload["job"]).delete()


def end_content_of(row: CognitiveJob) -> EndContent:
    """The content of an ``end`` call: its two fields, and its messages as far as they may be learned from. Call acting
    for the user.
    """
    draft = Draft(row.action_summary, row.new_info, sender_name=row.sender_name, assistant_name=ASSISTANT_NAME)
    clock = EventClock(row.occurred_at, row.time_zone, row.location or None)
    return EndContent(draft, clock, tuple(messages_of_end(row)))


def _rewriting_of(row: CognitiveJob, written: WrittenParts) -> CognitiveEvent.Rewriting:
    """Whether the events wait to be written anew from their messages: the rules stood in for a model that is down."""
    rewriting = CognitiveEvent.Rewriting
    return rewriting.WAITS if row.message_ids and written.degraded == UNAVAILABLE else rewriting.NONE


def store_parts(
    row: CognitiveJob,
    parts: Sequence[EventPart],
    vectors: Vectors,
    model_id: str,
    rewriting: CognitiveEvent.Rewriting = CognitiveEvent.Rewriting.NONE,
) -> list[CognitiveEvent]:
    """Store the events of an ``end`` call with their search entries. Call in the transaction that checked consent.

    A part that was stored before is overwritten, so that a repeated job adds nothing.
    """
    events: list[CognitiveEvent] = []
    documents: list[tuple[SearchDocument, Vector]] = []
    for number, (part, vector) in enumerate(zip(parts, vectors, strict=True)):
        of_part = _store_perspectives(row, number, part, rewriting)
        events += of_part
        documents += [(event_document(event, preceding_event_text(event)), vector) for event in of_part]
    index([document for document, _ in documents], [vector for _, vector in documents], model_id)
    return events


def _store_perspectives(
    row: CognitiveJob, number: int, part: EventPart, rewriting: CognitiveEvent.Rewriting
) -> list[CognitiveEvent]:
    """Store an event for the sender, and for the group while the sender is a member.

    An event about the sender's health is stored for the sender alone: sharing it needs their confirmation, and a
    background job cannot ask for it.
    """
    said = f"{part.rewritten.did_what}\n{part.rewritten.new_info}"
    is_private = tells_of_health(said, row.sender_name)
    group_id = row.group_id if is_member(row.user_id, row.group_id) and not is_private else None
    perspectives = [CognitiveEvent.Perspective.SENDER]
    if group_id is not None:
        perspectives.append(CognitiveEvent.Perspective.GROUP)
    fields = _event_fields(row, part) | {"group_id": group_id, "rewriting": rewriting}
    return [_store_perspective(row, number, perspective, fields) for perspective in perspectives]


def _store_perspective(
    row: CognitiveJob, number: int, perspective: CognitiveEvent.Perspective, fields: dict[str, Any]
) -> CognitiveEvent:
    event, _ = CognitiveEvent.objects.update_or_create(
        user_id=row.user_id, event_id=row.event_id, perspective=perspective, part=number, defaults=fields
    )
    return event


def _event_fields(row: CognitiveJob, part: EventPart) -> dict[str, Any]:
    request_type = CognitiveEvent.RequestType.PRIVATE if row.group_id is None else CognitiveEvent.RequestType.GROUP
    start, end = part.speaks_of or (None, None)
    return {
        "session_id": row.session_id,
        "request_id": row.request_id,
        "end_seq": row.end_seq,
        "canonical_text": part.rewritten.canonical_text,
        "did_what": part.rewritten.did_what,
        "new_info": part.rewritten.new_info,
        "timestamp_utc": part.said_at,
        "timestamp_local": _local(part.said_at, row.time_zone),
        "timezone": row.time_zone,
        "speaks_of_start": start,
        "speaks_of_end": end,
        "location_abs": row.location,
        "request_type": request_type,
        "sender_id": row.user_id,
        "message_ids": list(dict.fromkeys(source.message_id for source in part.sources)) or row.message_ids,
        "sources": [source.as_json() for source in part.sources],
        "has_new_info": bool(part.rewritten.new_info),
        "unresolved": sorted(part.rewritten.unresolved),
        "rewritten_by": part.by[:_MODEL_ID_CHARS],
        "consent_version": row.consent_version,
    }


def _local(moment: datetime, zone: str) -> str:
    return moment.astimezone(ZoneInfo(zone)).isoformat(timespec="seconds")


def _report_events(row: CognitiveJob, written: WrittenParts) -> None:
    """Count the events; where one is degraded log it, and alert the operators once an hour for each reason."""
    for part in written.parts:
        outcome = "degraded" if written.degraded else "unresolved" if part.rewritten.unresolved else "absolute"
        EVENTS_WRITTEN.labels(outcome=outcome).inc()
    REWRITES.inc(written.rewrites)
    if written.degraded:
        DEGRADED.labels(reason=written.degraded).inc()
        log.warning("event_degraded", job=str(row.pk), reason=written.degraded, rewrites=written.rewrites)
        key = alert_key("hour", timezone.now(), ALERT_KIND, written.degraded)
        raise_alert(ALERT_KIND, "warn", key, reason=written.degraded, job=str(row.pk))


def _job_result(row: CognitiveJob, written: WrittenParts) -> dict[str, Any]:
    results = [{"event": "ADD"}] if written.parts else []  # without the event's id, which holds text of the caller's
    by = ", ".join(sorted({part.by for part in written.parts})) or OFFLINE
    result: dict[str, Any] = {"results": results, "rewritten_by": by}
    if len(written.parts) != 1:
        result["parts"] = len(written.parts)
    if written.rewrites:
        result["rewrites"] = written.rewrites
    return result | ({"degraded": [written.degraded]} if written.degraded else {})
