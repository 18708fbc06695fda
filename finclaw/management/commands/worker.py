from __future__ import annotations

import os
import sys
from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser
from django.db import InterfaceError, OperationalError
from tenacity import retry, retry_if_exception_type, stop_after_delay, wait_fixed

from finclaw.health.exposition import empty_metrics_folder, metrics_folder, serve_worker_metrics
from finclaw.server.warm_up import warm_up_jobs
from finclaw.standby import is_spare, wait_until_needed
from finclaw.startup import replay_erasures
from foundation.outbox.cluster_process import set_session_niceness
from foundation.outbox.management.commands import worker

PATIENCE_SECONDS = 120  # for which a start waits for the database


class Command(worker.Command):
    """The background worker; first hides what a restored backup brought back, so that nothing is learned from it.

    What its processes can share is loaded once, before they are forked; and before it stands back behind those who wait
    for an answer, since nothing is learned until it is there. A spare stands back while it loads: the worker that it
    stands by for learns meanwhile. The system checks run once as well: with settings that cannot be read it stops and
    names the check.
    """

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--metrics-port", type=int, default=0, help="serve /metrics here; without it, or beside a web process, not"
        )

    def handle(self, *args: Any, metrics_port: int = 0, **options: Any) -> None:
        if metrics_port:
            _share_metrics(metrics_port)
        if is_spare():
            _stand_back()
            set_session_niceness(os.nice(0))
            self._load()
            set_session_niceness(0)  # as that of every worker's head
        else:
            self._load()
        self._replay_erasures()
        if metrics_port:
            serve_worker_metrics(metrics_port)
        _stand_back()
        super().handle(*args, **options)

    def _load(self) -> None:
        self.check()
        warm_up_jobs()
        wait_until_needed()

    @retry(
        retry=retry_if_exception_type((OperationalError, InterfaceError)),
        wait=wait_fixed(1),
        stop=stop_after_delay(PATIENCE_SECONDS),
        reraise=True,
    )
    def _replay_erasures(self) -> None:
        """Wait for the database, then replay."""
        replay_erasures(self.stdout.write)


def _share_metrics(port: int) -> None:
    """Have all processes of this worker count into one folder, which is read when they start: so start once more."""
    folder = metrics_folder(f"worker-{port}")
    if os.environ.get("PROMETHEUS_MULTIPROC_DIR") == str(folder):
        return
    empty_metrics_folder(folder)
    own = {"FINCLAW_PROCESS": "worker", "PROMETHEUS_MULTIPROC_DIR": str(folder), "PYTHONUNBUFFERED": "1"}
    os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | own)  # noqa: S606


def _stand_back() -> None:
    """Lower the priority of this process to that of background work; a second call changes nothing."""
    os.nice(max(0, settings.WORKER_NICENESS - os.nice(0)))
