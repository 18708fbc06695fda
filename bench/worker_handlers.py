"""Outbox handlers whose effects can be counted afterwards, and two that are poison."""

from __future__ import annotations

import os
import random
import signal
import time

from django.db import connection

from foundation.outbox.jobs import Handler, Job

COUNT, SLOW_COUNT, NOTHING, RAISE, DIE = "bench.count", "bench.slow_count", "bench.nothing", "bench.raise", "bench.die"
LONGEST_WORK_SECONDS = 0.02


class Poison(Exception):
    """What the raising poison job raises."""


def count(job: Job) -> None:
    """Leave one row behind: which job, by which process, over which database connection."""
    with job.completing():
        _leave_trace(job)


def slow_count(job: Job) -> None:
    """Like ``count``, with time to be killed before, between and after its writes."""
    time.sleep(random.uniform(0, LONGEST_WORK_SECONDS))
    with job.completing():
        _leave_trace(job)
        time.sleep(random.uniform(0, LONGEST_WORK_SECONDS))


def _leave_trace(job: Job) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO bench_effect (job, process, backend) VALUES (%s, %s, pg_backend_pid())",
            [job.id, os.getpid()],
        )


def nothing(job: Job) -> None:
    """Complete, and no more: what is left is the outbox's own cost."""
    with job.completing():
        pass


def raise_poison(job: Job) -> None:
    """Fail every time."""
    raise Poison


def die(job: Job) -> None:
    """Take the whole process along, as a crash in a C library would."""
    os.kill(os.getpid(), signal.SIGKILL)


HANDLERS: dict[str, Handler] = {
    COUNT: count,
    SLOW_COUNT: slow_count,
    NOTHING: nothing,
    RAISE: raise_poison,
    DIE: die,
}
