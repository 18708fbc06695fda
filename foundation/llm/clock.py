"""The time by which one waits for a model server, in one place: a test can let an hour pass at once."""

from __future__ import annotations

import time
from threading import Event


class Clock:
    """The monotonic clock of this machine."""

    def now(self) -> float:
        """Seconds since some moment that stays the same."""
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        """Wait for so long."""
        time.sleep(seconds)

    def wait(self, called: Event, due: float | None, at_most: float) -> None:
        """Wait until ``called``, or for ``at_most`` seconds; where time alone may do, for no more than ``due``."""
        called.wait(at_most if due is None else min(due, at_most))
