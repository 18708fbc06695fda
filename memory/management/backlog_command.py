"""The base of commands that queue at once what the schedule queues every few minutes, and report what waits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from django.core.management.base import BaseCommand, CommandParser

from memory.indexing.backlog import Backlog


class BacklogCommand(BaseCommand):
    """Queue ``backlogs`` for everybody, unless ``--status`` is given, and write the ``report``."""

    backlogs: ClassVar[Sequence[Backlog]]
    queued: ClassVar = "Queued"

    def report(self) -> str:
        """What waits, and how many jobs are under way."""
        raise NotImplementedError

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--status", action="store_true", help="queue nothing, only say what waits")

    def handle(self, *args: Any, status: bool, **options: Any) -> None:
        if not status:
            self.stdout.write(f"{self.queued}: {sum(backlog.queue_now() for backlog in self.backlogs)} people.")
        self.stdout.write(self.report())
