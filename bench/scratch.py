"""A migrated database of the embedded server that is gone afterwards, and the table that effects are counted in."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.core.management import call_command
from django.db import connections
from psycopg import sql

from foundation.database.bootstrap import bootstrap
from foundation.database.embedded import EmbeddedServer
from foundation.database.urls import APP_ROLE

_EFFECTS = f"""
    CREATE TABLE bench_effect (job uuid, process integer, backend integer);
    GRANT SELECT, INSERT ON bench_effect TO {APP_ROLE};
"""


@contextmanager
def scratch_database() -> Iterator[str]:
    """Point every connection at a fresh, migrated database; drop it at the end. Answers its name."""
    server = EmbeddedServer(settings.DATA_DIR)
    server.start()
    name = f"finclaw_bench_{os.getpid()}"
    bootstrap(server, name)
    try:
        _use(name)
        call_command("migrate", database="owner", verbosity=0, skip_checks=True)
        yield name
    finally:
        connections.close_all()
        with server.connect() as connection:
            connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


@contextmanager
def effects_table(database: str) -> Iterator[None]:
    """The table that the counting handlers write to, in a scratch or test database."""
    with EmbeddedServer(settings.DATA_DIR).connect(database) as connection:
        connection.execute(_EFFECTS)
        try:
            yield
        finally:
            connection.execute("DROP TABLE bench_effect")


def _use(name: str) -> None:
    connections.close_all()
    for alias in connections:
        connections[alias].settings_dict["NAME"] = name
