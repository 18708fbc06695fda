"""Takes back the rows of dead workers; the parent process of the workers ("head") looks for them every second.

A lease that ends is no proof of a death. A worker may load a model, on a busy machine, and renew nothing for longer
than a lease. So the head takes a row back at once only where a process of its own has ended, or it has just begun and
an earlier head may have been killed; else after ``PATIENCE``, as for workers of other machines. A database that could
not be asked was away from its workers as well: nothing is taken back until they have had a lease's time to renew.

A process that died may have taken a wake-up from the queue and not yet claimed a row: so a worker is woken whenever a
death is suspected.
"""

from __future__ import annotations

from datetime import timedelta
from time import monotonic
from typing import Final

import psutil
import structlog
from django.conf import settings
from django.db import Error, connection

from foundation.outbox import services
from foundation.outbox.worker_wakeup import wake_worker
from foundation.telemetry.metrics import OUTBOX_RECLAIMED

log = structlog.get_logger(__name__)
LOOK_SECONDS: Final = 1.0
PATIENCE: Final = timedelta(seconds=60)
"""How long after the end of its lease a row is left to a worker that nobody saw die."""
SUSPECTING_SECONDS: Final = 10.0
"""For so much longer than a lease rows of the dead are looked for after a process has ended. On a busy machine the head
itself may miss several looks, and a row that it misses waits for ``PATIENCE``.
"""


def take_back_abandoned(overdue: timedelta = timedelta(0)) -> None:
    """Take back the rows of workers that died, of this head or another, and wake a worker for them."""
    waiting, dead = services.reclaim(overdue)
    if not waiting and not dead:
        return
    OUTBOX_RECLAIMED.labels(outcome="waiting").inc(waiting)
    OUTBOX_RECLAIMED.labels(outcome="dead_letter").inc(dead)
    log.warning("rows_of_dead_workers_taken_back", waiting=waiting, dead_letters=dead)
    if waiting:
        wake_worker()


class AbandonedRowsWatch:
    """Takes abandoned rows back again and again, for the process at the head of the workers."""

    def __init__(self) -> None:
        self._next_look = 0.0
        self._workers: set[int] = set()
        self._was_away = False
        self._is_wake_up_due = False
        self._suspects_until = 0.0
        self._suspect_death()

    def look(self) -> None:
        """Take them back, a second after the last time at the soonest.

        A database that is away is asked the next time. Once it answers again, rows are left alone for a lease.
        """
        if monotonic() < self._next_look:
            return
        self._next_look = monotonic() + LOOK_SECONDS
        before, self._workers = self._workers, {child.pid for child in psutil.Process().children(recursive=True)}
        if before - self._workers:
            self._suspect_death()
        try:
            self._take_back()
        except Error as error:
            self._was_away = True
            connection.close()
            log.warning("abandoned_rows_not_looked_for", error=type(error).__name__)

    def _take_back(self) -> None:
        if not self._was_away:
            if self._is_wake_up_due:
                wake_worker()
                self._is_wake_up_due = False
            take_back_abandoned(timedelta(0) if monotonic() < self._suspects_until else PATIENCE)
            return
        connection.ensure_connection()
        self._was_away = False
        self._next_look = monotonic() + settings.OUTBOX_LEASE_SECONDS
        self._suspect_death(since=self._next_look)  # nobody could look meanwhile

    def _suspect_death(self, since: float | None = None) -> None:
        begin = monotonic() if since is None else since
        self._is_wake_up_due = True
        self._suspects_until = begin + settings.OUTBOX_LEASE_SECONDS + SUSPECTING_SECONDS
