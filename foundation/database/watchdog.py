"""``python -m foundation.database.watchdog DATA_DIR``: start the embedded PostgreSQL again whenever it crashes.

While the disk is nearly full it makes the server read-only: PostgreSQL stops, and cannot start again, when there is no
room for its write-ahead log.

This is a separate program without Django: it is small, and it keeps running while the application has no database.
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
AGAIN_SECONDS = 0.2  # between two attempts to start the server
LEAST_FREE_BYTES = 256_000_000
"""With less free, the server is read-only; its log and temporary files may still need so much."""
ROOM_AGAIN = 2
"""Writing is allowed again once this many times as much is free, so that it does not switch to and fro."""


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
        """Compare the free space with what is needed; a switch that fails is tried again at the next look."""
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


def reenable_writes(server: EmbeddedServer) -> bool:
    """Allow writing that an earlier run switched off, if there is room again; return whether the server takes writes.

    It needs as much room as ``DiskGuard`` does, so that a guard running meanwhile does not switch writing off again.
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
    """Try to start the server; return whether it runs. Remains of the crashed one may still hold its shared memory."""
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
