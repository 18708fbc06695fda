"""Deletes conversations, or parts of them, whose retention is over.

A temporary conversation is deleted as a whole. Any other loses the messages that were written while the user did not
allow learning, because these serve their own conversation only. Messages written with that consent stay.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime, timedelta
from itertools import groupby
from operator import attrgetter
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import IntegrityError
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.db.models.deletion import DO_NOTHING, ProtectedError
from django.db.models.fields.reverse_related import ForeignObjectRel
from django.utils import timezone

from consent.memory_telemetry import report_deleted_rows
from consent.models import ProfileConsent
from consent.purge import BATCH
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import ERASER_ROLE, OPERATOR_ROLE
from foundation.personal_data import ConsentScope
from foundation.telemetry.metrics import RETENTION_DELETED
from media.expiry import forget_with_messages
from memory.erasure import session_traces
from memory.erasure.receipt_figures import strip_receipts
from memory.models import ConversationEvent, SearchEntry, Session, ToolReceipt
from memory.services.sessions import title_from


def delete_expired() -> int:
    """Delete what conversations may keep no longer; returns how many messages. For the schedule."""
    now = timezone.now()
    deleted = 0
    while gone := _forget_batch(_expired(now)):
        deleted += gone
    RETENTION_DELETED.labels(model=ConversationEvent._meta.label).inc(deleted)
    RETENTION_DELETED.labels(model=Session._meta.label).inc(_forget_empty_sessions(now))
    return deleted


def _expired(now: datetime) -> list[ConversationEvent]:
    """The next messages to delete, each user's together."""
    without = ProfileConsent.versions_without(ConsentScope.MEMORY_LEARNING)
    unlearned = without.filter(user_id=OuterRef("user_id"), version=OuterRef("consent_version"))
    # A message written after the conversation expired stays for ``SESSION_TTL_HOURS`` more.
    late = now - timedelta(hours=settings.SESSION_TTL_HOURS)
    old = Q(created_at__lte=F("session__expires_at")) | Q(created_at__lte=late)
    over = ConversationEvent.objects.filter(session__expires_at__lte=now)
    going = over.filter(Q(session__remember=False) | Q(Exists(unlearned), old))
    with in_role(OPERATOR_ROLE):
        return list(going.order_by("user_id", "pk")[:BATCH])


def _forget_batch(batch: list[ConversationEvent]) -> int:
    gone = sum(_forget_messages(user_id, of) for user_id, of in groupby(batch, key=attrgetter("user_id")))
    session_traces.clean_sessions({event.session_id for event in batch}, {title_from(event.text) for event in batch})
    return gone


def _forget_messages(user_id: UUID, events: Iterable[ConversationEvent]) -> int:
    """Delete messages, after stripping the receipts that explain them."""
    keys = [event.pk for event in events]
    with acting_as(user_id):
        with in_role(ERASER_ROLE):
            strip_receipts(Q(user_id=user_id, message_id__in=keys))
            ToolReceipt.objects.filter(user_id=user_id, run_id__in=keys).delete()
            deleted = ConversationEvent.with_erased.filter(user_id=user_id, pk__in=keys).delete()[0]
        passages = forget_with_messages(user_id, keys)
        with in_role(ERASER_ROLE):
            SearchEntry.with_erased.filter(user_id=user_id, pk__in=passages).delete()
        report_deleted_rows(user_id, {ConversationEvent._meta.label: deleted})
    return deleted


def _forget_empty_sessions(now: datetime) -> int:
    """Delete expired conversations that hold nothing any more; an unused one stays unless it is temporary."""
    with in_role(OPERATOR_ROLE):
        empty = list(_empty(now).values_list("user_id", "pk"))
    return sum(_forget_session(user_id, session_id) for user_id, session_id in empty)


def _empty(now: datetime) -> QuerySet[Session]:
    """Expired conversations without messages.

    One to which other rows refer is not among them, unless it is temporary.
    """
    fields = Session._meta.get_fields(include_hidden=True)
    hanging = [field for field in fields if isinstance(field, ForeignObjectRel) and field.one_to_many]
    relations = [field for field in hanging if field.on_delete is not DO_NOTHING]
    unreferred = Q(*(~_refers(relation) for relation in relations))
    spoken = ConversationEvent._base_manager.filter(session_id=OuterRef("pk"))
    over = Session.objects.filter(expires_at__lte=now).exclude(Exists(spoken))
    return over.filter(Q(remember=False) | Q(unreferred, last_seq__gt=0))


def _refers(relation: Any) -> Exists:
    return Exists(relation.related_model._base_manager.filter(**{relation.field.name: OuterRef("pk")}))


def forget_unused(user_id: UUID, session_id: UUID) -> None:
    """Delete a conversation in which nothing was ever said."""
    with acting_as(user_id):
        is_unused = Session.objects.filter(pk=session_id, last_seq=0).exists()
    if is_unused:
        _forget_session(user_id, session_id)


def _forget_session(user_id: UUID, session_id: UUID) -> int:
    # Rows that an erasure hides may still refer to it: then the sweep after that erasure deletes it.
    with suppress(ProtectedError, IntegrityError), acting_as(user_id), in_role(ERASER_ROLE):
        strip_receipts(Q(session_id=session_id))
        return Session.with_erased.filter(pk=session_id).delete()[1].get(Session._meta.label, 0)
    return 0
