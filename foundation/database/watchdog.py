"""``python -m foundation.database.watchdog DATA_DIR``: start the embedded PostgreSQL again whenever it crashes.

Before its disk is full it lets it only read: where its log finds no room, PostgreSQL stops, and cannot start.

A program of its own, without Django: it is small, and it lives on when what it serves has no database.
"""

from __future__ import annotations

import shutil
import signal
import sys
import time
from pathlib import Path

import psycopg
from tenacity import RetryError, retry, retry_if_result, stop_after_delay, wait_fixed

from foundation.database.embedded_server import EmbeddedServer, EmbeddedServerError
from foundation.signal_events import SignalEvent

LOOK_SECONDS = 0.2
AGAIN_SECONDS = 0.2
LEAST_FREE_BYTES = 256_000_000
"""With less, nothing is written: what its log and temporary files may still take."""
ROOM_AGAIN = 2
"""Writing begins again where this many times as much is free, so that it is not switched to and fro."""


_SAID = {
    True: "The disk is nearly full: everything can be read, and nothing is written until there is room again.",
    False: "There is room on the disk again: writing goes on.",
}


def restart_on_crash(server: EmbeddedServer, stopping: SignalEvent) -> None:
    """Start the server again each time it crashes, until told to stop. One that was stopped is left alone."""
    guard = DiskGuard(server)
    while not stopping.wait(LOOK_SECONDS):
        if server.has_crashed():
            _restart(server, stopping)
        guard.look()


class DiskGuard:
    """Switches writing off while the disk is nearly full."""

    def __init__(self, server: EmbeddedServer, least_free: int = LEAST_FREE_BYTES) -> None:
        self._server, self._least_free = server, least_free
        self._refuses: bool | None = None  # not known yet: an earlier watcher may have left it off

    def look(self) -> None:
        """Compare what is free with what is needed; one that fails is repeated with the next look."""
        free = shutil.disk_usage(self._server.data_dir).free
        refuse = free < self._least_free * (ROOM_AGAIN if self._refuses else 1)
        if refuse == self._refuses:
            return
        try:
            self._server.refuse_writes(refuse)
        except psycopg.Error:
            return
        if refuse or self._refuses:
            print(_SAID[refuse], flush=True)
        self._refuses = refuse


def write_again(server: EmbeddedServer) -> bool:
    """Lift what an earlier run left refused, where there is room again; answers whether the server writes.

    It asks for as much room as the guard: one that watches the server meanwhile would not refuse again.
    """
    if not server.refuses_writes():
        return True
    if shutil.disk_usage(server.data_dir).free < LEAST_FREE_BYTES * ROOM_AGAIN:
        return False
    server.refuse_writes(False)
    return not _still_refuses(server)


@retry(
    retry=retry_if_result(bool), stop=stop_after_delay(10), wait=wait_fixed(0.05), retry_error_callback=lambda _: True
)
def _still_refuses(server: EmbeddedServer) -> bool:
    # New connections hear of a changed setting a moment after it was told to be read.
    return server.refuses_writes()


def _restart(server: EmbeddedServer, stopping: SignalEvent) -> None:
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
    told_to_stop = SignalEvent()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: told_to_stop.set())
    restart_on_crash(EmbeddedServer(Path(sys.argv[1])), told_to_stop)
