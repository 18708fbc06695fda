"""Starts a thread only for what lasts: one watching thread waits for all, and what ends in time never gets its own."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from threading import Condition, Event, Thread
from time import monotonic


class LateStarts:
    """Calls a function in a thread of its own, once what it belongs to has lasted for some seconds.

    To start a thread for each at once would take longer than the rest of a turn where processors are busy (measured).
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._changed = Condition()
        self._waiting: dict[Event, tuple[float, Callable[[], None]]] = {}
        self._wakes_at = inf
        self._watcher: Thread | None = None

    def add(self, is_over: Event, function: Callable[[], None], seconds: float) -> None:
        """Call ``function`` in so many seconds, unless it is removed, or over, by then."""
        due = monotonic() + seconds
        with self._changed:
            self._waiting[is_over] = due, function
            if self._watcher is None or not self._watcher.is_alive():  # a fork copies no threads
                self._watcher = Thread(target=self._watch, name=f"{self._name}-watch", daemon=True)
                self._watcher.start()
            elif due < self._wakes_at:
                self._changed.notify()

    def remove(self, is_over: Event) -> None:
        """Mark it as over: its function is not called any more, unless it has begun already."""
        is_over.set()
        with self._changed:
            self._waiting.pop(is_over, None)

    def _watch(self) -> None:
        while True:
            for function in self._wait_for_due():
                Thread(target=function, name=self._name, daemon=True).start()

    def _wait_for_due(self) -> list[Callable[[], None]]:
        """The functions that are due, taken out; none where something earlier was added meanwhile."""
        with self._changed:
            self._wakes_at = min((due for due, _ in self._waiting.values()), default=inf)
            pause = self._wakes_at - monotonic()
            if pause > 0:
                self._changed.wait(None if pause == inf else pause)
            now = monotonic()
            due = [is_over for is_over, (at, _) in self._waiting.items() if at <= now]
            return [self._waiting.pop(is_over)[1] for is_over in due]
