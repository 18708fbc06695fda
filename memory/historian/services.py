"""The ``end`` call: hands a turn, or named messages, to the historian."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from uuid import UUID, uuid5

from django.conf import settings
from django.db import connection
from django.utils import timezone
from django.utils.translation import gettext as _

from consent.permit import Permit
from consent.sensitive.services import screen_text
from consent.services import renewed_permit
from foundation.accounts.models import User
from foundation.exceptions import NotFound
from foundation.outbox import services as outbox
from foundation.outbox.models import Priority
from foundation.personal_data import ConsentScope
from memory.exceptions import ReplyPending
from memory.models import CognitiveJob, Session
from memory.services.turn_leases import is_replying
from memory.types import EndInput, EndReceipt

END_TOPIC = "memory.end"
ASSISTANT_NAME = "FinClaw"


def end(
    permit: Permit, user: User, session: Session, request: EndInput, priority: Priority = Priority.NORMAL
) -> EndReceipt:
    """End a turn, or what was said in the messages named; the historian does the rest.

    One job row and one outbox row, in the caller's transaction.

    Never fails for want of consent. Calling it again with the same ``request_id`` and ``end_seq`` answers the
    same event and queues nothing new, even if the event was erased since. Raises ``ReplyPending`` while a reply is
    being made, unless forced, ``NotFound`` for messages of another conversation, and ``SensitiveInput``.
    """
    permit = renewed_permit(permit)
    is_held = not request.force and is_replying(session)
    if is_held and not CognitiveJob.objects.filter(pk=_job_id(permit, request)).exists():
        raise ReplyPending()
    _require_own_messages(session, request)
    request = _screened(user, request)
    reason = _why_not(permit, session, request)
    if reason is not None:
        return EndReceipt(event_id=None, queued=False, reason=reason)
    job = CognitiveJob(
        id=_job_id(permit, request),
        user_id=permit.user_id,
        request_id=request.request_id,
        end_seq=request.end_seq,
        **_fields(permit, user, session, request),
    )
    # Both rows have the same key, so that a repeated end writes neither again.
    queued = outbox.enqueue(
        END_TOPIC,
        key=job.pk,
        user_id=permit.user_id,
        payload={"job": str(job.pk)},
        scope=ConsentScope.MEMORY_LEARNING.value,
        priority=priority,
    )
    if not queued.is_repeated:
        _add(job)
    return EndReceipt(event_id=job.event_id, queued=True, job_id=job.pk)


# Written by hand, like the outbox row beside it: ``end`` may add no more than 3 ms to a request.
_ADD = """
    INSERT INTO memory_cognitivejob (
        id, user_id, session_id, group_id, request_id, end_seq, action_summary, new_info, occurred_at, time_zone,
        location, sender_name, message_ids, consent_version, created_at
    )
    SELECT %(id)s, %(user_id)s, id, group_id, %(request_id)s, %(end_seq)s, %(action_summary)s, %(new_info)s,
           %(occurred_at)s, %(time_zone)s, %(location)s, %(sender_name)s, %(message_ids)s::uuid[],
           %(consent_version)s, %(created_at)s
    FROM memory_session WHERE id = %(session_id)s AND tombstone_id IS NULL
    ON CONFLICT DO NOTHING
"""


def _add(job: CognitiveJob) -> None:
    """Store the job unless it is there. Raises ``NotFound`` for a conversation erased meanwhile."""
    with connection.cursor() as cursor:
        cursor.execute(_ADD, vars(job))
        added = cursor.rowcount
    if not added and not Session.objects.filter(pk=job.session_id).exists():
        raise NotFound()


def _screened(user: User, request: EndInput) -> EndInput:
    screen_text("request_id", request.request_id)
    return replace(
        request,
        action_summary=screen_text("action_summary", request.action_summary, [user.name]).text,
        new_info=screen_text("new_info", request.new_info, [user.name]).text,
        location=screen_text("location", request.location).text,
    )


def _job_id(permit: Permit, request: EndInput) -> UUID:
    """The key of a job, derived from its request and sequence number so that a repeated call finds it."""
    return uuid5(permit.user_id, request.event_id)


def _require_own_messages(session: Session, request: EndInput) -> None:
    named = set(request.message_ids)
    if named and session.events.filter(pk__in=named).count() != len(named):
        raise NotFound(_("Some of these messages are not of this conversation."))


def _why_not(permit: Permit, session: Session, request: EndInput) -> str | None:
    if not (request.action_summary.strip() or request.new_info.strip() or request.message_ids):
        return "empty"
    if not settings.COGNITIVE_ENABLED:
        return "cognitive_disabled"
    if not permit.allows(ConsentScope.MEMORY_LEARNING):
        return "consent_scope_missing"
    return None if session.remember else "temporary_session"


def _fields(permit: Permit, user: User, session: Session, request: EndInput) -> dict[str, Any]:
    """Time zone and place come from the event, else the conversation that the user began, else from the user."""
    is_begun_by_user = session.user_id == user.pk
    return {
        "session": session,
        "group_id": session.group_id,
        "action_summary": request.action_summary.strip(),
        "new_info": request.new_info.strip(),
        "occurred_at": request.occurred_at or timezone.now(),
        "time_zone": request.time_zone or (session.time_zone if is_begun_by_user else "") or user.time_zone,
        "location": request.location or (session.location if is_begun_by_user else ""),
        "sender_name": user.name,
        "message_ids": list(request.message_ids),
        "consent_version": permit.version,
        "created_at": timezone.now(),
    }
