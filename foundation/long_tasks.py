"""What long tasks of every kind have in common: their end is announced, and none of them is lost with its worker.

A long task's row shares its id with its job in the outbox. The job's lease finds out that a worker died and gives the
work to another one; the row says how far the work is and how it ended.
"""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from django.db import models

from foundation.database.acting_user import in_role
from foundation.database.roles import OPERATOR_ROLE
from foundation.outbox.models import OutboxMessage
from foundation.webhooks.models import WebhookEvent
from foundation.webhooks.services import publish


class LongTaskRow(models.Model):
    """The part that the rows of all kinds of long tasks share.

    ``is_unseen`` is true from the task's end until its user has seen how it ended.
    """

    is_unseen = models.BooleanField(default=False, db_default=False)

    class Meta:
        abstract = True


def announce_end(rows: models.QuerySet[LongTaskRow], user_id: UUID, task_id: UUID, *, by_user: bool = False) -> None:
    """Tell a task's user that it ended: by webhook, and on the pages unless they ended it themselves.

    Call once, in the transaction that ends the task, acting for its user.
    """
    if not by_user:
        rows.filter(pk=task_id).update(is_unseen=True)
    publish(user_id, WebhookEvent.TASK_DONE, task_id)


def without_job(tasks: Iterable[tuple[UUID, UUID]]) -> list[tuple[UUID, UUID]]:
    """Those of unfinished tasks, given as (user id, task id), whose job neither waits nor runs."""
    known = list(tasks)
    with in_role(OPERATOR_ROLE):
        jobs = OutboxMessage.objects.filter(pk__in=[key for _, key in known], state__in=OutboxMessage.UNFINISHED)
        alive = set(jobs.values_list("pk", flat=True))
    return [(user_id, key) for user_id, key in known if key not in alive]
