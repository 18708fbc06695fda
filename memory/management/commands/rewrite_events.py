from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from memory.historian.event_backlog import queue_events_now, rewriting_progress

_HELP = """Write anew, in the background, the events that were written before each told of one thing. The worker does so
by itself every few minutes; this queues everybody at once. With --status it only says how far it has come."""


class Command(BaseCommand):
    """Queue events to be rewritten, and report what waits."""

    help = _HELP

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--status", action="store_true", help="queue nothing, only say what waits")

    def handle(self, *args: Any, status: bool, **options: Any) -> None:
        if not status:
            self.stdout.write(f"Queued: {queue_events_now()} people.")
        found = rewriting_progress()
        self.stdout.write(
            f"{found.waiting} events wait to be written anew, {found.kept} stay as they were; "
            f"{found.jobs} jobs are under way."
        )
