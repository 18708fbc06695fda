"""Fails research tasks that no worker runs any more: their job gave up, or is gone."""

from __future__ import annotations

from typing import Final

import structlog

from consent.services import permit_for
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE
from foundation.outbox.models import OutboxMessage
from memory.models import ResearchTask
from memory.research import task_lifecycle

TASK_LOST: Final = "task_lost"
log = structlog.get_logger(__name__)


def fail_abandoned() -> int:
    """Fail the unfinished tasks without an unfinished job; returns how many. For the schedule; idempotent."""
    with in_role(OPERATOR_ROLE):
        unfinished = list(ResearchTask.objects.filter(state__in=task_lifecycle.UNFINISHED))
        jobs = OutboxMessage.objects.filter(pk__in=[task.pk for task in unfinished], state__in=OutboxMessage.UNFINISHED)
        alive = set(jobs.values_list("pk", flat=True))
    lost = [task for task in unfinished if task.pk not in alive]
    for task in lost:
        with acting_as(task.user_id):
            task_lifecycle.fail_task(permit_for(User.objects.get(pk=task.user_id)), task, TASK_LOST)
    if lost:
        log.warning("tasks_lost", tasks=len(lost))
    return len(lost)
