"""The tasks that django-q2 runs: drain the outbox, sweep it."""

from __future__ import annotations

import time
from datetime import timedelta

import structlog
from django.conf import settings

from foundation.deadlines import DeadlineExceeded
from foundation.outbox import services
from foundation.outbox.capacity import is_due_within
from foundation.outbox.exceptions import LostLease, WorkSuspended
from foundation.outbox.jobs import Job, handlers
from foundation.outbox.models import OutboxMessage
from foundation.outbox.worker_wakeup import wake_worker
from foundation.telemetry.metrics import OUTBOX_FINISHED, OUTBOX_SECONDS
from foundation.telemetry.spans import set_span_attributes, span

log = structlog.get_logger(__name__)
KEEP_FINISHED = timedelta(days=7)
_LOOK_AGAIN_SECONDS = 0.1
_HAND_OVER_SECONDS = 60.0


def drain() -> int:
    """Run waiting rows until none is left, nor any that becomes due in a moment; answers how many ran.

    After a while it leaves what is due in a moment to the next drain: a task that never ends would be killed.
    """
    done = 0
    began = idle_from = time.monotonic()
    while True:
        while (message := services.claim()) is not None:
            run(message)
            done += 1
            idle_from = time.monotonic()
        left = idle_from + settings.OUTBOX_LINGER_SECONDS - time.monotonic()
        if left <= 0 or not is_due_within(left):
            return done
        if time.monotonic() - began > _HAND_OVER_SECONDS:
            wake_worker()
            return done
        time.sleep(_LOOK_AGAIN_SECONDS)  # whatever else comes in meanwhile is run as well


def run(message: OutboxMessage) -> None:
    """Run one claimed row through its topic's handler. Whatever it raises becomes an attempt, never a crash."""
    with span(f"job {message.topic}", topic=message.topic, attempt=message.attempts):
        outcome = _run_handler(message)
        set_span_attributes(outcome=outcome)
    OUTBOX_FINISHED.labels(topic=message.topic, outcome=outcome).inc()


def _run_handler(message: OutboxMessage) -> str:
    handler = handlers().get(message.topic)
    try:
        if handler is None:
            raise LookupError("no handler for this topic")
        with OUTBOX_SECONDS.labels(topic=message.topic).time():
            handler(Job(message))
    except LostLease:
        return "lost_lease"
    except WorkSuspended:
        services.suspend(message)
        return "suspended"
    except Exception as error:  # noqa: BLE001  the one place where a job's failure becomes a row
        # What computed for too long would do so again.
        services.fail(message, error, final=handler is None or isinstance(error, DeadlineExceeded))
        log.warning("job_failed", job=str(message.pk), topic=message.topic, attempt=message.attempts,
                    error=type(error).__name__)  # fmt: skip
        return "failed"
    return "done"


def sweep() -> None:
    """Every minute: reclaim expired leases, delete old finished rows, run what waits."""
    waiting, dead = services.reclaim()
    if waiting or dead:
        log.warning("leases_reclaimed", waiting=waiting, dead_letters=dead)
    services.prune(KEEP_FINISHED)
    drain()
