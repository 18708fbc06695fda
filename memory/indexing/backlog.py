"""Work in the background on what waits of each person: one job a person at a time, behind all other work."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from consent.services import learning_permit
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE, WORKER_ROLE
from foundation.outbox import services as outbox
from foundation.outbox.models import OutboxMessage, Priority
from foundation.outbox.worker_wakeup import wake_worker
from foundation.personal_data import ConsentScope

PAUSE_AFTER_FAILURE: Final = timedelta(days=1)
"""How long whoever's job used up its attempts is left alone: the next would, too, unless somebody looked."""
State = OutboxMessage.State
_UNFINISHED: Final = (State.PENDING, State.PROCESSING)


@dataclass(frozen=True)
class Backlog:
    """Rows that wait for jobs of one ``topic``, whose payload lists ids under ``payload_key``.

    ``waiting`` answers those of whoever the role sees, each with its ``user``, ``listed`` what the acting person's
    first job names. The schedule begins with ``most_people`` at a time, and not with those whose job ended less than
    ``pause`` ago.
    """

    topic: str
    payload_key: str
    waiting: Callable[[], QuerySet[Any]]
    listed: Callable[[UUID], list[UUID]]
    most_people: int
    pause: timedelta = timedelta()

    def queue_due(self) -> int:
        """For the schedule: queue those whose entries wait and who are not attended to; returns how many people."""
        return sum(map(self._begin, self._people(except_for=self._attended())[: self.most_people]))

    def queue_now(self) -> int:
        """For an operator: queue everybody whose entries wait and who has no job; returns how many people."""
        queued = sum(map(self._begin, self._people(except_for=())))
        if queued:
            wake_worker()
        return queued

    def queue(self, user_id: UUID, keys: Sequence[UUID], available_at: datetime | None = None) -> bool:
        """Queue a job for these entries, if there are any; returns whether."""
        if keys:
            outbox.enqueue(
                self.topic,
                user_id=user_id,
                payload={self.payload_key: [str(key) for key in keys]},
                scope=ConsentScope.MEMORY_LEARNING.value,
                priority=Priority.LOW,
                available_at=available_at,
                wake=False,  # whoever works goes on with it, and the sweep of the outbox comes by each minute
            )
        return bool(keys)

    def jobs(self) -> QuerySet[OutboxMessage]:
        """All its jobs that the role sees."""
        return OutboxMessage.objects.filter(topic=self.topic)

    def unfinished_count(self) -> int:
        """How many jobs of everybody's wait or run."""
        with in_role(WORKER_ROLE):
            return self.jobs().filter(state__in=_UNFINISHED).count()

    def _people(self, except_for: Collection[UUID]) -> Sequence[UUID]:
        """Whose entries wait. Read as an operator: what an erasure hides is not among them."""
        own = self.waiting().filter(user=OuterRef("pk"))
        with in_role(OPERATOR_ROLE):
            found = set(User.objects.filter(Exists(own)).values_list("pk", flat=True))
        return sorted(found.difference(except_for))

    def _attended(self) -> set[UUID]:
        """Whose entries are being worked on, were gone through just now, or could not be."""
        now = timezone.now()
        unfinished = Q(state__in=_UNFINISHED)
        failed = Q(state=State.FAILED, finished_at__gt=now - PAUSE_AFTER_FAILURE)
        with in_role(WORKER_ROLE):
            found = self.jobs().filter(unfinished | failed | Q(finished_at__gt=now - self.pause))
            return {key for key in found.order_by().values_list("user_id", flat=True) if key}

    def _begin(self, user_id: UUID) -> bool:
        """Queue a user's first job, unless they have one or do not allow it; returns whether it was."""
        with acting_as(user_id):
            if learning_permit(user_id) is None:  # holds the user: of two that begin one finds the other's job
                return False
            if self.jobs().filter(user_id=user_id, state__in=_UNFINISHED).exists():
                return False
            return self.queue(user_id, self.listed(user_id))
