"""Wake a worker as soon as work is committed, with at most one wake-up in the queue."""

from __future__ import annotations

from typing import Final

from django.db import connection
from django_q.brokers import get_broker
from django_q.conf import Conf
from django_q.tasks import async_task

from foundation.outbox.redis_wakeups import RedisAway, redis_wakeups
from foundation.outbox.schedules import DRAIN

DRAINS: Final = f"{Conf.PREFIX}.drains"
"""The queue of wake-ups: beside that of schedules, whose tasks run no row of the outbox, and taken from first."""

# By hand: this stands behind every request that queues work, and the ORM takes longer to say it than to ask it.
_IS_ASKED_FOR = "SELECT EXISTS (SELECT FROM django_q_ormq WHERE key = %s AND lock <= clock_timestamp())"


def wake_worker() -> None:
    """Queue a drain, unless one waits already: that one will see our row too.

    To be called after commit, else the drain may look before the row is there. Through Redis where there is one.
    """
    if not _wake_through_redis():
        _queue_drain()


def _wake_through_redis() -> bool:
    """Whether Redis has a wake-up now: not where there is none, or it is away."""
    wakeups = redis_wakeups()
    if wakeups is None:
        return False
    try:
        wakeups.wake()
    except RedisAway:
        return False
    return True


def _queue_drain() -> None:
    with connection.cursor() as cursor:
        cursor.execute(_IS_ASKED_FOR, [DRAINS])
        asked_for = cursor.fetchone()[0]
    if not asked_for:
        async_task(DRAIN, save=False, broker=get_broker(DRAINS))
