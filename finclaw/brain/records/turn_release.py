"""Renews a conversation's lease while a turn is made, and releases it where the turn fails.

The lease of a process that died expires by itself. Where the database is down, the lease is released once it is back.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from threading import Event, Thread
from time import monotonic
from typing import Final

import structlog
from django.db import DatabaseError, InterfaceError, OperationalError, connection
from psycopg_pool import PoolTimeout
from tenacity import RetryError, retry, retry_if_exception_type, stop_after_delay, wait_random_exponential

from finclaw.brain.records.late_starts import LateStarts
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from memory.models import Session
from memory.services import turn_leases

log = structlog.get_logger(__name__)

_UNREACHABLE: Final = (OperationalError, InterfaceError, PoolTimeout)
_LONGEST_PAUSE_SECONDS: Final = 2.0
RENEWAL_SECONDS: Final = 0.4 * turn_leases.LEASE.total_seconds()
"""A renewal may fail once before the lease ends."""
_renewals: Final = LateStarts("renewing")


@contextmanager
def keep_turn_lease(user: User, session: Session) -> Iterator[None]:
    """Renew the turn's lease in a background thread while the block runs; release it at once where the block fails or
    is broken off. The thread holds no database connection between two renewals.
    """
    is_over = Event()
    _renewals.add(is_over, partial(_renew_until, is_over, user, session), RENEWAL_SECONDS)
    try:
        yield
    except BaseException:
        _renewals.remove(is_over)
        release_session(user, session)
        raise
    finally:
        _renewals.remove(is_over)


def _renew_until(is_over: Event, user: User, session: Session) -> None:
    """Renew the lease, at once and again, until the turn is over, has lost it, or has lasted longer than a turn may."""
    pause, given_up = 0.0, monotonic() + turn_leases.longest_turn().total_seconds()
    while not is_over.wait(pause) and monotonic() < given_up:
        pause = RENEWAL_SECONDS
        try:
            with acting_as(user.pk):
                is_held = turn_leases.renew_lease(session)
        except _UNREACHABLE:
            continue
        except DatabaseError as error:
            log.warning("lease_not_renewed", error=type(error).__name__)
            continue
        finally:
            connection.close()  # this thread's own
        if not is_held:
            return


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
