"""Leases a conversation to the process that makes a reply, so that replies are made one at a time.

A turn is a user's message with the reply to it. A lease that its process no longer renews soon lapses.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Final
from uuid import UUID

from django.conf import settings
from django.db.models import QuerySet
from django.utils import timezone

from consent.permit import Permit
from foundation.database.bulk_insert import columns_of
from memory.exceptions import ReplyPending, SessionArchived
from memory.models import Session
from memory.services.sessions import session_of

LEASE: Final = timedelta(seconds=5)
"""How long a conversation stays taken after the last renewal: a process that was killed has restarted by then. If a
lease lapses while its turn goes on, the only harm is that a second message may be answered at the same time.
"""

# Raw SQL: finding the conversation and the user's groups first takes three times as long. The commit does not wait for
# the disk: a crash ends the turn anyway, and its mark with it.
_BEGIN_TURN = f"""
    UPDATE memory_session SET turn_started_at = %(now)s, turn_leased_until = %(until)s
    WHERE id = %(session)s AND tombstone_id IS NULL AND archived_at IS NULL
      AND (turn_started_at IS NULL OR turn_leased_until IS NULL OR turn_leased_until < %(now)s)
      AND CASE WHEN group_id IS NULL THEN user_id = %(user)s ELSE group_id IN (
          SELECT m.group_id FROM accounts_membership m WHERE m.user_id = %(user)s AND m.left_at IS NULL
      ) END
    RETURNING {columns_of(Session)}, set_config('synchronous_commit', 'off', true)
"""  # noqa: S608


def begin_turn(permit: Permit, session_id: UUID) -> Session:
    """Take the conversation's lease for a reply; the session returned carries the mark that ``end_turn`` needs.

    Raises ``NotFound``, ``SessionArchived``, and ``ReplyPending`` while another reply is being made.
    """
    now = timezone.now()
    asked = {"now": now, "until": now + LEASE, "session": session_id, "user": permit.user_id}
    begun = next(iter(Session.objects.raw(_BEGIN_TURN, asked)), None)
    if begun is None:
        session = session_of(permit, session_id)
        if session.archived_at is not None:
            raise SessionArchived()
        raise ReplyPending(session.leased_for(now))
    return begun


def renew_lease(session: Session) -> bool:
    """Hold the conversation for another ``LEASE``; False if the turn has lost its lease."""
    renewed = _turn_of(session).update(turn_leased_until=timezone.now() + LEASE)
    return bool(renewed)


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


def _turn_of(session: Session) -> QuerySet[Session]:
    """The conversation as long as it carries the mark of the turn that ``session`` began."""
    return Session.objects.filter(pk=session.pk, turn_started_at=session.turn_started_at)
