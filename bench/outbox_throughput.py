"""Jobs a second through the outbox, end to end, and how soon a single one is done.

    python -m bench.outbox_throughput --jobs 5000

A real ``qcluster`` with two workers runs a handler that only completes.
"""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass

from bench.report import publish_outcome
from bench.runner import measured_database, parse_arguments

SINGLE_JOBS = 40


@dataclass(frozen=True)
class Figures:
    """``enqueue_per_second`` is one transaction a row; latencies run from before the commit to seen as done."""

    jobs: int
    workers: int
    enqueue_per_second: float
    jobs_per_second: float
    single_p50_ms: float
    single_p95_ms: float


def measure(database: str, jobs: int, workers: int) -> Figures:
    """Enqueue ``jobs`` rows while nobody works, time the worker on them, then send single ones."""
    from bench.qcluster import qcluster

    enqueue_seconds = _timed_enqueue(jobs)
    with qcluster(database, workers=workers):
        _wait_until_done(1)
        already, started = _done(), time.perf_counter()
        _wait_until_done(jobs)
        drained = (jobs - already) / (time.perf_counter() - started)
        singles = sorted(_single() for _ in range(SINGLE_JOBS))
    return Figures(
        jobs=jobs,
        workers=workers,
        enqueue_per_second=round(jobs / enqueue_seconds),
        jobs_per_second=round(drained),
        single_p50_ms=round(statistics.median(singles) * 1000, 1),
        single_p95_ms=round(singles[int(0.95 * len(singles))] * 1000, 1),
    )


def _timed_enqueue(jobs: int) -> float:
    started = time.perf_counter()
    for _ in range(jobs):
        _enqueue()
    return time.perf_counter() - started


def _enqueue() -> None:
    from django.db import transaction

    from bench.worker_handlers import NOTHING
    from foundation.outbox.services import enqueue

    with transaction.atomic():
        enqueue(NOTHING, user_id=None, payload={})


def _single() -> float:
    target = _done() + 1
    started = time.perf_counter()
    _enqueue()
    _wait_until_done(target)
    return time.perf_counter() - started


def _wait_until_done(count: int) -> None:
    while _done() < count:
        time.sleep(0.005)


def _done() -> int:
    from foundation.outbox.models import OutboxMessage

    return OutboxMessage.objects.filter(state=OutboxMessage.State.DONE).count()


def main() -> None:
    """Run on a scratch database, print the table, write the figures."""
    arguments = parse_arguments(__doc__, jobs=5_000, workers=2)
    with measured_database() as database:
        figures = measure(database, arguments.jobs, arguments.workers)
    publish_outcome("outbox_throughput", figures)


if __name__ == "__main__":
    main()
