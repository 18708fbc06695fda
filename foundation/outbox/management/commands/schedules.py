from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from foundation.outbox.schedules import install_schedules, listed_schedules


class Command(BaseCommand):
    """Bring django-q2's schedules in step with the list in the code."""

    help = "Write the schedules that the code lists, and remove those it no longer lists."

    def handle(self, *args: Any, **options: Any) -> None:
        schedules = listed_schedules()
        added, removed = install_schedules(schedules)
        self.stdout.write(f"{len(schedules)} schedules, {added} new, {removed} removed.")
