from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from foundation.outbox.schedules import install_schedules, listed_schedules


class Command(BaseCommand):
    """Bring django-q2's schedules in step with the list in the code."""

    help = (
        "Store the schedules that are listed in the code in the database, and delete those that are no longer listed."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        schedules = listed_schedules()
        added, removed = install_schedules(schedules)
        self.stdout.write(f"{len(schedules)} schedules, {added} new, {removed} removed.")
