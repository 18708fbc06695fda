"""Queues low-priority background jobs that work through waiting rows, at most one chain of jobs per user."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from django.conf import settings
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from consent.exceptions import LearningStopped
from consent.services import learning_permit
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE, WORKER_ROLE
from foundation.deadlines import DeadlineExceeded, cpu_deadline
from foundation.embeddings import EmbeddingUnavailable
from foundation.outbox import services as outbox
from foundation.outbox.capacity import has_room
from foundation.outbox.jobs import Job
from foundation.outbox.models import OutboxMessage, Priority
from foundation.outbox.worker_wakeup import wake_worker
from foundation.personal_data import ConsentScope
from foundation.telemetry.metrics import DEGRADED

PAUSE_AFTER_FAILURE: Final = timedelta(days=1)
"""How long after a user's job failed for good none is queued for them: without a fix, it would probably fail again."""
State = OutboxMessage.State
Process = Callable[[Job, Sequence[UUID], Sequence[UUID]], None]
"""What is done with a batch of a job's rows, given the job, the batch and the rows beyond it."""


@dataclass(frozen=True)
class Backlog:
    """Rows that wait for jobs of one ``topic``, whose payload lists ids under ``payload_key``.

    ``waiting`` returns the waiting rows visible to the role, each with its ``user``; ``listed`` returns the ids of the
    user's rows that the first job lists. One run of the schedule queues jobs for at most ``most_people`` users, and
    for none whose last job ended less than ``pause`` ago. No job is queued unless the feature ``is_on``.
    """

    topic: str
    payload_key: str
    waiting: Callable[[], QuerySet[Any]]
    listed: Callable[[UUID], list[UUID]]
    most_people: int
    pause: timedelta = timedelta()
    is_on: Callable[[], bool] = lambda: True

    def queue_due(self) -> int:
        """Queue a job for users whose rows wait and who have none; returns how many. For the schedule."""
        if not self.is_on() or not has_room(Priority.LOW):
            return 0
        return sum(map(self._begin, self._people(except_for=self._attended())[: self.most_people]))

    def queue_now(self) -> int:
        """Queue a job for every user whose rows wait and who has none; returns how many. For an operator."""
        if not self.is_on():
            return 0
        queued = sum(map(self._begin, self._people(except_for=())))
        if queued:
            wake_worker()
        return queued

    def queue(self, user_id: UUID, keys: Sequence[UUID], available_at: datetime | None = None) -> bool:
        """Queue a job for these entries; returns whether there were any."""
        if keys:
            outbox.enqueue(
                self.topic,
                user_id=user_id,
                payload={self.payload_key: [str(key) for key in keys]},
                scope=ConsentScope.MEMORY_LEARNING.value,
                priority=Priority.LOW,
                available_at=available_at,
                wake=False,  # a running worker takes it next; otherwise the outbox's sweep finds it within a minute
            )
        return bool(keys)

    def work_on(self, job: Job, batch_size: int, process: Process, give_up: Callable[[Sequence[UUID]], None]) -> None:
        """Call ``process`` with the job, the first ``batch_size`` rows that it lists, and the other listed rows.

        ``process`` ends by calling ``queue_next``. If the batch takes more than ``LEARNING_DEADLINE_SECONDS`` of CPU,
        each of its rows gets a job of its own; ``give_up`` is called for a row that takes longer alone. If embeddings
        are unavailable, the job ends as degraded, and the schedule queues the user again later.
        """
        listed = [UUID(value) for value in job.payload[self.payload_key]]
        batch, others = listed[:batch_size], listed[batch_size:]
        try:
            with cpu_deadline(settings.LEARNING_DEADLINE_SECONDS):
                process(job, batch, others)
        except DeadlineExceeded:
            with job.completing():
                if len(batch) == 1:
                    give_up(batch)
                for key in batch if len(batch) > 1 else ():
                    self.queue(job.user_id, [key])
                self.queue(job.user_id, others)
        except EmbeddingUnavailable as error:
            DEGRADED.labels(reason=error.code).inc()
            with job.completing():
                job.result |= {"degraded": [error.code]}

    def queue_next(self, job: Job, others: Sequence[UUID]) -> None:
        """Queue the rows that a job listed beyond its batch, or else the next that wait. Call while it completes."""
        self.queue(job.user_id, others or self.listed(job.user_id), available_at=job.message.available_at)

    def jobs(self) -> QuerySet[OutboxMessage]:
        """All jobs of the topic that the role sees."""
        return OutboxMessage.objects.filter(topic=self.topic)

    def unfinished_count(self) -> int:
        """How many jobs of all users wait or run."""
        with in_role(WORKER_ROLE):
            return self.jobs().filter(state__in=OutboxMessage.UNFINISHED).count()

    def _people(self, except_for: Collection[UUID]) -> Sequence[UUID]:
        """The users with waiting rows. Read in the operator role, so that rows hidden by an erasure are left out."""
        own = self.waiting().filter(user=OuterRef("pk"))
        with in_role(OPERATOR_ROLE):
            found = set(User.objects.filter(Exists(own)).values_list("pk", flat=True))
        return sorted(found.difference(except_for))

    def _attended(self) -> set[UUID]:
        """The users with a job that is unfinished, ended less than ``pause`` ago, or failed less than a day ago."""
        now = timezone.now()
        unfinished = Q(state__in=OutboxMessage.UNFINISHED)
        failed = Q(state=State.FAILED, finished_at__gt=now - PAUSE_AFTER_FAILURE)
        with in_role(WORKER_ROLE):
            found = self.jobs().filter(unfinished | failed | Q(finished_at__gt=now - self.pause))
            return {key for key in found.order_by().values_list("user_id", flat=True) if key}

    def _begin(self, user_id: UUID) -> bool:
        """Queue a user's first job, unless they have one or do not allow it; returns whether one was queued."""
        with acting_as(user_id):
            try:
                permit = learning_permit(user_id)  # locks the user: of two callers, the second finds the first's job
            except LearningStopped:
                return False
            if permit is None:
                return False
            if self.jobs().filter(user_id=user_id, state__in=OutboxMessage.UNFINISHED).exists():
                return False
            return self.queue(user_id, self.listed(user_id))
