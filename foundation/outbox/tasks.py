"""The tasks that django-q2 runs: drain the outbox, sweep it."""

from __future__ import annotations

import time
from contextlib import closing
from datetime import datetime, timedelta
from typing import Final

from django.conf import settings
from django.utils import timezone

from foundation.database.error_codes import is_database_down
from foundation.outbox import services
from foundation.outbox.capacity import is_due_within, measure_queue
from foundation.outbox.concurrent_jobs import ConcurrentJobs
from foundation.outbox.stop_signal import StopRequest, listen_for_stop
from foundation.outbox.worker_wakeup import wake_worker

KEEP_FINISHED = timedelta(days=7)
FINISHED_WITHIN_SECONDS: Final = 20.0
"""How long a worker that is told to stop lets its jobs go on before it gives their rows back."""
_LOOK_AGAIN_SECONDS = 0.1
_HAND_OVER_SECONDS = 60.0
_LONGEST_SECONDS = 300.0


def drain() -> int:
    """Run waiting rows until none is left and none becomes due in a moment; returns how many ran.

    After a while it leaves the rest to the next drain, since django-q2 kills a task that runs too long. When told to
    stop, neither it nor a later drain begins a job, and jobs that do not end soon are given back. If the database goes
    down, the rows of begun jobs are given back once it is up again, and another drain is queued.
    """
    try:
        with listen_for_stop() as asked_to_stop, closing(ConcurrentJobs(settings.MODEL_CONCURRENCY)) as jobs:
            _run_until_idle(jobs, asked_to_stop)
            jobs.finish(asked_to_stop.seconds_left(FINISHED_WITHIN_SECONDS))
            return jobs.ended
    except Exception as error:
        if is_database_down(error):
            wake_worker()
        raise


def _run_until_idle(jobs: ConcurrentJobs, asked_to_stop: StopRequest) -> None:
    began = idle_from = time.monotonic()
    while not asked_to_stop.is_set():
        looked_at = timezone.now()
        is_over = time.monotonic() - began > (_LONGEST_SECONDS if jobs.running else _HAND_OVER_SECONDS)
        if not is_over and jobs.begin_next():
            idle_from = time.monotonic()
        elif jobs.running:
            jobs.go_on(_LOOK_AGAIN_SECONDS)
            idle_from = time.monotonic()
        elif is_over:
            wake_worker()
            return
        elif not _is_worth_waiting(jobs, looked_at, until=idle_from + settings.OUTBOX_LINGER_SECONDS):
            return
        else:
            time.sleep(_LOOK_AGAIN_SECONDS)  # whatever else comes in meanwhile is run as well


def _is_worth_waiting(jobs: ConcurrentJobs, looked_at: datetime, until: float) -> bool:
    return jobs.trial_comes_by(until) or _more_comes_by(looked_at, until)


def _more_comes_by(looked_at: datetime, moment: float) -> bool:
    left = moment - time.monotonic()
    return left > 0 and is_due_within(left, looked_at)


def sweep() -> None:
    """Every minute: delete old finished rows, measure the queue, run what waits."""
    services.prune(KEEP_FINISHED)
    measure_queue()
    drain()
