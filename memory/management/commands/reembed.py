from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from memory.indexing.reembedding import ReembeddingProgress, queue_now, reembedding_progress

_HELP = """Embed anew, in the background, what is stored without a vector of the configured embedding model. The worker
does so by itself every few minutes; this queues everybody at once. With --status it only says how far it has come."""


class Command(BaseCommand):
    """Queue entries to be re-embedded, and report what waits."""

    help = _HELP

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--status", action="store_true", help="queue nothing, only say what waits")

    def handle(self, *args: Any, status: bool, **options: Any) -> None:
        if not status:
            self.stdout.write(f"Queued anew: {queue_now()} people.")
        self.stdout.write(_describe_counts(reembedding_progress()))


def _describe_counts(found: ReembeddingProgress) -> str:
    lines = [f"{entries:>10}  {model or 'no vector'}" for model, entries in found.entries.items()]
    waits = f"{found.waiting} of these entries wait for a vector of {found.model_id}; {found.jobs} jobs are under way."
    return "\n".join(["Search entries by the model that embedded them:", *lines, waits])
