"""Sends reads to a standby of PostgreSQL, as soon as it has everything that was committed when they were asked for.

So nobody misses what they have just written: where the standby lags behind that, the primary is read.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import structlog
from django.db import DEFAULT_DB_ALIAS, DatabaseError, InterfaceError, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from psycopg_pool import PoolTimeout

from foundation.database.urls import REPLICA

log = structlog.get_logger(__name__)
PATIENCE_SECONDS: Final = 0.1
"""How long a read waits for the standby before it goes to the primary."""
LOOK_SECONDS: Final = 0.005
AWAY_SECONDS: Final = 5.0
"""For how long a standby that failed is not asked."""
LAG_SECONDS: Final = 1.0
"""For how long one that lags is not asked, so that not every read waits for it in vain."""


class StandbyAbsence:
    """Until when this process does not ask the standby, since it failed or lags."""

    def __init__(self) -> None:
        self._until = 0.0

    def note(self, error: Exception) -> None:
        """Leave it alone for a while."""
        log.warning("standby_away", error=type(error).__name__)
        self._until = time.monotonic() + AWAY_SECONDS

    def note_lag(self) -> None:
        """Leave it alone for a moment."""
        log.info("standby_lags")
        self._until = time.monotonic() + LAG_SECONDS

    def lasts(self) -> bool:
        """Whether it is to be left alone still."""
        return time.monotonic() < self._until


_absence: Final = StandbyAbsence()


@contextmanager
def reading_from_replica() -> Iterator[bool]:
    """This thread's database is the standby meanwhile; whatever writes fails. Tells whether it is.

    It stays the primary without a standby, inside a transaction, and where the standby does not catch up in time.
    """
    primary = connections[DEFAULT_DB_ALIAS]
    if REPLICA not in connections.settings or primary.in_atomic_block or not _has_caught_up(primary):
        yield False
        return
    replica = connections[REPLICA]
    connections[DEFAULT_DB_ALIAS] = replica
    try:
        yield True
    finally:
        connections[DEFAULT_DB_ALIAS] = primary
        _give_back(replica)


def _has_caught_up(primary: BaseDatabaseWrapper) -> bool:
    """Whether the standby has played back, within ``PATIENCE_SECONDS``, what the primary wrote to its log by now."""
    if _absence.lasts():
        return False
    with primary.cursor() as cursor:
        cursor.execute("SELECT pg_current_wal_insert_lsn()::text")
        position = cursor.fetchone()[0]
    _give_back(primary)
    try:
        if _plays_back(position):
            return True
        _absence.note_lag()
    except (DatabaseError, InterfaceError, PoolTimeout) as error:
        _absence.note(error)
    _give_back(connections[REPLICA])
    return False


def _plays_back(position: str) -> bool:
    """Wait until the standby has played back so much of the log; False after ``PATIENCE_SECONDS``."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not _has_played_back(position):
        if time.monotonic() >= deadline:
            return False
        time.sleep(LOOK_SECONDS)
    return True


def _has_played_back(position: str) -> bool:
    # Where no standby is left the address may lead to the primary itself, which is never behind.
    with connections[REPLICA].cursor() as cursor:
        cursor.execute("SELECT NOT pg_is_in_recovery() OR pg_last_wal_replay_lsn() >= %s::pg_lsn", [position])
        return bool(cursor.fetchone()[0])


def _give_back(connection: BaseDatabaseWrapper) -> None:
    """Return a pooled connection to its pool; one without a pool stays open."""
    if "pool" in connection.settings_dict["OPTIONS"]:
        connection.close()
