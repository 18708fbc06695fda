"""Lets requests into the application one after another, and refuses those for which there is no room."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Final

from finclaw.server.compute_queue import ComputeQueue, ComputeQueueFull, RequestSlot
from finclaw.server.refusals import REFUSED, STOPPING, Overloaded, ServerStopping
from foundation.compute_slot import current_slot

_ANSWERED_AT_ONCE: Final = ("/health/", "/metrics", "/static/")
Application = Callable[[dict[str, Any], Any], Iterable[bytes]]


class AdmittedApplication:
    """A WSGI application behind a queue. Health, metrics and static files never wait in it."""

    def __init__(self, application: Application, queue: ComputeQueue, *, stopping: Callable[[], bool]) -> None:
        self._application = application
        self._queue = queue
        self._stopping = stopping

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        environ[STOPPING] = self._stopping
        if not environ["PATH_INFO"].startswith(_ANSWERED_AT_ONCE):
            self._admit(environ)
        return self._application(environ, start_response)

    def _admit(self, environ: dict[str, Any]) -> None:
        if self._stopping():
            environ[REFUSED] = ServerStopping
            return
        try:
            current_slot.set(self._queue.enter())
        except ComputeQueueFull as error:
            environ[REFUSED] = partial(Overloaded, error.waiting, error.retry_after)


def release_slot() -> None:
    """Give back the ending request's slot."""
    slot = current_slot.get()
    if isinstance(slot, RequestSlot):
        slot.close()
    current_slot.set(None)
