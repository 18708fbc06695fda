"""Lets requests into the application one after another, and refuses those for which there is no room."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Final

from finclaw.server.refusals import REFUSED, STOPPING, Overloaded, ServerStopping
from finclaw.server.request_line import LineTooLong, RequestLine, RequestPlace
from foundation.request_line import current_place

_ANSWERED_AT_ONCE: Final = ("/health/", "/metrics", "/static/")
Application = Callable[[dict[str, Any], Any], Iterable[bytes]]


class AdmittedApplication:
    """A WSGI application behind a queue, the request line. Health, metrics and static files never wait in it."""

    def __init__(self, application: Application, line: RequestLine, *, stopping: Callable[[], bool]) -> None:
        self._application = application
        self._line = line
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
            current_place.set(self._line.enter())
        except LineTooLong as error:
            environ[REFUSED] = partial(Overloaded, error.waiting, error.retry_after)


def leave_line() -> None:
    """Give back the ending request's place in the request line."""
    place = current_place.get()
    if isinstance(place, RequestPlace):
        place.close()
    current_place.set(None)
