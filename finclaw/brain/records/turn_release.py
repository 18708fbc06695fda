"""Holds a conversation while a turn is made, and releases it where the turn fails.

What a process held that died is free by itself. Where the database is down, the turn is released once it is back.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Final

from django.db import InterfaceError, OperationalError, connection
from psycopg_pool import PoolTimeout
from tenacity import RetryError, retry, retry_if_exception_type, stop_after_delay, wait_random_exponential

from finclaw.brain.records.turn_renewal import TurnRenewal
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from memory.models import Session
from memory.services import turn_leases

_UNREACHABLE: Final = (OperationalError, InterfaceError, PoolTimeout)
_LONGEST_PAUSE_SECONDS: Final = 2.0
_renewal: Final = TurnRenewal()


@contextmanager
def keep_turn_lease(user: User, session: Session) -> Iterator[None]:
    """Hold the turn's conversation while the block runs; release it at once where the block fails or is broken off."""
    with _renewal.held(session.pk):
        try:
            yield
        except BaseException:
            release_session(user, session)
            raise


def release_session(user: User, session: Session) -> None:
    """Remove the turn's mark from the session. Never raises for want of a database: the caller has an error to
    report.
    """
    try:
        _end_turn(user, session)
    except _UNREACHABLE:
        Thread(target=_queue_release, args=(user, session), name="releasing", daemon=True).start()


def _end_turn(user: User, session: Session) -> None:
    with acting_as(user.pk):
        turn_leases.end_turn(session)


def _queue_release(user: User, session: Session) -> None:
    """Try again until the mark would expire anyway."""
    again = retry(
        retry=retry_if_exception_type(_UNREACHABLE),
        wait=wait_random_exponential(multiplier=0.2, max=_LONGEST_PAUSE_SECONDS),
        stop=stop_after_delay(turn_leases.LEASE),
    )
    try:
        again(_end_turn)(user, session)
    except RetryError:
        return
    finally:
        connection.close()  # this thread's connection goes back to the pool
