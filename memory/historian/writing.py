"""The historian at work: one job becomes events, found by search in the same moment (seed D §3)."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final
from zoneinfo import ZoneInfo

import structlog
from django.utils import timezone

from consent.services import held_since, learning_permit
from foundation.accounts.services import is_member
from foundation.alerts import once_a, raise_alert
from foundation.llm import configured_model
from foundation.outbox import services as outbox
from foundation.outbox.jobs import Job
from foundation.personal_data import Scope
from foundation.telemetry.memory_operations import wrote
from foundation.telemetry.metrics import DEGRADED, EVENTS_WRITTEN, EVOLUTION_BLOCKED, REWRITES
from foundation.text import split_sentences
from memory.historian.asking import MOST_MESSAGES, Told
from memory.historian.rewriting import Written, write
from memory.historian.services import ASSISTANT_NAME
from memory.historian.types import Draft, EventClock
from memory.indexing import services as indexing
from memory.indexing.embedding import index
from memory.indexing.events import said_before
from memory.indexing.unconfirmed import unconfirmed_among, without_health
from memory.models import CognitiveEvent, CognitiveJob, ConversationEvent
from memory.profiles.reading import tells_of_health
from memory.profiles.tasks import learn_later

ALERT_KIND: Final = "historian"
_MODEL_ID_CHARS: Final = 80
log = structlog.get_logger(__name__)


def write_events(job: Job) -> None:
    """Make absolute sentences of the job and store one event a perspective, searchable at once."""
    with job.acting():
        row = CognitiveJob.objects.filter(pk=job.payload["job"]).first()
        allowed = row is not None and learning_permit(job.user_id, row.consent_version) is not None
        told = _told(row) if row is not None and allowed else None
    if row is None or told is None:
        _drop(job)
        return
    # An answer may take as long as the job's lease.
    written = write(told, configured_model(), before_asking=lambda: outbox.renew(job.message))
    vectors, model_id = indexing.embed([written.rewritten.canonical_text])
    with job.completing():
        permit = learning_permit(job.user_id, row.consent_version)
        if permit is None:
            row.delete()
            return
        if not CognitiveJob.objects.filter(pk=row.pk).exists():  # erased while the historian wrote
            EVOLUTION_BLOCKED.inc()
            return
        events = _store(row, written)
        documents = [indexing.event_document(event, said_before(event)) for event in events]
        index(documents, list(vectors) * len(events), model_id)
        learn_later(events)
        _tell(row, written)
        job.result |= _result(row, written)
    wrote("event", permit.consent_id, count=len(events))


def _drop(job: Job) -> None:
    """What was withdrawn before the historian came to it is nobody's event."""
    with job.completing():
        CognitiveJob.objects.filter(pk=job.payload["job"]).delete()


def _told(row: CognitiveJob) -> Told:
    draft = Draft(row.action_summary, row.new_info, sender_name=row.sender_name, assistant_name=ASSISTANT_NAME)
    clock = EventClock(row.occurred_at, row.time_zone, row.location or None)
    return Told(draft, clock, tuple(_messages(row)))


def _messages(row: CognitiveJob) -> list[str]:
    """The person's own words among the messages the end names, as far as they may be learned from.

    What they say of their health and have not confirmed goes to no model: it would tell it in the event.
    """
    if not row.message_ids:
        return []
    named = ConversationEvent.objects.filter(
        pk__in=row.message_ids,
        user_id=row.user_id,
        role=ConversationEvent.Role.USER,
        learnable=True,
        redacted_at=None,
        consent_version__gte=held_since(row.user_id, Scope.MEMORY_LEARNING),
    )
    messages = list(named.order_by("seq")[:MOST_MESSAGES])
    private = unconfirmed_among(row.user_id, messages)
    texts = (_public(message.text) if message.pk in private else message.text for message in messages)
    return [text for text in texts if text]


def _public(text: str) -> str:
    return " ".join(without_health(split_sentences(text)))


def _store(row: CognitiveJob, written: Written) -> list[CognitiveEvent]:
    """One event a perspective: the sender's own, and the group's while they are of it.

    What it says of the sender's health is theirs alone: in a chat that waits for their word, and here nobody asks.
    """
    said = f"{written.rewritten.did_what}\n{written.rewritten.new_info}"
    is_private = tells_of_health(said, row.sender_name)
    group_id = row.group_id if is_member(row.user_id, row.group_id) and not is_private else None
    perspectives = [CognitiveEvent.Perspective.SENDER]
    if group_id is not None:
        perspectives.append(CognitiveEvent.Perspective.GROUP)
    fields = _event_fields(row, written) | {"group_id": group_id}
    return [_store_one(row, perspective, fields) for perspective in perspectives]


def _store_one(row: CognitiveJob, perspective: CognitiveEvent.Perspective, fields: dict[str, Any]) -> CognitiveEvent:
    event, _ = CognitiveEvent.objects.update_or_create(
        user_id=row.user_id, event_id=row.event_id, perspective=perspective, defaults=fields
    )
    return event


def _event_fields(row: CognitiveJob, written: Written) -> dict[str, Any]:
    request_type = CognitiveEvent.RequestType.PRIVATE if row.group_id is None else CognitiveEvent.RequestType.GROUP
    return {
        "session_id": row.session_id,
        "request_id": row.request_id,
        "end_seq": row.end_seq,
        "canonical_text": written.rewritten.canonical_text,
        "did_what": written.rewritten.did_what,
        "new_info": written.rewritten.new_info,
        "timestamp_utc": row.occurred_at,
        "timestamp_local": _local(row.occurred_at, row.time_zone),
        "timezone": row.time_zone,
        "location_abs": row.location,
        "request_type": request_type,
        "sender_id": row.user_id,
        "message_ids": row.message_ids,
        "has_new_info": bool(row.new_info),
        "unresolved": sorted(written.rewritten.unresolved),
        "rewritten_by": written.by[:_MODEL_ID_CHARS],
        "consent_version": row.consent_version,
    }


def _local(moment: datetime, zone: str) -> str:
    return moment.astimezone(ZoneInfo(zone)).isoformat(timespec="seconds")


def _tell(row: CognitiveJob, written: Written) -> None:
    """Count the event; where it is degraded log it, and alert the operators once an hour for each reason."""
    outcome = "degraded" if written.degraded else "unresolved" if written.rewritten.unresolved else "absolute"
    EVENTS_WRITTEN.labels(outcome=outcome).inc()
    REWRITES.inc(written.rewrites)
    if written.degraded:
        DEGRADED.labels(reason=written.degraded).inc()
        log.warning("event_degraded", job=str(row.pk), reason=written.degraded, rewrites=written.rewrites)
        key = once_a("hour", timezone.now(), ALERT_KIND, written.degraded)
        raise_alert(ALERT_KIND, "warn", key, reason=written.degraded, job=str(row.pk))


def _result(row: CognitiveJob, written: Written) -> dict[str, Any]:
    result: dict[str, Any] = {"results": [{"event_id": row.event_id, "event": "ADD"}], "rewritten_by": written.by}
    if written.rewrites:
        result["rewrites"] = written.rewrites
    return result | ({"degraded": [written.degraded]} if written.degraded else {})
