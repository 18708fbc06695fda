"""Long tasks of every kind at once, their workers killed at random, some of them cancelled.

    python -m bench.long_tasks --tasks 200

The product's own handlers on two workers: research, copies of one's data, imports of chats. None is lost: every task
ends. None is doubled: it made one thing. None is silent: its end was told once by webhook and stands on the pages, and
a failed one says why; only one whose workers were killed in every attempt may fail.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from uuid import UUID

from bench.chat_exports import write
from bench.random_kills import jobs_of, kill_until_idle
from bench.report import publish_outcome
from bench.research_tasks import PROMPTS
from bench.runner import measured_database, parse_arguments

if TYPE_CHECKING:  # models load only once Django is set up
    from finclaw.models import TaskStatus
    from foundation.accounts.models import User

RESEARCH_EACH = 3  # of a person's tasks; the others are an export and an import
TASKS_EACH = RESEARCH_EACH + 2
CANCEL_EVERY = 10  # one of so many is cancelled on its way
KILLS_PER_TASK = 2  # in the mean, of the attempts that each has: most of them must get through
CONVERSATIONS, MESSAGES = 3, 12  # of each import


@dataclass(frozen=True)
class LongTasksOutcome:
    """What became of the tasks. ``lost`` never ended, or ended as failed though attempts were left, or as cancelled
    though nobody asked for it; ``doubled`` made a thing twice; ``empty_handed`` are done and made nothing; ``silent``
    were told by webhook never or more than once, stand on no page, or failed without a reason.
    """

    tasks: int
    kinds: int
    workers: int
    kills: int
    attempts: int
    completed: int
    cancelled: int
    failed: int
    lost: int
    doubled: int
    empty_handed: int
    silent: int
    seconds: float

    @property
    def holds(self) -> bool:
        """Whether every promise was kept, and something was done."""
        return not (self.lost or self.doubled or self.empty_handed or self.silent) and self.completed > 0


@dataclass
class Canceller:
    """Cancels some of the tasks between kills, as people do."""

    wanted: int
    cancelled: set[UUID] = field(default_factory=set)

    def look(self) -> None:
        """Cancel one more while there are to be more."""
        if len(self.cancelled) >= self.wanted:
            return
        for status in _statuses():
            if not status.is_over and status.pk not in self.cancelled:
                self.cancelled.add(status.pk)
                _cancel(status)
                return


def run(database: str, tasks: int, *, workers: int = 2, kill_every: float = 0.1, seed: int = 0) -> LongTasksOutcome:
    """Queue ``tasks``, rounded up to whole people's, kill workers until all came to rest, and look what became of them.

    ``kill_every`` is the mean pause between kills in seconds, drawn at random. Django's default connection must point
    at the same database.
    """
    from consent.export.services import remove_exports_of
    from finclaw.brain.long_tasks.services import fail_abandoned

    people = _queue(-(-tasks // TASKS_EACH))
    canceller, started = Canceller(tasks // CANCEL_EVERY), time.monotonic()
    kills = kill_until_idle(
        database,
        workers=workers,
        kill_every=kill_every,
        seed=seed,
        most_kills=KILLS_PER_TASK * tasks,
        handlers="bench.long_task_handlers.HANDLERS",
        between=canceller.look,
    )
    fail_abandoned()  # as the schedule does: tasks whose job gave up fail with their reason
    seconds = time.monotonic() - started
    outcome = _outcome(people, canceller.cancelled, workers=workers, kills=kills, seconds=seconds)
    for person in people:
        remove_exports_of(person.pk)
    return outcome


def _queue(count: int) -> list[User]:
    from bench.people import somebody
    from finclaw.brain.long_tasks.services import start_task
    from finclaw.models import LongTaskKind
    from foundation.database.acting_user import acting_as
    from foundation.webhooks.models import Webhook, WebhookEvent
    from memory.research.types import TaskDraft

    people = []
    for number in range(count):
        person, permit = somebody(f"busy-{number}")
        file = {"file": BytesIO(_chats(number)), "origin": "command"}
        start_task(permit, person, LongTaskKind.IMPORT, file)
        with acting_as(person.pk):
            Webhook.objects.create(
                user=person, url="https://nobody.invalid/", events=[WebhookEvent.TASK_DONE], secret=""
            )
            start_task(permit, person, LongTaskKind.EXPORT, {"source": "command"})
            for turn in range(RESEARCH_EACH):
                draft = TaskDraft("snapshot", PROMPTS[turn % len(PROMPTS)])
                start_task(permit, person, LongTaskKind.RESEARCH, {"draft": draft})
        people.append(person)
    return people


def _chats(seed: int) -> bytes:
    with TemporaryDirectory() as folder:
        file = Path(folder, "conversations.json")
        write(file, CONVERSATIONS, MESSAGES, "claude", seed)
        return file.read_bytes()


def _statuses() -> list[TaskStatus]:
    from finclaw.models import TaskStatus
    from foundation.database.acting_user import in_role
    from foundation.database.roles import OPERATOR_ROLE

    with in_role(OPERATOR_ROLE):
        return list(TaskStatus.objects.order_by("?"))


def _cancel(status: TaskStatus) -> None:
    from consent.services import permit_for
    from finclaw.brain.long_tasks.services import cancel_task
    from foundation.accounts.models import User
    from foundation.database.acting_user import acting_as

    with acting_as(status.user_id):
        person = User.objects.get(pk=status.user_id)
        cancel_task(permit_for(person), person, status.pk)


def _outcome(
    people: Collection[User], cancelled: Collection[UUID], *, workers: int, kills: int, seconds: float
) -> LongTasksOutcome:
    ended = _statuses()
    jobs, killed = jobs_of([status.pk for status in ended])
    made, told = _made(), _told()
    states = Counter(status.state for status in ended)
    return LongTasksOutcome(
        tasks=len(ended),
        kinds=len({status.kind for status in ended}),
        workers=workers,
        kills=kills,
        attempts=sum(job.attempts for job in jobs),
        completed=states["completed"],
        cancelled=states["cancelled"],
        failed=states["failed"],
        lost=len(people) * TASKS_EACH - len(ended) + sum(_is_lost(status, cancelled, killed) for status in ended),
        doubled=sum(made[status.pk] > 1 for status in ended),
        empty_handed=sum(status.state == "completed" and not made[status.pk] for status in ended),
        silent=sum(_is_silent(status, told[status.pk]) for status in ended),
        seconds=round(seconds, 1),
    )


def _made() -> Counter[UUID]:
    """How often each task made what it makes: snapshots, archives put into place, and whole imports."""
    from consent.models import AuditEvent
    from foundation.database.acting_user import in_role
    from foundation.database.roles import OPERATOR_ROLE
    from memory.models import ChatImport, ConversationEvent, Snapshot

    with in_role(OPERATOR_ROLE):
        made = Counter(Snapshot.objects.values_list("task_id", flat=True))
        archives = AuditEvent.objects.filter(action="export.completed").values_list("subject_id", flat=True)
        made.update(key for key in archives if key)
        for chat_import in ChatImport.objects.all():
            brought = ConversationEvent.objects.filter(session__brought_by=chat_import.pk).count()
            made[chat_import.pk] = -(-brought // MESSAGES)
        return made


def _told() -> Counter[UUID]:
    from foundation.database.acting_user import in_role
    from foundation.database.roles import OPERATOR_ROLE
    from foundation.webhooks.models import WebhookDelivery

    with in_role(OPERATOR_ROLE):
        return Counter(WebhookDelivery.objects.values_list("subject_id", flat=True))


def _is_lost(status: TaskStatus, cancelled: Collection[UUID], killed: Collection[UUID]) -> bool:
    """Whether a task never ended, or ended otherwise than done without a cause."""
    if status.state == "cancelled":
        return status.pk not in cancelled
    return not status.is_over or (status.state == "failed" and status.pk not in killed)


def _is_silent(status: TaskStatus, told: int) -> bool:
    """Whether a task's end was not told once, stands on no page, or does not say why."""
    is_on_page = status.is_unseen or status.state == "cancelled"  # who cancelled it knows
    return status.is_over and (told != 1 or not is_on_page or (status.state == "failed" and not status.error_code))


def main() -> None:
    """Run on a scratch database, print the table, write the figures; exit 1 where a promise was broken."""
    arguments = parse_arguments(__doc__, tasks=200, kill_every=(0.1, "mean seconds between kills"), seed=0)
    with measured_database() as database:
        outcome = run(database, arguments.tasks, kill_every=arguments.kill_every, seed=arguments.seed)
    publish_outcome("long_tasks", outcome)
    sys.exit(not outcome.holds)


if __name__ == "__main__":
    main()
