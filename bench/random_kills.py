"""Kill real worker processes at random, and wait until the queue comes to rest."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import UUID

import psutil

if TYPE_CHECKING:  # models load only once Django is set up
    from foundation.outbox.models import OutboxMessage

ROOT = Path(__file__).resolve().parent.parent
LEASE_SECONDS = 1
RETRY_SECONDS = 0.02
PATIENCE_SECONDS = 600.0


def kill_until_idle(
    database: str,
    *,
    workers: int,
    kill_every: float,
    seed: int,
    most_kills: int | None = None,
    handlers: str = "bench.worker_handlers.HANDLERS",
    between: Callable[[], object] = lambda: None,
    patience: float = PATIENCE_SECONDS,
) -> int:
    """Keep ``workers`` processes at work in ``database``, kill one now and then until nothing waits; answers how
    many were killed.

    ``kill_every`` is the mean pause between kills in seconds, drawn at random; ``between`` is called in each. After
    ``most_kills`` nobody is killed any more, so that however slow the machine is something gets done. Raises
    ``TimeoutError`` when that takes more than ``patience`` seconds.
    Django's default connection must point at the same database.
    """
    chance = random.Random(seed)
    kills = 0
    deadline = time.monotonic() + patience
    with _nursery(database, workers, handlers) as nursery:
        while _unfinished():
            if time.monotonic() > deadline:
                raise TimeoutError("the queue did not come to rest")
            time.sleep(chance.uniform(0, 2 * kill_every))
            between()
            if (most_kills is None or kills < most_kills) and (children := nursery.children()):
                kills += _kill(chance.choice(children))
    return kills


@contextmanager
def _nursery(database: str, count: int, handlers: str) -> Iterator[psutil.Process]:
    process = subprocess.Popen(
        [sys.executable, "-m", "bench.workers", str(count)], cwd=ROOT, env=_environment(database, handlers)
    )
    try:
        yield psutil.Process(process.pid)
    finally:
        process.terminate()
        process.wait(timeout=30)


def _environment(database: str, handlers: str) -> dict[str, str]:
    return os.environ | {
        "DJANGO_SETTINGS_MODULE": "bench.worker_settings",
        "BENCH_DATABASE": database,
        "BENCH_HANDLERS": handlers,
        "OUTBOX_LEASE_SECONDS": str(LEASE_SECONDS),
        "OUTBOX_RETRY_SECONDS": str(RETRY_SECONDS),
        "END_WAIT_SECONDS": "0",
        "PORTRAIT_REMAKE_SECONDS": "0",
        "LOG_LEVEL": "ERROR",
    }


def _kill(child: psutil.Process) -> int:
    try:
        child.kill()
    except psutil.NoSuchProcess:
        return 0  # its poison was quicker
    return 1


def _unfinished() -> bool:
    from foundation.database.acting_user import in_role
    from foundation.database.roles import WORKER_ROLE
    from foundation.outbox.models import OutboxMessage

    with in_role(WORKER_ROLE):
        return OutboxMessage.objects.filter(state__in=["pending", "processing"]).exists()


def jobs_of(task_ids: Collection[UUID]) -> tuple[list[OutboxMessage], set[UUID]]:
    """The jobs behind these tasks, and the ids of those that gave up after their last attempt."""
    from foundation.database.acting_user import in_role
    from foundation.database.roles import WORKER_ROLE
    from foundation.outbox.models import OutboxMessage

    with in_role(WORKER_ROLE):
        jobs = list(OutboxMessage.objects.filter(pk__in=task_ids))
    return jobs, {job.pk for job in jobs if job.state == OutboxMessage.State.FAILED and job.is_last_attempt}
