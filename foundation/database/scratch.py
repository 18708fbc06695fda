"""A migrated throw-away database on the embedded server, for measurements."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.core.management import call_command
from django.db import connections
from psycopg import sql

from foundation.database.bootstrap import bootstrap
from foundation.database.embedded_server import EmbeddedServer


@contextmanager
def scratch_database(purpose: str, *, durable: bool = True) -> Iterator[str]:
    """Point every connection at a fresh, migrated database, and back at the end, when it is dropped. Answers its name.

    Without ``durable`` its commits do not wait for the disk: for what measures no time.
    """
    server = EmbeddedServer(settings.DATA_DIR)
    server.start()
    usual = {alias: connections[alias].settings_dict["NAME"] for alias in connections}
    name = f"finclaw_{purpose}_{os.getpid()}"
    bootstrap(server, name)
    if not durable:
        with server.connect() as connection:
            connection.execute(sql.SQL("ALTER DATABASE {} SET synchronous_commit = off").format(sql.Identifier(name)))
    try:
        _use_databases(dict.fromkeys(usual, name))
        call_command("migrate", database="owner", verbosity=0, skip_checks=True)
        yield name
    finally:
        _use_databases(usual)
        with server.connect() as connection:
            connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def _use_databases(names: dict[str, str]) -> None:
    connections.close_all()
    for alias, name in names.items():
        connections[alias].settings_dict["NAME"] = name
