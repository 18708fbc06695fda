"""Defines why a web process refuses a request unread, and how it passes the reason to the application."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from foundation.exceptions import FinClawError

REFUSED: Final = "finclaw.refused"
"""The WSGI environment's key for a function that makes the error, called once the answer's language is known."""
STOPPING: Final = "finclaw.stopping"
"""The WSGI environment's key for a function that says whether this process is about to end."""


def is_stopping(environ: Mapping[str, Any]) -> bool:
    """Whether the web process that took a request is about to end; False under servers that set no such key."""
    asked = environ.get(STOPPING)
    return asked is not None and asked()


class Overloaded(FinClawError):
    """The queue of requests that wait to compute is too long, or did not move in time."""

    code = "overloaded"
    default_message = "Many people are writing right now. Nothing was saved; try again in a moment."

    def __init__(self, waiting: int, retry_after: int) -> None:
        """``waiting`` requests are expected to be done after ``retry_after`` seconds."""
        super().__init__(details={"waiting": waiting})
        self.retry_after = retry_after


class ServerStopping(FinClawError):
    """This process ends what it began and takes nothing new; another may already serve."""

    code = "server_stopping"
    default_message = "FinClaw is restarting. Nothing was saved; try again in a moment."
    retry_after = 1
