from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from django.core.management.base import BaseCommand

from foundation.outbox.abandoned_rows import AbandonedRowsWatch
from foundation.outbox.cluster_process import ClusterProcess, run_cluster
from foundation.outbox.stop_signal import STOP_SIGNAL
from foundation.signal_events import SignalEvent

PATIENCE_SECONDS = 30.0  # longer than jobs are let go on, shorter than a supervisor waits
LOOK_SECONDS = 0.2
PAUSE_SECONDS = 0.25  # doubled with each death in a row
SETTLED_SECONDS = 60.0  # a cluster that lived longer begins a new row of deaths
DEATHS_IN_A_ROW = 8  # with their pauses this outlasts a database failover of 30 s


class Command(BaseCommand):
    """The background worker: django-q2's cluster, stopped as a supervisor stops things.

    A supervisor signals the whole process group, but the cluster's children inherit its handler and each would
    try to stop the cluster. So the cluster runs in a session of its own and only its head hears that signal; a worker
    amid its jobs hears another, lets them end and gives back what takes too long.
    What a worker is doing when it is killed is not lost: its head takes it back. A cluster that dies, as it does where
    the database goes while it starts, is replaced; one that never lives is not tried for ever.
    """

    help = "Run the background worker until SIGTERM or Ctrl-C."
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        asked_to_stop = SignalEvent()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: asked_to_stop.set())
        sys.exit(supervise_cluster(asked_to_stop, AbandonedRowsWatch().look))


def supervise_cluster(asked_to_stop: SignalEvent, look_about: Callable[[], object]) -> int:
    """Run one cluster after another until asked to stop; the exit code, that of the last one where too many died.

    ``look_about`` is called meanwhile, every moment.
    """
    deaths = 0
    while True:
        began = time.monotonic()
        cluster = start_cluster()
        while cluster.poll() is None and not asked_to_stop.wait(LOOK_SECONDS):
            look_about()
        if cluster.returncode is not None:
            _kill_cluster_children(cluster)
        deaths = deaths + 1 if time.monotonic() - began < SETTLED_SECONDS else 1
        if asked_to_stop.is_set():
            return stop_cluster(cluster)
        if deaths == DEATHS_IN_A_ROW or asked_to_stop.wait(PAUSE_SECONDS * 2.0 ** (deaths - 1)):
            return cluster.wait()


def start_cluster() -> ClusterProcess:
    """A cluster in a session of its own, whose processes ignore the signal to stop until they run jobs."""
    signal.signal(STOP_SIGNAL, signal.SIG_IGN)
    return ClusterProcess(run_cluster)


def _kill_cluster_children(cluster: ClusterProcess) -> None:
    """Kill the children of a dead cluster: they would work on beside the next one."""
    with suppress(ProcessLookupError):
        os.killpg(cluster.pid, signal.SIGKILL)


def stop_cluster(cluster: ClusterProcess | subprocess.Popen[bytes]) -> int:
    """Stop the cluster: gracefully within its patience, else by killing all of its processes."""
    cluster.terminate()
    until = time.monotonic() + PATIENCE_SECONDS
    while cluster.poll() is None and time.monotonic() < until:
        with suppress(ProcessLookupError):
            os.killpg(cluster.pid, STOP_SIGNAL)  # over and over: who begins with jobs only now has not heard it
        with suppress(subprocess.TimeoutExpired):
            cluster.wait(LOOK_SECONDS)
    if cluster.poll() is None:
        os.killpg(cluster.pid, signal.SIGKILL)
        cluster.wait()
    return 0
