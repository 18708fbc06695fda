from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from memory.learning.reread_jobs import BACKLOG, rereading_progress, take_back_for_all
from memory.management.backlog_command import BacklogCommand

_HELP = """Read anew, in the background, the messages that were learned from before sentences were judged. The worker
does so by itself every few minutes; this queues everybody at once. With --status it only says how far it has come, with
--undo it takes back what was learned so and nobody has confirmed since."""


class Command(BacklogCommand):
    """Queue messages to be read again or undo what that taught, and report what waits."""

    help = _HELP
    backlogs = (BACKLOG,)

    def report(self) -> str:
        found = rereading_progress()
        return f"{found.messages} messages wait to be read anew; {found.jobs} jobs are under way."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--undo", action="store_true", help="take back what reading anew taught")

    def handle(self, *args: Any, status: bool, **options: Any) -> None:
        if options["undo"]:
            self.stdout.write(f"Taken back: {take_back_for_all()} memories.")
        super().handle(*args, status=status or options["undo"], **options)
