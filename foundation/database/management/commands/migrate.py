from __future__ import annotations

from typing import Any

from django.core.management.commands import migrate
from django.db import connections

from foundation.database.migration_state import building_few_models
from foundation.database.squashed_migrations import require_whole_history


class Command(migrate.Command):
    """Django's, faster, which refuses a database that stands between migrations that were squashed since."""

    def handle(self, *args: Any, **options: Any) -> None:
        """Raises ``CommandError`` before anything is changed."""
        require_whole_history(connections[options["database"]])
        with building_few_models():
            super().handle(*args, **options)
