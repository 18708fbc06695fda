"""Why a web process refuses a request before anything of it is read, and how it tells the application so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from foundation.exceptions import FinClawError

REFUSED: Final = "finclaw.refused"
"""The key of a request's environment that holds what makes its error, once the language of the answer is known."""
STOPPING: Final = "finclaw.stopping"
"""The key of what tells whether this process is about to end."""


def is_stopping(environ: Mapping[str, Any]) -> bool:
    """Whether the web process that took a request is about to end by now; other servers tell nothing."""
    asked = environ.get(STOPPING)
    return asked is not None and asked()


class Overloaded(FinClawError):
    """The line before the computing requests is too long, or did not move in time."""

    code = "overloaded"
    default_message = "Many people are writing right now. Nothing was saved; try again in a moment."

    def __init__(self, waiting: int, retry_after: int) -> None:
        """``waiting`` requests will have been worked off after ``retry_after`` seconds."""
        super().__init__(details={"waiting": waiting})
        self.retry_after = retry_after


class ServerStopping(FinClawError):
    """This process ends what it began and takes nothing new; another may already serve."""

    code = "server_stopping"
    default_message = "FinClaw is restarting. Nothing was saved; try again in a moment."
    retry_after = 1
