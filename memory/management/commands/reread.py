from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from memory.learning.reread_jobs import BACKLOG, rereading_progress, undo_reread_for_all
from memory.management.backlog_command import BacklogCommand

_HELP = """Learn again, in the background, from messages that an earlier version read without judging each sentence.
The worker does so by itself every few minutes; this command queues all users at once. With --status it only shows the
progress; with --undo it withdraws what was learned in this way and has not been confirmed by the user since."""


class Command(BacklogCommand):
    """Queue messages to be read again or undo what that taught, and report what waits."""

    help = _HELP
    backlogs = (BACKLOG,)

    def report(self) -> str:
        found = rereading_progress()
        return f"{found.messages} messages wait to be read anew; {found.jobs} jobs are under way."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--undo", action="store_true", help="withdraw what was learned in this way")

    def handle(self, *args: Any, status: bool, **options: Any) -> None:
        if options["undo"]:
            self.stdout.write(f"Withdrawn: {undo_reread_for_all()} memories.")
        super().handle(*args, status=status or options["undo"], **options)
