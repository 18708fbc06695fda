"""Tells a busy worker that it must stop; django-q2 itself tells only an idle one."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from foundation.signal_events import SignalEvent

STOP_SIGNAL: Final = signal.SIGUSR1
"""Sent to every process of a cluster. Processes that run no jobs ignore it, and so must the one that starts it."""


class StopRequest(SignalEvent):
    """Set once this process is told to stop, and for good: django-q2 works off what it has queued before it stops."""

    _told_at = 0.0

    def set(self) -> None:
        """Note that the process is to stop, and when it was told so first: the signal comes over and over."""
        if not self.is_set():
            self._told_at = time.monotonic()
            super().set()

    def seconds_left(self, seconds: float) -> float:
        """What is left of ``seconds`` since the first signal to stop; all of them before it."""
        return max(0.0, self._told_at + seconds - time.monotonic()) if self.is_set() else seconds


STOP_REQUEST: Final = StopRequest()


@contextmanager
def listen_for_stop() -> Iterator[StopRequest]:
    """The one request of this process, which hears the signal meanwhile; another than the main thread hears none."""
    if threading.current_thread() is not threading.main_thread():
        yield STOP_REQUEST
        return
    before = signal.signal(STOP_SIGNAL, lambda *_: STOP_REQUEST.set())
    try:
        yield STOP_REQUEST
    finally:
        signal.signal(STOP_SIGNAL, before)
