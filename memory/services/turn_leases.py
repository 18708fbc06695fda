"""Leases a conversation to the process that makes a reply, so that replies are made one at a time.

A turn is a user's message with the reply to it. A process renews one row, its ``ReplyProcess``, for all turns that it
makes; the conversations that no living process names are free.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from functools import cache
from os import getpid
from typing import Any, Final
from uuid import UUID, uuid4

from django.conf import settings
from django.db import connection
from django.db.models import QuerySet

from consent.permit import Permit
from foundation.database.bulk_insert import columns_of
from memory.exceptions import ReplyPending, SessionArchived
from memory.models import Session
from memory.services.sessions import session_of

LEASE: Final = timedelta(seconds=2)
"""How long a conversation stays taken after its turn began and its process was last heard of. If a lease lapses while
its turn goes on, the only harm is that a second message may be answered at the same time.
"""
_KEEP_DEAD_PROCESSES: Final = timedelta(hours=1)

# PostgreSQL's clock decides, since the clocks of several machines differ.
_IS_HELD = """(
    turn_started_at > clock_timestamp() - %(lease)s
    OR (turn_started_at > clock_timestamp() - %(longest)s AND EXISTS (
        SELECT FROM memory_replyprocess p
        WHERE p.id = turn_process AND p.leased_until > clock_timestamp() AND memory_session.id = ANY (p.sessions)
    ))
)"""
# Raw SQL: finding the conversation and the user's groups first takes three times as long. The commit does not wait for
# the disk: a crash ends the turn anyway, and its mark with it.
_BEGIN_TURN = f"""
    UPDATE memory_session SET turn_started_at = clock_timestamp(), turn_process = %(process)s
    WHERE id = %(session)s AND tombstone_id IS NULL AND archived_at IS NULL AND {_IS_HELD} IS NOT TRUE
      AND CASE WHEN group_id IS NULL THEN user_id = %(user)s ELSE group_id IN (
          SELECT m.group_id FROM accounts_membership m WHERE m.user_id = %(user)s AND m.left_at IS NULL
      ) END
    RETURNING {columns_of(Session)}, set_config('synchronous_commit', 'off', true),
              EXISTS (SELECT FROM media_mediapassage p WHERE p.user_id = %(user)s AND p.tombstone_id IS NULL)
                  AS finds_files
"""  # noqa: S608
_FIND_HELD = f"SELECT FROM memory_session WHERE id = %(session)s AND {_IS_HELD}"
_RENEW_PROCESS = """
    INSERT INTO memory_replyprocess (id, leased_until, sessions)
    VALUES (%(process)s, clock_timestamp() + %(lease)s, %(sessions)s::uuid[])
    ON CONFLICT (id) DO UPDATE SET leased_until = excluded.leased_until, sessions = excluded.sessions
    RETURNING set_config('synchronous_commit', 'off', true)
"""
_FORGET_PROCESSES = "DELETE FROM memory_replyprocess WHERE leased_until < clock_timestamp() - %s"


def begin_turn(permit: Permit, session_id: UUID) -> Session:
    """Take the conversation for a reply of this process; the session returned carries the mark that ``end_turn`` needs.

    Raises ``NotFound``, ``SessionArchived``, and ``ReplyPending`` while another reply is being made.
    """
    asked = _spans() | {"process": process_id(getpid()), "session": session_id, "user": permit.user_id}
    begun = next(iter(Session.objects.raw(_BEGIN_TURN, asked)), None)
    if begun is None:
        session = session_of(permit, session_id)
        if session.archived_at is not None:
            raise SessionArchived()
        raise ReplyPending()
    return begun


@cache
def process_id(_pid: int) -> UUID:
    """The id under which the running process holds conversations; another after a fork."""
    return uuid4()


def renew_turns(sessions: Sequence[UUID]) -> None:
    """Hold these conversations, and no others, for another ``LEASE``, as far as turns of this process have them."""
    asked: dict[str, Any] = {"process": process_id(getpid()), "lease": LEASE, "sessions": list(sessions)}
    with connection.cursor() as cursor:
        cursor.execute(_RENEW_PROCESS, asked)


def forget_processes() -> None:
    """Delete the rows of processes that ended long ago."""
    values: list[Any] = [_KEEP_DEAD_PROCESSES]
    with connection.cursor() as cursor:
        cursor.execute(_FORGET_PROCESSES, values)


def is_replying(session: Session) -> bool:
    """Whether a reply is being made in the conversation."""
    if session.turn_started_at is None:
        return False
    with connection.cursor() as cursor:
        cursor.execute(_FIND_HELD, _spans() | {"session": session.pk})
        return bool(cursor.rowcount)


def end_turn(session: Session) -> None:
    """Give the lease back, unless another turn has taken the conversation since this one lost it."""
    _turn_of(session).update(turn_started_at=None)


def take_lease_away(session: Session) -> None:
    """Free the conversation, whichever turn holds it. The reply of that turn is still stored if it comes."""
    Session.objects.filter(pk=session.pk).update(turn_started_at=None)


def longest_turn() -> timedelta:
    """How long a turn can last: its model calls cannot last longer.

    A turn makes one call of a small model and one of the large one. Where the model calls tools, the time for tools is
    added, with two more calls: one that began just before that time was up, and one without tools.
    """
    one_call: float = settings.MODEL_TIMEOUT_SECONDS
    looking_up = settings.TOOLS_TIMEOUT_SECONDS + 2 * one_call if settings.MODEL_CALLS_TOOLS else 0.0
    return timedelta(seconds=2 * one_call + looking_up + 30)


def _spans() -> dict[str, Any]:
    return {"lease": LEASE, "longest": longest_turn()}


def _turn_of(session: Session) -> QuerySet[Session]:
    """The conversation as long as it carries the mark of the turn that ``session`` began."""
    return Session.objects.filter(pk=session.pk, turn_started_at=session.turn_started_at)
