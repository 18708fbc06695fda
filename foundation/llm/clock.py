"""Measures and waits the time that model calls take. A test replaces it to let an hour pass at once."""

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
        """Wait until ``called`` is set, for at most ``due`` seconds (if given) and at most ``at_most`` seconds."""
        called.wait(at_most if due is None else min(due, at_most))
