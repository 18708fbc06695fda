"""Many research tasks at once, their workers killed at random, some of them cancelled.

    python -m bench.research_tasks --tasks 50

The product's own handler and offline builders, on two workers. Every task ends: done with one object, cancelled, or,
where its workers were killed in every attempt it had, failed with that reason; every end wrote down what the task ran
with.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from itertools import cycle
from typing import TYPE_CHECKING
from uuid import UUID

from bench.random_kills import jobs_of, kill_until_idle
from bench.report import publish_outcome
from bench.runner import measured_database, parse_arguments

if TYPE_CHECKING:  # models load only once Django is set up
    from memory.models import ResearchTask

PEOPLE = 5
CANCEL_EVERY = 5  # one of so many is cancelled on its way
KILLS_PER_TASK = 2  # in the mean, of the five attempts that each has: most of them must get through
PROMPTS = (
    "Analyze Nvidia. I think it keeps its lead.\nOn 2025-08-27 revenue was 46.7 billion.\nIf margins fall, I am wrong.",
    "请分析贵州茅台。我认为品牌护城河稳固。\n2025年10月29日公告毛利率91.2%。\n如果批价跌破1600元,论点失效。",
)


@dataclass(frozen=True)
class ResearchTaskResult:
    """What became of the tasks. ``shown`` were seen under way, between nothing and all; ``unfinished`` never ended,
    ``doubled`` made two objects, ``empty_handed`` are done without one, ``unexplained`` failed without a reason,
    ``broken_off`` failed though nobody cancelled them and they had attempts left, or ended cancelled though nobody
    asked for it, ``without_context`` ended and did not say what they ran with.
    """

    tasks: int
    workers: int
    kills: int
    attempts: int
    completed: int
    cancelled: int
    failed: int
    shown: int
    unfinished: int
    doubled: int
    empty_handed: int
    unexplained: int
    broken_off: int
    without_context: int
    seconds: float

    @property
    def holds(self) -> bool:
        """Whether every promise was kept: whatever was neither cancelled nor killed to its last attempt is done."""
        ends = self.unfinished or self.unexplained or self.broken_off or self.without_context
        return not (ends or self.doubled or self.empty_handed) and self.shown > 0 < self.completed


@dataclass
class Watcher:
    """Looks on between kills as people do who wait for their tasks, and cancels some of them."""

    wanted: int
    cancelled: set[UUID] = field(default_factory=set)
    shown: set[UUID] = field(default_factory=set)

    def look(self) -> None:
        """Note which tasks are under way; have one more cancelled while there are to be more."""
        for task in _all_tasks():
            if task.state == "running" and 0 < task.progress < 100:
                self.shown.add(task.pk)
            if len(self.cancelled) < self.wanted and not task.is_over and task.pk not in self.cancelled:
                self.cancelled.add(task.pk)
                _cancel(task)
                return


def run(database: str, tasks: int, *, workers: int = 2, kill_every: float = 0.1, seed: int = 0) -> ResearchTaskResult:
    """Queue ``tasks`` in ``database``, kill workers until all came to rest, and look what became of them.

    ``kill_every`` is the mean pause between kills in seconds, drawn at random; there are ``KILLS_PER_TASK`` for each
    task. Django's default connection must point
    at the same database.
    """
    from finclaw.brain.long_tasks.services import fail_abandoned

    _queue(tasks)
    watcher, started = Watcher(tasks // CANCEL_EVERY), time.monotonic()
    kills = kill_until_idle(
        database,
        workers=workers,
        kill_every=kill_every,
        seed=seed,
        most_kills=KILLS_PER_TASK * tasks,
        handlers="finclaw.jobs.HANDLERS",
        between=watcher.look,
    )
    fail_abandoned()  # as the schedule does: tasks whose job gave up fail with their reason
    return _outcome(_all_tasks(), watcher, workers=workers, kills=kills, seconds=time.monotonic() - started)


def _queue(tasks: int) -> None:
    from bench.people import somebody
    from consent.services import permit_for
    from finclaw.brain.research.services import create_research_task
    from foundation.database.acting_user import acting_as
    from memory.research.types import TaskDraft

    people = [somebody(f"researcher-{number}")[0] for number in range(PEOPLE)]
    for _, person, prompt in zip(range(tasks), cycle(people), cycle(PROMPTS), strict=False):
        with acting_as(person.pk):
            create_research_task(permit_for(person), person, TaskDraft("snapshot", prompt))


def _all_tasks() -> list[ResearchTask]:
    from foundation.database.acting_user import in_role
    from foundation.database.roles import OPERATOR_ROLE
    from memory.models import ResearchTask

    with in_role(OPERATOR_ROLE):
        return list(ResearchTask.objects.order_by("?"))


def _cancel(task: ResearchTask) -> None:
    from consent.services import permit_for
    from foundation.accounts.models import User
    from foundation.database.acting_user import acting_as
    from memory.research.task_lifecycle import request_cancel

    with acting_as(task.user_id):
        request_cancel(permit_for(User.objects.get(pk=task.user_id)), task.pk)


def _outcome(
    ended: Sequence[ResearchTask], watcher: Watcher, *, workers: int, kills: int, seconds: float
) -> ResearchTaskResult:  # fmt: skip
    from foundation.database.acting_user import in_role
    from foundation.database.roles import OPERATOR_ROLE
    from memory.models import Snapshot, TaskContext

    with in_role(OPERATOR_ROLE):
        made = Counter(Snapshot.objects.values_list("task_id", flat=True))
        told = set(TaskContext.objects.values_list("task_id", flat=True))
    jobs, killed = jobs_of([task.pk for task in ended])
    by_state = Counter(task.state for task in ended)
    return ResearchTaskResult(
        tasks=len(ended),
        workers=workers,
        kills=kills,
        attempts=sum(job.attempts for job in jobs),
        completed=by_state["completed"],
        cancelled=by_state["cancelled"],
        failed=by_state["failed"],
        shown=len(watcher.shown),
        unfinished=sum(not task.is_over for task in ended),
        doubled=sum(count > 1 for count in made.values()),
        empty_handed=sum(task.state == "completed" and not made[task.pk] for task in ended),
        unexplained=sum(task.state == "failed" and not task.error_code for task in ended),
        broken_off=sum(_broken_off(task, watcher.cancelled, killed) for task in ended),
        without_context=sum(task.is_over and task.pk not in told for task in ended),
        seconds=round(seconds, 1),
    )


def _broken_off(task: ResearchTask, cancelled: Collection[UUID], killed: Collection[UUID]) -> bool:
    """Whether a task was not done though it could have been."""
    from finclaw.brain.long_tasks.services import TASK_LOST

    if task.state == "cancelled":
        return task.pk not in cancelled
    return task.state == "failed" and (task.error_code != TASK_LOST or task.pk not in killed)


def main() -> None:
    """Run on a scratch database, print the table, write the figures; exit 1 where a promise was broken."""
    arguments = parse_arguments(__doc__, tasks=50, kill_every=(0.1, "mean seconds between kills"), seed=0)
    with measured_database() as database:
        outcome = run(database, arguments.tasks, kill_every=arguments.kill_every, seed=arguments.seed)
    publish_outcome("research_tasks", outcome)
    sys.exit(not outcome.holds)


if __name__ == "__main__":
    main()
