from __future__ import annotations

import os
from typing import Any

from django.conf import settings
from django.db import InterfaceError, OperationalError
from tenacity import retry, retry_if_exception_type, stop_after_delay, wait_fixed

from finclaw.startup import replay_erasures
from foundation.outbox.management.commands import worker

PATIENCE_SECONDS = 120


class Command(worker.Command):
    """The background worker; first hides what a restored backup brought back, so that nothing is learned from it."""

    def handle(self, *args: Any, **options: Any) -> None:
        os.nice(max(0, settings.WORKER_NICENESS - os.nice(0)))
        self._replay_erasures()
        super().handle(*args, **options)

    @retry(
        retry=retry_if_exception_type((OperationalError, InterfaceError)),
        wait=wait_fixed(1),
        stop=stop_after_delay(PATIENCE_SECONDS),
        reraise=True,
    )
    def _replay_erasures(self) -> None:
        """Wait for the database, then replay."""
        replay_erasures(self.stdout.write)
