from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from memory.profiles.rebuild_backlog import queue_now, rebuild_progress

_HELP = """Make anew, in the background, the portraits that were made of events alone, and those of people who have none
yet. The worker does so by itself every few minutes; this queues everybody at once. What stood before is kept as a
revision. With --status it only says how far it has come."""


class Command(BaseCommand):
    """Queue portraits to be rebuilt, and report what waits."""

    help = _HELP

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--status", action="store_true", help="queue nothing, only say what waits")

    def handle(self, *args: Any, status: bool, **options: Any) -> None:
        if not status:
            self.stdout.write(f"Queued: {queue_now()} people.")
        found = rebuild_progress()
        self.stdout.write(
            f"{found.portraits} portraits wait to be made anew, {found.people} people wait for their first; "
            f"{found.jobs} jobs are under way."
        )
