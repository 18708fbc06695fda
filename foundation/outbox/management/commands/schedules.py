from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from foundation.outbox.schedules import install, listed


class Command(BaseCommand):
    """Bring django-q2's schedules in step with the list in the code."""

    help = "Write the schedules that the code lists, and remove those it no longer lists."

    def handle(self, *args: Any, **options: Any) -> None:
        schedules = listed()
        added, removed = install(schedules)
        self.stdout.write(f"{len(schedules)} schedules, {added} new, {removed} removed.")
