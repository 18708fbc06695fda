"""Outbox handlers whose effects can be counted afterwards, and two that are poison."""

from __future__ import annotations

import os
import random
import re
import signal
import time
from contextlib import suppress

from django.db import connection

from foundation.deadlines import DeadlineExceeded
from foundation.outbox.jobs import Handler, Job, within_deadline

COUNT, SLOW_COUNT, NOTHING, RAISE, DIE = "bench.count", "bench.slow_count", "bench.nothing", "bench.raise", "bench.die"
RUN_AWAY, RUN_AWAY_DEAF = "bench.run_away", "bench.run_away_deaf"
LONGEST_WORK_SECONDS = 0.02
_EXPONENTIAL = re.compile("(?:a|a)*b")


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


def run_away(job: Job) -> None:
    """Compute for ever, as an exponential pattern does on hostile text."""
    _EXPONENTIAL.fullmatch("a" * 60)


def run_away_deaf(job: Job) -> None:
    """Compute for ever and hear nothing, as a loop in C does."""
    while True:
        with suppress(DeadlineExceeded):
            run_away(job)


HANDLERS: dict[str, Handler] = {
    COUNT: count,
    SLOW_COUNT: slow_count,
    NOTHING: nothing,
    RAISE: raise_poison,
    DIE: die,
    RUN_AWAY: within_deadline(run_away),
    RUN_AWAY_DEAF: within_deadline(run_away_deaf),
}
