"""``python -m foundation.database.watchdog DATA_DIR``: start the embedded PostgreSQL again whenever it crashes.

A program of its own, without Django: it is small, and it lives on when what it serves has no database.
"""

from __future__ import annotations

import signal
import sys
import time
from pathlib import Path
from threading import Event

from tenacity import RetryError

from foundation.database.embedded_server import EmbeddedServer, EmbeddedServerError

LOOK_SECONDS = 0.2
AGAIN_SECONDS = 1.0


def restart_on_crash(server: EmbeddedServer, stopping: Event) -> None:
    """Start the server again each time it crashes, until told to stop. One that was stopped is left alone."""
    while not stopping.wait(LOOK_SECONDS):
        if server.has_crashed():
            _restart(server, stopping)


def _restart(server: EmbeddedServer, stopping: Event) -> None:
    began = time.monotonic()
    while not _try_start(server):
        if stopping.wait(AGAIN_SECONDS):
            return
    print(f"PostgreSQL had crashed; it is back after {time.monotonic() - began:.1f} s.", flush=True)


def _try_start(server: EmbeddedServer) -> bool:
    """Whether it runs now. At first what is left of the crashed one may still hold its memory."""
    try:
        server.start()
    except (EmbeddedServerError, RetryError):
        return False
    return True


if __name__ == "__main__":
    told_to_stop = Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: told_to_stop.set())
    restart_on_crash(EmbeddedServer(Path(sys.argv[1])), told_to_stop)
