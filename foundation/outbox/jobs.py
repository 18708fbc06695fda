"""The job that a handler is given, and the table of handlers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache, wraps
from typing import Any
from uuid import UUID

from django.conf import settings
from django.utils.module_loading import import_string

from foundation.database.acting_user import acting_as
from foundation.deadlines import cpu_deadline
from foundation.outbox import services
from foundation.outbox.models import OutboxMessage


@dataclass
class Job:
    """One claimed outbox row. A handler reads within ``acting``, calls models outside any transaction, and writes
    within ``completing``; work that needs no model may do everything within ``completing``.
    """

    message: OutboxMessage
    result: dict[str, Any] = field(default_factory=dict)

    @property
    def id(self) -> UUID:
        return self.message.pk

    @property
    def user_id(self) -> UUID:
        """The user this work is for. Raises ``ValueError`` for work of the system's own."""
        if self.message.user_id is None:
            raise ValueError("this job belongs to nobody")
        return self.message.user_id

    @property
    def payload(self) -> dict[str, Any]:
        return dict(self.message.payload)

    @contextmanager
    def acting(self) -> Iterator[None]:
        """A reading transaction as the job's user."""
        with acting_as(self.message.user_id):
            yield

    @contextmanager
    def completing(self) -> Iterator[None]:
        """The writing transaction: effects and completion stand or fall together."""
        with acting_as(self.message.user_id):
            yield
            services.complete(self.message, self.result)


Handler = Callable[[Job], None]


def within_deadline(handler: Handler) -> Handler:
    """Wrap a handler so that it ends when it computes for longer than one message may take."""

    @wraps(handler)
    def limited(job: Job) -> None:
        with cpu_deadline(settings.LEARNING_DEADLINE_SECONDS):
            handler(job)

    return limited


@lru_cache(maxsize=1)
def handlers() -> dict[str, Handler]:
    """The literal dict topic → handler that the settings name."""
    return dict(import_string(settings.OUTBOX_HANDLERS))
