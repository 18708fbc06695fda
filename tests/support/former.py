"""Databases of former releases: rows as they were written then, in the tables of then, upgraded as an operator does."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from django.db import connections
from django.db.migrations.executor import MigrationExecutor
from psycopg import sql

from foundation.database.acting import in_role
from foundation.database.bootstrap import bootstrap
from foundation.database.embedded import EmbeddedServer
from foundation.database.roles import WORKER_ROLE
from foundation.outbox.models import OutboxMessage
from tests.support.databases import use_database, wait_for_no_disk

# Rows that bring their keys leave the counters of those where they were.
_COUNT_ON = """
    DO $$ DECLARE counted record; BEGIN
        FOR counted IN SELECT table_name, column_name FROM information_schema.columns
                       WHERE table_schema = 'public' AND is_identity = 'YES' LOOP
            EXECUTE format('SELECT setval(pg_get_serial_sequence(%L, %L), max(%I)) FROM %I HAVING max(%I) IS NOT NULL',
                           counted.table_name, counted.column_name, counted.column_name, counted.table_name,
                           counted.column_name);
        END LOOP;
    END $$
"""


@contextmanager
def upgraded(dump: Path) -> Iterator[None]:
    """Point every connection at a database with these rows, made at the migrations that the dump's first lines name,
    and migrated from there; back at the end, when it is dropped.
    """
    server, usual = EmbeddedServer(settings.DATA_DIR), str(connections["default"].settings_dict["NAME"])
    name = f"test_finclaw_former_{os.getpid()}"
    statements = dump.read_text(encoding="utf-8")
    try:
        bootstrap(server, name)
        with server.connect() as superuser:
            wait_for_no_disk(superuser, name)
        use_database(name)
        MigrationExecutor(connections["owner"]).migrate(_migrations(statements))
        with server.connect(name) as superuser:
            superuser.execute("SET session_replication_role = replica")  # the dump is in no order of foreign keys
            superuser.execute(statements.encode())
            superuser.execute(_COUNT_ON)
        call_command("migrate", database="owner", verbosity=0, skip_checks=True)
        yield
    finally:
        use_database(usual)
        with server.connect() as superuser:
            superuser.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))


def cancel_the_purge() -> None:
    """What was withdrawn stays, as if its purge were late."""
    with in_role(WORKER_ROLE):
        OutboxMessage.objects.filter(topic="consent.purge", state="pending").update(state="cancelled")


def _migrations(dump: str) -> list[tuple[str, str]]:
    """(application, migration) of each line like ``-- memory.0017_task_note``."""
    named = (line.removeprefix("-- ").split(".") for line in dump.splitlines() if line.startswith("-- "))
    return [(application, migration) for application, migration in named]
