"""An event that the handler of a signal may set."""

from __future__ import annotations

from contextlib import suppress
from queue import Empty, SimpleQueue


class SignalEvent:
    """Like ``threading.Event``, for a handler that sets it and one thread that waits for it.

    A handler runs in between any two steps of the main thread. Where that was about to wait for a ``threading.Event``
    it holds the event's lock, and the handler would wait for that for ever. A ``SimpleQueue`` may be put to meanwhile.
    """

    def __init__(self) -> None:
        self._is_set = False
        self._told: SimpleQueue[None] = SimpleQueue()

    def set(self) -> None:
        """Wake who waits, and whoever will."""
        if not self._is_set:
            self._is_set = True
            self._told.put(None)

    def is_set(self) -> bool:
        """Whether it was set."""
        return self._is_set

    def wait(self, seconds: float) -> bool:
        """Wait until it is set, so many seconds at most; answers whether it is."""
        if not self._is_set:
            with suppress(Empty):
                self._told.get(timeout=seconds)
        return self._is_set
