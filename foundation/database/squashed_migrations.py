"""Refuse to migrate a database that stands between migrations which were squashed since."""

from __future__ import annotations

from django.core.management import CommandError
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

_REFUSED = (
    "This database was migrated by an early state of 0.1.0, and halfway: of what {squashed} stands for it lacks "
    "{missing}. Migrate it first with the last state of 0.1.0 that holds these migrations; docs/operators.md, "
    '"Upgrading", says how. Nothing was changed.'
)


def require_whole_history(connection: BaseDatabaseWrapper) -> None:
    """Raise ``CommandError`` where some, but not all, of the migrations that a squashed one replaces were applied.

    Django would leave the squashed migration out of its graph, and say nothing where no other depends on it.
    """
    applied = MigrationRecorder(connection).applied_migrations()
    loader = MigrationLoader(None, load=False)
    loader.load_disk()
    for (label, name), migration in loader.disk_migrations.items():
        missing = [replaced for replaced in migration.replaces if replaced not in applied]
        if missing and len(missing) < len(migration.replaces):
            names = ", ".join(".".join(replaced) for replaced in missing)
            raise CommandError(_REFUSED.format(squashed=f"{label}.{name}", missing=names))
