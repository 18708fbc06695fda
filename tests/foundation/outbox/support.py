"""What the outbox tests share: an empty table of handlers, rows as the worker sees them, a work list."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import WORKER_ROLE
from foundation.outbox.jobs import Handler
from foundation.outbox.models import OutboxMessage
from foundation.outbox.services import enqueue

HANDLERS: dict[str, Handler] = {}
TOPIC = "test.work"


def enqueue_for(user: User, **more: Any) -> OutboxMessage:
    """One row of work for ``user``, as a request of theirs would write it."""
    with acting_as(user.pk):
        fields: dict[str, Any] = {"topic": TOPIC, "user_id": user.pk, "payload": {}}
        return enqueue(**(fields | more))


def row(message_id: UUID) -> OutboxMessage:
    """The row as it stands."""
    with in_role(WORKER_ROLE):
        return OutboxMessage.objects.get(pk=message_id)


def change(message_id: UUID, **fields: Any) -> None:
    """Set fields behind the outbox's back: time that has passed, a worker that died."""
    with in_role(WORKER_ROLE):
        OutboxMessage.objects.filter(pk=message_id).update(**fields)
