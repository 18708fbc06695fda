"""The broker of django-q2: hands workers only functions that the code lists, and enqueues due schedules.

Both tables behind it, queue and schedules, hold names of functions. A row says when something runs, never what may
run: that is ``allowed_functions``, a literal list in the code.
"""

from __future__ import annotations

from functools import cached_property
from time import monotonic, sleep
from typing import Any, Final

import structlog
from django.db import Error, connections
from django_q.brokers.orm import ORM
from django_q.conf import Conf
from django_q.signing import BadSignature, SignedPackage

from foundation.outbox import due_schedules
from foundation.outbox.schedules import allowed_functions
from foundation.outbox.worker_wakeup import DRAINS
from foundation.telemetry.metrics import TASKS_REFUSED

log = structlog.get_logger(__name__)
TICK_SECONDS: Final = 15.0


class ListedFunctionsBroker(ORM):  # type: ignore[misc]  # django-q2 has no types
    """The database queue without unlisted functions. Named in ``Q_CLUSTER["broker_class"]``."""

    _next_tick = 0.0
    _is_away = False

    def dequeue(self) -> list[tuple[int, str]]:
        """The waiting tasks that may run, drains (runs of ``tasks.drain``) before others.

        Tasks that may not run are removed, counted and logged. Every ``TICK_SECONDS`` due schedules are put into the
        queue. This runs in the one process of a cluster that feeds its workers. While the database is down it returns
        an empty list, since an exception would make that process wait for ten seconds and end.
        """
        try:
            tasks = self._dequeue()
        except Error as error:
            self._note_absence(error)
            return []
        self._is_away = False
        return tasks

    def _dequeue(self) -> list[tuple[int, str]]:
        waiting = (self._drains.queue_size() and self._drains.dequeue()) or super().dequeue() or ()
        if monotonic() >= self._next_tick:
            self._next_tick = monotonic() + TICK_SECONDS
            due_schedules.enqueue_due(self)
        return [task for task in waiting if self._may_run(*task)]

    @cached_property
    def _drains(self) -> ORM:
        return ORM(DRAINS)

    def _note_absence(self, error: Error) -> None:
        if not self._is_away:
            log.warning("queue_not_read", error=type(error).__name__)
        self._is_away = True
        connections[Conf.ORM].close()
        sleep(Conf.POLL)

    def _may_run(self, row_id: int, payload: str) -> bool:
        reason = _refusal_reason(payload)
        if not reason:
            return True
        TASKS_REFUSED.labels(reason=reason).inc()
        log.error("task_refused", reason=reason, row=row_id)
        self.delete(row_id)
        return False


def _refusal_reason(payload: str) -> str:
    """Why a queued task may not run; "" if it may. A task without our signature is not read."""
    try:
        task: dict[str, Any] = SignedPackage.loads(payload)
    except (TypeError, ValueError, BadSignature):
        return "not_signed"
    if task.get("func") not in allowed_functions():
        return "not_listed"
    # A hook is a function by its name, too, and none of the listed ones takes arguments.
    return "with_arguments" if task.get("hook") or task.get("args") or task.get("kwargs") else ""
