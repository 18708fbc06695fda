"""How a worker hears that it is to stop: django-q2 tells only a worker that has nothing to do."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

STOP_SIGNAL: Final = signal.SIGUSR1
"""Sent to every process of a cluster; whoever runs no jobs ignores it, as the process that starts it must."""


@contextmanager
def listen_for_stop() -> Iterator[threading.Event]:
    """An event that is set once this process is told to stop; never in another than the main thread."""
    asked_to_stop = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield asked_to_stop
        return
    before = signal.signal(STOP_SIGNAL, lambda *_: asked_to_stop.set())
    try:
        yield asked_to_stop
    finally:
        signal.signal(STOP_SIGNAL, before)
