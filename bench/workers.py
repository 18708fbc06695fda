"""``python -m bench.workers COUNT``: keep so many worker processes alive, whatever kills them, until SIGTERM.

Each child runs the real sweep and drain of the outbox, over and over, with a database connection of its own.
"""

from __future__ import annotations

import multiprocessing
import signal
import sys
import time
from multiprocessing.context import ForkProcess
from threading import Event

import django

PAUSE_SECONDS = 0.02


def work() -> None:
    """Reclaim and drain for ever: what a schedule and a wake-up do together in ``qcluster``."""
    from foundation.outbox.abandoned_rows import take_back_abandoned
    from foundation.outbox.tasks import sweep

    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    while True:
        take_back_abandoned()
        sweep()
        time.sleep(PAUSE_SECONDS)


def keep_alive(count: int, stopping: Event) -> None:
    """Start ``count`` children, and a new one for each that dies; end them all once told to stop."""
    fork = multiprocessing.get_context("fork")
    alive: list[ForkProcess] = []
    while not stopping.wait(PAUSE_SECONDS):
        alive = [child for child in alive if child.is_alive()]
        for _ in range(count - len(alive)):
            child = fork.Process(target=work, daemon=True)
            child.start()
            alive.append(child)
    for child in alive:
        child.kill()


def load() -> None:
    """Import what the handlers need once, here: every child is a fork, and none would outlive its own imports."""
    from foundation.outbox.jobs import handlers

    handlers()


if __name__ == "__main__":
    django.setup()
    load()
    # A flag, not an exception: raised inside one of Python's own fork hooks it would be swallowed there.
    told_to_stop = Event()
    signal.signal(signal.SIGTERM, lambda *_: told_to_stop.set())
    keep_alive(int(sys.argv[1]), told_to_stop)
