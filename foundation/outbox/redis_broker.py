"""The broker of django-q2 where ``REDIS_URL`` is set: waits for Redis, and looks into PostgreSQL every two seconds."""

from __future__ import annotations

from time import monotonic
from typing import Final

from django_q.tasks import async_task

from foundation.outbox.broker import ListedFunctionsBroker
from foundation.outbox.redis_wakeups import RedisAway, redis_wakeups
from foundation.outbox.schedules import DRAIN

LOOK_SECONDS: Final = 2.0
"""How often PostgreSQL's own queue is looked into: for due schedules, and for who could not reach Redis."""


class RedisBroker(ListedFunctionsBroker):
    """Hands workers a drain when Redis says so; everything else is its parent's."""

    _next_look = 0.0

    def dequeue(self) -> list[tuple[int, str]]:
        """The waiting tasks that may run; a wake-up of Redis becomes a drain, which has no row."""
        wakeups = redis_wakeups()
        if wakeups is None or monotonic() >= self._next_look:
            tasks = super().dequeue()
            self._next_look = 0.0 if tasks else monotonic() + LOOK_SECONDS
            if tasks or wakeups is None:
                return tasks
        try:
            return [(0, _drain_task())] if wakeups.wait() else []
        except RedisAway:
            self._next_look = 0.0
            return []

    def delete(self, task_id: int) -> None:
        """Delete a row of the queue, unless the task has none."""
        if task_id:
            super().delete(task_id)


class _Envelope:
    """Takes a task as a broker would, and keeps it."""

    list_key = "redis"
    content = ""

    def enqueue(self, task: str) -> int:
        self.content = task
        return 0


def _drain_task() -> str:
    """A drain as ``wake_worker`` would have queued it, signed."""
    envelope = _Envelope()
    async_task(DRAIN, save=False, broker=envelope)
    return envelope.content
