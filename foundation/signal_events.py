"""An event that a signal handler can set without a deadlock."""

from __future__ import annotations

from contextlib import suppress
from queue import Empty, SimpleQueue


class SignalEvent:
    """Like ``threading.Event``, for a handler that sets it and one thread that waits for it.

    A handler runs between any two steps of the main thread. If that thread was about to wait for a
    ``threading.Event``, it holds the event's lock, and the handler would wait for the lock for ever. Putting into a
    ``SimpleQueue`` needs no such lock.
    """

    def __init__(self) -> None:
        self._is_set = False
        self._told: SimpleQueue[None] = SimpleQueue()

    def set(self) -> None:
        """Set the event: a present or later ``wait`` returns at once."""
        if not self._is_set:
            self._is_set = True
            self._told.put(None)

    def is_set(self) -> bool:
        """Whether it was set."""
        return self._is_set

    def wait(self, seconds: float) -> bool:
        """Wait until the event is set, at most ``seconds``; return whether it is set."""
        if not self._is_set:
            with suppress(Empty):
                self._told.get(timeout=seconds)
        return self._is_set
