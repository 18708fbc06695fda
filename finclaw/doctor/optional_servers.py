"""Examines what an installation works without, but slower: a standby to read from, and Redis."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError, connections
from psycopg_pool import PoolTimeout

from finclaw.doctor.findings import DoctorFinding
from foundation.database.urls import REPLICA
from foundation.outbox.redis_wakeups import RedisAway, redis_wakeups

MOST_LAG_SECONDS: Final = 10.0
_LAG: Final = """
    SELECT pg_is_in_recovery(), CASE WHEN pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() THEN 0
    ELSE coalesce(extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp()), 0) END::float8
"""


def examine_standby() -> Iterator[DoctorFinding]:
    """Whether DATABASE_REPLICA_URL leads to a standby that keeps up; nothing where it is empty."""
    if REPLICA not in connections.settings:
        return
    try:
        with connections[REPLICA].cursor() as cursor:
            cursor.execute(_LAG)
            is_standby, lag = cursor.fetchone()
    except (DatabaseError, PoolTimeout) as error:
        what = f"it does not answer: {type(error).__name__}"
        yield DoctorFinding("standby", what, "Mend DATABASE_REPLICA_URL; the primary is read meanwhile.")
        return
    if not is_standby:
        remedy = "No standby is left, or the address is the primary's: patronictl list."
        yield DoctorFinding("standby", "DATABASE_REPLICA_URL leads to a primary", remedy)
    else:
        remedy = "See FinClawPostgresqlLags in docs/operating.md." if lag > MOST_LAG_SECONDS else ""
        yield DoctorFinding("standby", f"it is {lag:.0f} s behind", remedy)


def examine_redis() -> Iterator[DoctorFinding]:
    """Whether REDIS_URL leads to a Redis that answers; nothing where it is empty."""
    try:
        wakeups = redis_wakeups()
        if wakeups is None:
            return
        wakeups.ping()
    except ImproperlyConfigured as error:
        yield DoctorFinding("redis", str(error), "Run make extras.", is_urgent=True)
    except RedisAway:
        yield DoctorFinding("redis", "it does not answer", "Start it, or unset REDIS_URL; PostgreSQL wakes meanwhile.")
    else:
        yield DoctorFinding("redis", "it answers")
