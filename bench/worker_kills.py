"""Workers killed at random: nothing lost, nothing doubled, poison in the dead letters.

python -m bench.worker_kills --jobs 1000
"""

from __future__ import annotations

import os
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bench.effects import effects_table
from bench.random_kills import kill_until_idle
from bench.report import publish_outcome
from bench.runner import measured_database, parse_arguments

if TYPE_CHECKING:  # models load only once Django is set up
    from foundation.outbox.models import OutboxMessage


@dataclass(frozen=True)
class WorkerKillResult:
    """What became of the jobs. ``doubled``: more than one effect. ``gave_up``: a worker was killed under each of
    the job's attempts, so it stands, without effect, in the dead letters. ``lost``: anything else that is not
    done with its effect.
    """

    jobs: int
    workers: int
    kills: int
    attempts: int
    lost: int
    doubled: int
    gave_up: int
    poison_raising: str
    poison_dying: str
    seconds: float


def run(database: str, jobs: int, *, workers: int = 2, kill_every: float = 0.1, seed: int = 0) -> WorkerKillResult:
    """Queue ``jobs`` counting jobs and two poison ones in ``database``, kill workers until all came to rest.

    ``kill_every`` is the mean pause between kills in seconds, drawn at random. Needs the table of
    ``bench.effects.effects_table``; Django's default connection must point at the same database.
    """
    poison = _enqueue(jobs)
    started = time.monotonic()
    kills = kill_until_idle(database, workers=workers, kill_every=kill_every, seed=seed)
    return _outcome(poison, jobs, workers, kills, time.monotonic() - started)


def _enqueue(jobs: int) -> dict[str, str]:
    from bench.worker_handlers import DIE, RAISE, SLOW_COUNT
    from foundation.accounts.models import User
    from foundation.database.acting_user import acting_as
    from foundation.outbox.services import enqueue

    user = User.objects.create_user(username=f"bench-{os.getpid()}")
    with acting_as(user.pk):
        for number in range(jobs):
            enqueue(SLOW_COUNT, user_id=user.pk, payload={"number": number}, wake=False)
        return {topic: str(enqueue(topic, user_id=user.pk, payload={}, wake=False).pk) for topic in (RAISE, DIE)}


def _outcome(poison: dict[str, str], jobs: int, workers: int, kills: int, seconds: float) -> WorkerKillResult:
    from bench.worker_handlers import DIE, RAISE, SLOW_COUNT
    from foundation.database.acting_user import in_role
    from foundation.database.roles import WORKER_ROLE
    from foundation.outbox.models import OutboxMessage

    effects = _effects()
    with in_role(WORKER_ROLE):
        rows = {str(row.pk): row for row in OutboxMessage.objects.all()}
    counted = [row for row in rows.values() if row.topic == SLOW_COUNT]
    done = {str(row.pk) for row in counted if row.state == OutboxMessage.State.DONE}
    gave_up = {str(row.pk) for row in counted if _used_up(row)} - effects.keys()
    return WorkerKillResult(
        jobs=jobs,
        workers=workers,
        kills=kills,
        attempts=sum(row.attempts for row in counted),
        lost=jobs - len(done & effects.keys()) - len(gave_up),
        doubled=sum(count > 1 for count in effects.values()),
        gave_up=len(gave_up),
        poison_raising=_ended(rows[poison[RAISE]]),
        poison_dying=_ended(rows[poison[DIE]]),
        seconds=round(seconds, 1),
    )


def _used_up(row: OutboxMessage) -> bool:
    return (row.state, row.attempts, row.error_class) == ("failed", row.max_attempts, "WorkerDied")


def _ended(row: OutboxMessage) -> str:
    return f"{row.state} after {row.attempts} attempts: {row.error_class}"


def _effects() -> dict[str, int]:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT job::text, count(*) FROM bench_effect GROUP BY job")
        return dict(cursor.fetchall())


def main() -> None:
    """Run on a scratch database, print the table, write the figures."""
    arguments = parse_arguments(__doc__, jobs=1_000, kill_every=(0.1, "mean seconds between kills"), seed=0)
    with measured_database() as database, effects_table(database):
        outcome = run(database, arguments.jobs, kill_every=arguments.kill_every, seed=arguments.seed)
    publish_outcome("worker_kills", outcome)
    sys.exit(bool(outcome.lost or outcome.doubled))


if __name__ == "__main__":
    main()
