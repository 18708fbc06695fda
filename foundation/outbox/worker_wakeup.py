"""Wake a worker as soon as work is committed, with at most one wake-up in the queue."""

from __future__ import annotations

from django.db import connection
from django_q.conf import Conf
from django_q.tasks import async_task

from foundation.outbox.schedules import DRAIN

# By hand: this stands behind every request that queues work, and the ORM takes longer to say it than to ask it.
_IS_ASKED_FOR = "SELECT EXISTS (SELECT FROM django_q_ormq WHERE key = %s AND lock <= clock_timestamp())"


def wake_worker() -> None:
    """Queue a drain, unless one waits already: that one will see our row too.

    To be called after commit, else the drain may look before the row is there.
    """
    with connection.cursor() as cursor:
        cursor.execute(_IS_ASKED_FOR, [Conf.PREFIX])
        asked_for = cursor.fetchone()[0]
    if not asked_for:
        async_task(DRAIN, save=False)
