from __future__ import annotations

import os
import signal
import subprocess
import sys
from threading import Event
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

PATIENCE_SECONDS = 4


class Command(BaseCommand):
    """The background worker: django-q2's cluster, stopped as a supervisor stops things.

    A supervisor signals the whole process group, but the cluster's children inherit its handler and each would
    try to stop the cluster. So the cluster runs in a session of its own and only its head hears the signal.
    What it is doing when it is killed is not lost: the lease gives it back.
    """

    help = "Run the background worker until SIGTERM or Ctrl-C."
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        asked_to_stop = Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: asked_to_stop.set())
        cluster = subprocess.Popen(
            [sys.executable, "manage.py", "qcluster"], cwd=settings.BASE_DIR, start_new_session=True
        )
        while cluster.poll() is None and not asked_to_stop.wait(0.2):
            pass
        sys.exit(stop(cluster) if asked_to_stop.is_set() else cluster.returncode)


def stop(cluster: subprocess.Popen[bytes]) -> int:
    """End the cluster: by its own means within the patience, else all of its processes at once."""
    cluster.terminate()
    try:
        cluster.wait(PATIENCE_SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(cluster.pid, signal.SIGKILL)
        cluster.wait()
    return 0
