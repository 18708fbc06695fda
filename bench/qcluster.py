"""A real ``manage.py qcluster`` on a scratch or test database, stopped cleanly at the end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

ROOT = Path(__file__).resolve().parent.parent


@dataclass
class Cluster:
    """The running worker: its process, and every process it has started so far."""

    process: psutil.Process

    def family(self) -> list[psutil.Process]:
        """The process and all its descendants."""
        return [self.process, *self.process.children(recursive=True)]


@contextmanager
def qcluster(database: str, *, workers: int = 2, **environment: str) -> Iterator[Cluster]:
    """Run the worker with the bench's handlers; SIGTERM at the end. Raises when it does not stop by itself."""
    from foundation.outbox.management.commands.worker import stop_cluster
    from foundation.outbox.stop_signal import STOP_SIGNAL

    signal.signal(STOP_SIGNAL, signal.SIG_IGN)  # as whoever starts a cluster must
    started = subprocess.Popen(
        [sys.executable, "manage.py", "qcluster", "--skip-checks"],
        cwd=ROOT,
        env=os.environ | _settings(database, workers) | environment,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
    cluster = Cluster(psutil.Process(started.pid))
    try:
        yield cluster
        stop_cluster(started)
        if started.returncode < 0:
            raise TimeoutError("the worker did not stop by itself")
    finally:
        if started.poll() is None:
            for process in cluster.family():
                process.kill()
            started.wait()


def _settings(database: str, workers: int) -> dict[str, str]:
    return {
        "DJANGO_SETTINGS_MODULE": "bench.worker_settings",
        "BENCH_DATABASE": database,
        "WORKERS": str(workers),
        "LOG_LEVEL": "ERROR",
    }
