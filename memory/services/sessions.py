"""Conversations and their messages."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction
from django.db.models import DateTimeField, Q, QuerySet, Value
from django.db.models.functions import NullIf
from django.utils import timezone

from consent.permit import Permit
from consent.sensitive.services import screened
from foundation.accounts.models import User
from foundation.accounts.services import group_of
from foundation.database.acting import commit_without_waiting
from foundation.exceptions import NotFound
from foundation.ids import new_id
from foundation.personal_data import Scope
from foundation.telemetry.metrics import MEMORY_OPS
from memory.exceptions import ReplyPending, SessionArchived
from memory.models import ConversationEvent, Session
from memory.models.sessions import text_of
from memory.types import Line, NewMessage

TITLE_CHARS = 60
RECENT_MESSAGES = 40  # of its own conversation, as many as a prompt may show


def start_session(
    permit: Permit,
    user: User,
    *,
    group_id: UUID | None = None,
    title: str = "",
    remember: bool = True,
    time_zone: str = "",
    location: str = "",
    external_ref: str = "",
) -> Session:
    """Open a conversation, private or of a group the person is a member of.

    Raises ``ProfileConsentRequired`` before any decision on consent, ``NotFound`` for a foreign group and
    ``SensitiveInput`` for a title or place that holds what must not be kept.
    """
    permit.require_decision()
    hours = settings.SESSION_TTL_HOURS if remember else settings.TEMPORARY_SESSION_TTL_HOURS
    return Session.objects.create(
        user=user,
        group=group_of(user, group_id) if group_id else None,
        title=screened("title", title).text,
        remember=remember,
        time_zone=time_zone,
        location=screened("location", location).text,
        external_ref=external_ref,
        expires_at=timezone.now() + timedelta(hours=hours),
    )


def sessions_of(permit: Permit) -> QuerySet[Session]:
    """The person's own conversations and those of their groups, the latest first."""
    return Session.objects.filter(_reachable(permit)).order_by("-last_active_at", "-id")


def session_of(permit: Permit, session_id: UUID) -> Session:
    """One reachable conversation. Raises ``NotFound``."""
    # One's own is the usual case, and the join that finds a group's costs three times the rest.
    own = Session.objects.filter(pk=session_id, user_id=permit.user_id, group=None).first()
    session = own or sessions_of(permit).filter(pk=session_id).first()
    if session is None:
        raise NotFound()
    return session


def _reachable(permit: Permit) -> Q:
    member = Q(group__memberships__user_id=permit.user_id, group__memberships__left_at=None)
    return Q(user_id=permit.user_id, group=None) | member


def rename(session: Session, title: str) -> Session:
    """Give the conversation another title. Raises ``SensitiveInput``."""
    session.title = screened("title", title).text
    session.save(update_fields=["title"])
    return session


def archive(session: Session) -> Session:
    """Close the conversation for new messages; what was said stays readable. Archiving twice changes nothing."""
    if session.archived_at is None:
        session.archived_at = timezone.now()
        session.save(update_fields=["archived_at"])
    return session


def messages_of(session: Session) -> QuerySet[ConversationEvent]:
    """The conversation's messages in the order they were said."""
    return session.events.order_by("seq")


def message_before(message: ConversationEvent) -> ConversationEvent | None:
    """The message that one answers, or None at the start of a conversation."""
    return ConversationEvent.objects.filter(session_id=message.session_id, seq=message.seq - 1).first()


def recent_lines(session: Session, limit: int) -> list[Line]:
    """What was said last and still has its words, the latest first."""
    return _lines(messages_of(session).filter(redacted_at=None).reverse()[:limit])


def lines_between(session: Session, after: int, upto: int, limit: int) -> list[Line]:
    """The first ``limit`` messages with ``after < seq <= upto`` that still have their words, oldest first."""
    return _lines(messages_of(session).filter(redacted_at=None, seq__gt=after, seq__lte=upto)[:limit])


def _lines(rows: QuerySet[ConversationEvent]) -> list[Line]:
    # Six columns: on the way to every answer, whole rows would take longer to make than to ask for.
    columns = rows.values_list("pk", "seq", "role", "speaker", "content", "occurred_at")
    return [Line(key, seq, role, speaker, text_of(content), at) for key, seq, role, speaker, content, at in columns]


def keep_their_words(message_ids: Collection[UUID]) -> bool:
    """Whether all of these messages can be read, and hold what was said."""
    wanted = set(message_ids)
    return not wanted or ConversationEvent.objects.filter(pk__in=wanted, redacted_at=None).count() == len(wanted)


def lock_replies(group_id: UUID) -> None:
    """Let no other transaction store a reply in this group until this one ends, nor look for those that quote a
    member: an erasure would miss the one not yet stored.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 1))", [str(group_id)])


def begin_turn(session: Session) -> None:
    """Mark that a reply is on its way; ``session`` carries the mark to ``end_turn``.

    Raises ``ReplyPending`` when one already is, ``SessionArchived``.
    """
    if session.archived_at is not None:
        raise SessionArchived()
    now = timezone.now()
    stale = now - turn_patience()
    free = Session.objects.filter(Q(turn_started_at=None) | Q(turn_started_at__lt=stale), pk=session.pk)
    if not free.update(turn_started_at=now):
        raise ReplyPending()
    session.turn_started_at = now
    commit_without_waiting()  # a crash ends the turn anyway, and its mark with it


def end_turn(session: Session, **changes: Any) -> None:
    """Take back the mark that ``session`` carries, and write ``changes`` of its fields beside.

    Compared first: a turn past its patience leaves the mark of the turn that took its place.
    """
    own_mark = Value(session.turn_started_at, output_field=DateTimeField())
    Session.objects.filter(pk=session.pk).update(turn_started_at=NullIf("turn_started_at", own_mark), **changes)


def turn_patience() -> timedelta:
    """After this long a turn's process is taken for dead: its model call cannot last longer."""
    return timedelta(seconds=settings.MODEL_TIMEOUT_SECONDS * 2 + 30)


def record_messages(permit: Permit, session: Session, messages: Sequence[NewMessage]) -> list[ConversationEvent]:
    """Append messages to the conversation under the permit of the person they belong to.

    Whether they may ever be learned from is decided here, once: the learning scope and ``remember`` at the
    moment they were said.
    """
    now = timezone.now()
    with transaction.atomic(savepoint=False):
        first = _next_seqs(session, len(messages), now)
        learnable = session.remember and permit.allows(Scope.MEMORY_LEARNING)
        events = [
            ConversationEvent(
                id=message.id or new_id(),
                session=session,
                user_id=permit.user_id,
                group_id=session.group_id,
                seq=seq,
                role=message.role,
                speaker=message.speaker[:TITLE_CHARS],
                content=list(message.blocks),
                external_ref=message.external_ref,
                learnable=learnable and not message.echo,
                consent_version=permit.version,
                occurred_at=message.occurred_at or now,
            )
            for seq, message in enumerate(messages, first)
        ]
        ConversationEvent.objects.bulk_create(events)
    MEMORY_OPS.labels(op="write", scope="turn").inc(len(events))
    return events


_TAKE_SEQS = """
    UPDATE memory_session SET last_seq = last_seq + %s, last_active_at = %s WHERE id = %s
    RETURNING last_seq, title, entity_slots, summary_blocks, summarized_seq
"""


def _next_seqs(session: Session, count: int, now: datetime) -> int:
    """Take ``count`` numbers of the conversation's sequence and lock it until commit; answers the first number.

    Title, entity slots and summaries are read again under the lock: they may have changed while a model thought.
    Raises ``NotFound`` for somebody who may no longer speak here.
    """
    with connection.cursor() as cursor:  # by hand: the ORM has no RETURNING, and would ask twice
        cursor.execute(_TAKE_SEQS, [count, now, session.pk])
        row = cursor.fetchone()
    if row is None:
        raise NotFound()
    session.last_seq, session.title, session.last_active_at = row[0], row[1], now
    session.entity_slots, session.summary_blocks = json.loads(row[2]), json.loads(row[3])
    session.summarized_seq = row[4]
    return session.last_seq - count + 1


def title_from(text: str) -> str:
    """A first title: the beginning of what was said."""
    line = " ".join(text.split())
    return line if len(line) <= TITLE_CHARS else line[: TITLE_CHARS - 1].rstrip() + "…"
