"""Takes back what workers held that died: the process at their head looks for it every second."""

from __future__ import annotations

from time import monotonic
from typing import Final

import structlog
from django.db import Error, connection

from foundation.outbox import services
from foundation.outbox.worker_wakeup import wake_worker
from foundation.telemetry.metrics import OUTBOX_RECLAIMED

log = structlog.get_logger(__name__)
LOOK_SECONDS: Final = 1.0


def take_back_abandoned() -> None:
    """Take back the rows of workers that died, of this head or another, and wake a worker for them."""
    waiting, dead = services.reclaim()
    if not waiting and not dead:
        return
    OUTBOX_RECLAIMED.labels(outcome="waiting").inc(waiting)
    OUTBOX_RECLAIMED.labels(outcome="dead_letter").inc(dead)
    log.warning("rows_of_dead_workers_taken_back", waiting=waiting, dead_letters=dead)
    if waiting:
        wake_worker()


class AbandonedRowsWatch:
    """Takes abandoned rows back again and again."""

    def __init__(self) -> None:
        self._next_look = 0.0

    def look(self) -> None:
        """Take them back, a second after the last time at the soonest. A database that is away is asked the next
        time.
        """
        if monotonic() < self._next_look:
            return
        self._next_look = monotonic() + LOOK_SECONDS
        try:
            take_back_abandoned()
        except Error as error:
            connection.close()
            log.warning("abandoned_rows_not_looked_for", error=type(error).__name__)
