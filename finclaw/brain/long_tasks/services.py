"""Long tasks of any kind: start one, ask how far it is and what it has made, cancel it; none is ever lost.

Each runs as a job of the outbox that shares its id: a worker that dies loses its lease, and another one goes on. Its
end is announced on the pages and by webhook.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

import structlog
from django.db.models import QuerySet

from consent.permit import Permit
from finclaw.brain.long_tasks.kinds import KINDS, rows_of
from finclaw.brain.long_tasks.types import CancelOutcome, CancelReceipt, TaskResult
from finclaw.models import LongTaskKind, LongTaskState, TaskStatus
from foundation.accounts.models import User
from foundation.database.acting_user import in_role
from foundation.database.roles import OPERATOR_ROLE
from foundation.exceptions import require_found
from foundation.long_tasks import without_job

TASK_LOST: Final = "task_lost"
"""The reason of a task whose job gave up, or is gone."""
log = structlog.get_logger(__name__)


def start_task(permit: Permit, user: User, kind: LongTaskKind, params: Mapping[str, Any]) -> UUID:
    """Queue a task and return its id. ``finclaw.brain.long_tasks.kinds`` says what ``params`` each kind takes.

    Raises what starting this kind raises.
    """
    return KINDS[kind].start(permit, user, params)


def task_statuses(permit: Permit) -> QuerySet[TaskStatus]:
    """The user's long tasks of every kind, the latest first."""
    return TaskStatus.objects.filter(user_id=permit.user_id).order_by("-created_at", "-id")


def get_task_status(permit: Permit, task_id: UUID) -> TaskStatus:
    """How far one of the user's tasks is. Raises ``NotFound``."""
    return require_found(task_statuses(permit).filter(pk=task_id).first())


def get_task_result(permit: Permit, user: User, task_id: UUID) -> TaskResult:
    """What one of the user's tasks has made: all of it, or what there is so far. Raises ``NotFound``."""
    status = get_task_status(permit, task_id)
    is_whole = status.state == LongTaskState.COMPLETED
    return TaskResult(task_id, status.kind, status.state, is_whole, KINDS[status.kind].findings(permit, user, task_id))


def cancel_task(permit: Permit, user: User, task_id: UUID) -> CancelReceipt:
    """Cancel one of the user's tasks: at once, or before its next step. Raises ``NotFound``."""
    before = get_task_status(permit, task_id)
    if not before.is_over:
        KINDS[before.kind].cancel(permit, user, task_id)
    now = get_task_status(permit, task_id)
    return CancelReceipt(task_id, now.kind, _outcome_of(before, now), now.state, now.ended_at)


def _outcome_of(before: TaskStatus, now: TaskStatus) -> CancelOutcome:
    if before.is_over or (now.is_over and now.state != LongTaskState.CANCELLED):
        return CancelOutcome.OVER
    return CancelOutcome.CANCELLED if now.is_over else CancelOutcome.STOPPING


def mark_seen(permit: Permit, task_id: UUID | None = None) -> None:
    """Note that the user has seen how a task ended, or how all of them did."""
    unseen = task_statuses(permit).filter(is_unseen=True)
    for status in unseen if task_id is None else unseen.filter(pk=task_id):
        rows_of(status.kind).filter(pk=status.pk).update(is_unseen=False)


def fail_abandoned() -> int:
    """Fail the unfinished tasks of every kind without an unfinished job; returns how many. For the schedule."""
    with in_role(OPERATOR_ROLE):
        unfinished = list(TaskStatus.objects.filter(state__in=TaskStatus.UNFINISHED))
    kinds = {status.pk: status.kind for status in unfinished}
    lost = without_job((status.user_id, status.pk) for status in unfinished)
    for user_id, task_id in lost:
        KINDS[kinds[task_id]].fail(user_id, task_id, TASK_LOST)
    if lost:
        log.warning("tasks_lost", tasks=len(lost))
    return len(lost)
