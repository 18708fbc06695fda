from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from memory.learning.reread_jobs import queue_now, rereading_progress, take_back_for_all

_HELP = """Read anew, in the background, the messages that were learned from before sentences were judged. The worker
does so by itself every few minutes; this queues everybody at once. With --status it only says how far it has come, with
--undo it takes back what was learned so and nobody has confirmed since."""


class Command(BaseCommand):
    """Queue messages to be read again or undo what that taught, and report what waits."""

    help = _HELP

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--status", action="store_true", help="queue nothing, only say what waits")
        parser.add_argument("--undo", action="store_true", help="take back what reading anew taught")

    def handle(self, *args: Any, status: bool, undo: bool, **options: Any) -> None:
        if undo:
            self.stdout.write(f"Taken back: {take_back_for_all()} memories.")
        elif not status:
            self.stdout.write(f"Queued: {queue_now()} people.")
        found = rereading_progress()
        self.stdout.write(f"{found.messages} messages wait to be read anew; {found.jobs} jobs are under way.")
