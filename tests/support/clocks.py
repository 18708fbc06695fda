"""A clock that a test moves, for what waits for a model server."""

from __future__ import annotations

from threading import Event, Lock

from foundation.llm.clock import Clock

_LONGEST_SECONDS = 60.0


class MovedClock(Clock):
    """Time passes when somebody waits for it, and when a test says so. Who waits for others really waits."""

    def __init__(self) -> None:
        self._now = 1_000.0
        self._lock = Lock()

    def now(self) -> float:
        return self._now

    def sleep(self, seconds: float) -> None:
        self._move_to(self._now + seconds)

    def wait(self, called: Event, due: float | None, at_most: float) -> None:
        if due is None:
            assert called.wait(_LONGEST_SECONDS), "nobody called"
        else:
            self._move_to(self._now + min(due, at_most))

    def _move_to(self, moment: float) -> None:
        with self._lock:
            self._now = max(self._now, moment)
