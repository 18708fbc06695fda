"""Opens, finds and changes conversations (sessions) and stores and reads their messages."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from itertools import count
from typing import Any, Final
from uuid import UUID

from django.conf import settings
from django.db import IntegrityError, connection, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from consent.permit import Permit
from consent.sensitive.services import screen_text
from foundation.accounts.groups import group_of
from foundation.accounts.models import User
from foundation.accounts.services import lock_user
from foundation.database.bulk_insert import insert_rows
from foundation.exceptions import NotFound, require_found
from foundation.ids import new_id
from foundation.personal_data import ConsentScope
from foundation.telemetry.memory_operations import report_written
from memory.content_blocks import REDACTED
from memory.exceptions import AnswerStands
from memory.models import ConversationEvent, Session
from memory.models.sessions import text_of
from memory.research.threads import thread_of
from memory.types import NewMessage, TranscriptLine

FIRST_SEQ: Final = 1
"""The number of a conversation's first message."""
TITLE_CHARS = 60
RECENT_MESSAGES = 40  # the most messages of its own conversation that a prompt may show


def start_session(
    permit: Permit,
    user: User,
    *,
    group_id: UUID | None = None,
    thread_id: UUID | None = None,
    title: str = "",
    remember: bool = True,
    time_zone: str = "",
    location: str = "",
    external_ref: str = "",
    program: str = "",
    history_hash: str = "",
) -> Session:
    """Open a conversation, private or of a group the user belongs to.

    ``thread_id`` names the research thread it is about, ``program`` the token through which it is opened, and
    ``history_hash`` the history that its program sends. Raises ``ProfileConsentRequired`` before any decision on
    consent, ``NotFound`` for a foreign group or thread and ``SensitiveInput`` for a title or place that holds what must
    not be kept.
    """
    permit.require_decision()
    if thread_id:
        lock_user(permit.user_id)  # a concurrent erasure of the thread is over by now, or will find the conversation
    hours = settings.SESSION_TTL_HOURS if remember else settings.TEMPORARY_SESSION_TTL_HOURS
    return Session.objects.create(
        user=user,
        group=group_of(user, group_id) if group_id else None,
        thread=thread_of(permit, thread_id) if thread_id else None,
        title=screen_text("title", title).text,
        remember=remember,
        time_zone=time_zone,
        location=screen_text("location", location).text,
        external_ref=external_ref,
        program=program,
        history_hash=history_hash,
        expires_at=timezone.now() + timedelta(hours=hours),
    )


def sessions_of(permit: Permit) -> QuerySet[Session]:
    """The user's own conversations and those of their groups, the latest first."""
    return Session.objects.filter(_reachable(permit)).order_by("-last_active_at", "-id")


def session_of(permit: Permit, session_id: UUID) -> Session:
    """One conversation that the user can reach. Raises ``NotFound``."""
    # A private conversation is the usual case, and the join that finds a group's triples the cost.
    own = Session.objects.filter(pk=session_id, user_id=permit.user_id, group=None).first()
    return require_found(own or sessions_of(permit).filter(pk=session_id).first())


def _reachable(permit: Permit) -> Q:
    member = Q(group__memberships__user_id=permit.user_id, group__memberships__left_at=None)
    return Q(user_id=permit.user_id, group=None) | member


def rename(session: Session, title: str) -> Session:
    """Rename the conversation. Raises ``SensitiveInput``."""
    session.title = screen_text("title", title).text
    session.save(update_fields=["title"])
    return session


def archive(session: Session) -> Session:
    """Close the conversation for new messages; its messages stay readable. Archiving twice changes nothing."""
    if session.archived_at is None:
        session.archived_at = timezone.now()
        session.save(update_fields=["archived_at"])
    return session


def reopen(session: Session) -> Session:
    """Open an archived conversation for new messages, as the latest; reopening an open one changes nothing."""
    if session.archived_at is not None:
        session.archived_at, session.last_active_at = None, timezone.now()
        session.save(update_fields=["archived_at", "last_active_at"])
    return session


def mark_ended(session: Session) -> None:
    """Note that everything said in a private conversation was handed to the historian, or need not be."""
    if session.group_id is None:
        Session.objects.filter(pk=session.pk, ended_seq__lt=session.last_seq).update(ended_seq=session.last_seq)
        session.ended_seq = max(session.ended_seq, session.last_seq)


def messages_of(session: Session) -> QuerySet[ConversationEvent]:
    """The conversation's messages in the order they were said, without answers that were replaced."""
    return ConversationEvent.objects.filter(session=session).not_replaced().order_by("seq")


def message_before(message: ConversationEvent) -> ConversationEvent | None:
    """The message just before this one; None at the start of a conversation."""
    if message.seq == FIRST_SEQ:
        return None
    return ConversationEvent.objects.at([(message.session_id, message.seq - 1)]).first()


def own_message_before(message: ConversationEvent) -> ConversationEvent | None:
    """The same user's last message before this one in the conversation."""
    if message.seq == FIRST_SEQ:
        return None
    own = ConversationEvent.objects.filter(session_id=message.session_id, user_id=message.user_id, seq__lt=message.seq)
    return own.filter(role=ConversationEvent.Role.USER).order_by("-seq").first()


_NO_SEQ: Final = 2_147_483_647  # PostgreSQL's largest integer

# Raw SQL, because it runs before every answer, and the ORM takes longer to build the query than PostgreSQL to run it.
_RECENT_LINES = """
    SELECT id, seq, role, speaker, content, occurred_at FROM memory_conversationevent e
    WHERE session_id = %s AND seq < %s AND redacted_at IS NULL AND tombstone_id IS NULL
      AND NOT EXISTS (
          SELECT FROM memory_conversationevent newer
          WHERE newer.session_id = e.session_id AND newer.seq = e.seq AND newer.replaces = e.id
      )
    ORDER BY seq DESC LIMIT %s
"""


def recent_lines(session: Session, limit: int, before_seq: int | None = None) -> list[TranscriptLine]:
    """The last messages that still have their words, the latest first; only those before ``before_seq``, if given."""
    with connection.cursor() as cursor:
        cursor.execute(_RECENT_LINES, [session.pk, before_seq or _NO_SEQ, limit])
        rows = cursor.fetchall()
    return [
        _transcript_line(key, seq, role, speaker, json.loads(said), at) for key, seq, role, speaker, said, at in rows
    ]


def lines_between(session: Session, after: int, upto: int, limit: int) -> list[TranscriptLine]:
    """The first ``limit`` messages with ``after < seq <= upto`` that still have their words, oldest first."""
    rows = messages_of(session).filter(redacted_at=None, seq__gt=after, seq__lte=upto)[:limit]
    return [
        _transcript_line(*row) for row in rows.values_list("pk", "seq", "role", "speaker", "content", "occurred_at")
    ]


def _transcript_line(
    key: UUID, seq: int, role: str, speaker: str, content: list[dict[str, Any]], at: datetime
) -> TranscriptLine:
    return TranscriptLine(key, seq, role, speaker, text_of(content), at)


def are_unchanged(message_ids: Collection[UUID], since: datetime | None) -> bool:
    """Whether all of these messages can be read and no words were cut out of them after ``since`` (None: ever)."""
    wanted = set(message_ids)
    if not wanted:
        return True
    contents = ConversationEvent.objects.filter(pk__in=wanted, redacted_at=None).values_list("content", flat=True)
    found = list(contents)
    return len(found) == len(wanted) and not any(_lost_words(content, since) for content in found)


def _lost_words(content: Sequence[dict[str, Any]], since: datetime | None) -> bool:
    """Whether sentences were cut out of a message since then."""
    taken = (datetime.fromisoformat(block["at"]) for block in content if block.get("type") == REDACTED)
    return any(since is None or at >= since for at in taken)


def lock_replies(group_id: UUID) -> None:
    """Lock a group's replies until the transaction ends: an erasure would miss a reply that is not yet stored."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 1))", [str(group_id)])


def record_messages(
    permit: Permit, session: Session, messages: Sequence[NewMessage], *, ending_turn: bool = False,
    active_at: datetime | None = None, history_hash: str | None = None,
) -> list[ConversationEvent]:  # fmt: skip
    """Append messages to the conversation under the permit of the user they belong to.

    With ``ending_turn`` the turn's mark that ``session`` carries is removed. The conversation counts as last active
    now, or at ``active_at``, and is found by ``history_hash`` from now on, unless that is None or another turn has
    taken the conversation meanwhile. A message that replaces an answer gets that answer's number.

    Whether a message may ever be learned from is decided here, once, by the learning consent and ``remember`` at this
    moment. Raises ``AnswerStands`` if the answer was replaced already.
    """
    now = timezone.now()
    with transaction.atomic(savepoint=False):
        own_mark = session.turn_started_at if ending_turn else None
        new = sum(message.replaces is None for message in messages)
        seqs = count(_next_seqs(session, new, active_at or now, own_mark, history_hash))
        learnable = session.remember and permit.allows(ConsentScope.MEMORY_LEARNING)
        events = [
            ConversationEvent(
                id=message.id or new_id(),
                session=session,
                user_id=permit.user_id,
                group_id=session.group_id,
                seq=message.replaces.seq if message.replaces else next(seqs),
                role=message.role,
                speaker=message.speaker[:TITLE_CHARS],
                content=list(message.blocks),
                external_ref=message.external_ref,
                learnable=learnable and not message.echo,
                consent_version=permit.version,
                occurred_at=message.occurred_at or now,
                replaces=message.replaces.id if message.replaces else None,
            )
            for message in messages
        ]
        _insert_messages(events)
    report_written("turn", permit.consent_id, count=len(events))
    return events


def _insert_messages(events: Sequence[ConversationEvent]) -> None:
    try:
        insert_rows(events)
    except IntegrityError as error:
        broken = getattr(getattr(error.__cause__, "diag", None), "constraint_name", None)
        if broken == "one_message_per_place" and any(event.replaces for event in events):
            raise AnswerStands() from error
        raise


_TAKE_SEQS = """
    UPDATE memory_session
    SET last_seq = last_seq + %s, last_active_at = %s, turn_started_at = NULLIF(turn_started_at, %s),
        history_hash = CASE WHEN turn_started_at IS NOT DISTINCT FROM %s THEN COALESCE(%s, history_hash)
            ELSE history_hash END
    WHERE id = %s
    RETURNING last_seq, title, entity_slots, summary_blocks, summarized_seq
"""


def _next_seqs(
    session: Session, count: int, active_at: datetime, own_mark: datetime | None, history_hash: str | None
) -> int:
    """Take ``count`` numbers of the conversation's sequence and lock it until commit; returns the first number.

    Title, entity slots and summaries are read again under the lock: they may have changed while a model answered.
    Raises ``NotFound`` for somebody who may no longer speak here.
    """
    with connection.cursor() as cursor:  # raw SQL: the ORM has no RETURNING here and would need two queries
        cursor.execute(_TAKE_SEQS, [count, active_at, own_mark, own_mark, history_hash, session.pk])
        row = cursor.fetchone()
    if row is None:
        raise NotFound()
    session.last_seq, session.title, session.last_active_at = row[0], row[1], active_at
    session.entity_slots, session.summary_blocks = json.loads(row[2]), json.loads(row[3])
    session.summarized_seq = row[4]
    return session.last_seq - count + 1


def title_from(text: str) -> str:
    """A first title: the beginning of the first message."""
    line = " ".join(text.split())
    return line if len(line) <= TITLE_CHARS else line[: TITLE_CHARS - 1].rstrip() + "…"
