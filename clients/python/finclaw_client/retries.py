"""Decides which requests are repeated, and after how many seconds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from finclaw_client.errors import ApiError, ClientError

TRANSIENT_STATUSES: Final = frozenset({425, 429, 502, 503, 504})
"""Statuses of temporary failures: the server stops, too many requests, overload, a proxy without its server."""


@dataclass(frozen=True)
class Retries:
    """How often a request is repeated where nothing answers, or FinClaw asks to come back later.

    A write carries the same ``Idempotency-Key`` in each attempt, so that it is done only once.
    """

    attempts: int = 3
    first_wait: float = 0.5
    longest_wait: float = 30.0

    def wait_after(self, failure: ClientError, attempt: int) -> float | None:
        """Seconds until the next attempt: as ``Retry-After`` says, else twice as long each time.

        ``None`` where no attempt follows: after the last one, after a lasting error, or where the wait is too long.
        """
        if attempt >= self.attempts:
            return None
        wait = self.first_wait * 2 ** (attempt - 1)
        if isinstance(failure, ApiError):
            if failure.status not in TRANSIENT_STATUSES:
                return None
            wait = wait if failure.retry_after is None else failure.retry_after
        return wait if wait <= self.longest_wait else None
