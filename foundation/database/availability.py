"""The database of a management command: the configured one, else the embedded server, started if need be."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connection, connections
from django.db.migrations.executor import MigrationExecutor

from foundation.database.bootstrap import bootstrap
from foundation.database.embedded_server import EmbeddedServer
from foundation.database.squashed_migrations import require_whole_history
from foundation.database.watchdog import LEAST_FREE_BYTES, ROOM_AGAIN, reenable_writes


@contextmanager
def available_database() -> Iterator[None]:
    """Start the embedded server where it does not run, and stop it at the end unless others use it by then.

    A server that runs is used. A database that is missing is made; one without tables, or with older ones, is
    migrated. With a ``DATABASE_URL`` nothing is done: that server, and its migrations, are the operator's.
    """
    if settings.DATABASE_URL:
        yield
        return
    server = EmbeddedServer(settings.DATA_DIR)
    started = server.start()
    try:
        require_writable(server)
        bootstrap(server)
        with server.locked():
            if _has_unapplied_migrations():
                call_command("migrate", database="owner", verbosity=0, skip_checks=True)
        yield
    finally:
        if started:
            connections.close_all()
            server.stop_if_unused()


def require_writable(server: EmbeddedServer) -> None:
    """Let a server write again that a full disk left read only; raises ``CommandError`` while there is no room."""
    if not reenable_writes(server):
        least = LEAST_FREE_BYTES * ROOM_AGAIN // 1_000_000
        raise CommandError(
            f"The disk is nearly full, so the database writes nothing. Make room on the disk of {server.data_dir},"
            f" at least {least} MB, and start again."
        )


def _has_unapplied_migrations() -> bool:
    require_whole_history(connection)
    executor = MigrationExecutor(connection)
    return bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))
