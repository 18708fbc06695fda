"""The test databases: a template that is migrated once, a clone for each process, put back after each test."""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

from django.apps import apps
from django.conf import settings
from django.core.management import call_command
from django.db import connections
from django.test import TransactionTestCase
from filelock import FileLock
from psycopg import Connection, sql

from foundation.database.bootstrap import bootstrap
from foundation.database.embedded_server import EmbeddedServer
from foundation.database.urls import OWNER_ROLE
from tests.support.kept_connections import KEPT, keeping_connections

PATIENCE = 30.0  # seconds for a request of a browser that has left
TEMPLATES = "finclaw_test_template_"


@contextmanager
def database_of_tests() -> Iterator[None]:
    """Point every connection at this process's own clone of the template, dropped at the end."""
    server = EmbeddedServer(settings.DATA_DIR)
    name = f"test_finclaw_{os.environ.get('PYTEST_XDIST_WORKER', 'main')}_{os.getpid()}"
    template = kept_template(_make_migrated)
    with server.connect() as connection:
        connection.execute(_ddl("CREATE DATABASE {} TEMPLATE {}", name, template))
        wait_for_no_disk(connection, name)
    try:
        use_database(name)
        with server.connect(name) as superuser, _put_back_after_each_test(superuser), keeping_connections():
            yield
    finally:
        connections.close_all()
        with server.connect() as connection:
            connection.execute(_ddl("DROP DATABASE IF EXISTS {} WITH (FORCE)", name))


@contextmanager
def _put_back_after_each_test(superuser: Connection) -> Iterator[None]:
    """A test that commits ends with the database as the template has it, what migrations wrote included.

    In place of Django's flush: it truncates each table, and PostgreSQL makes new files for the table and all its
    indexes, 0.3 s for our fifty; it then leaves the rows out that migrations wrote.
    """
    superuser.execute("SET session_replication_role = replica")  # no foreign keys, no triggers that forbid a DELETE
    tables = list(_copied_tables(superuser))
    locking = sql.SQL("LOCK TABLE {} IN EXCLUSIVE MODE").format(sql.SQL(", ").join(table for table, _ in tables))
    changed = sql.SQL(" UNION ALL ").join(_changed(number, *each) for number, each in enumerate(tables))
    restoring = [_restoring(*each) for each in tables]

    def put_back(_: TransactionTestCase) -> None:
        _wait_for_live_server()
        connections.close_all()  # a transaction that the test left open would hold its rows for ever
        with superuser.transaction():
            superuser.execute(locking)
            found = superuser.execute(changed, prepare=True).fetchall()
            superuser.execute(sql.SQL("; ").join(restoring[number] for (number,) in found))

    with patch.object(TransactionTestCase, "_fixture_teardown", put_back):
        yield


def _wait_for_live_server() -> None:
    """Let the requests of a browser that has left come to their end: one would lock, or write, what is put back."""
    for thread in threading.enumerate():
        if thread.name.endswith("(process_request_thread)"):
            thread.join(PATIENCE)


def _copied_tables(superuser: Connection) -> Iterator[tuple[sql.Identifier, sql.Identifier | None]]:
    """Every table, with the temporary copy of what migrations wrote into it, if they wrote anything."""
    found = superuser.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1").fetchall()
    for number, (name,) in enumerate(found):
        table, copy = sql.Identifier("public", name), sql.Identifier(f"copy_{number}")
        filled = superuser.execute(sql.SQL("SELECT FROM {} LIMIT 1").format(table)).fetchone() is not None
        if filled:
            superuser.execute(sql.SQL("CREATE TEMPORARY TABLE {} AS TABLE {}").format(copy, table))
        yield table, copy if filled else None


def _changed(number: int, table: sql.Identifier, copy: sql.Identifier | None) -> sql.Composed:
    """Answers the number where the table holds something else than at first, as a few of the hundred do."""
    if copy is None:
        return sql.SQL("SELECT {} WHERE EXISTS (SELECT FROM {})").format(number, table)
    return sql.SQL(
        "SELECT {} WHERE (SELECT count(*) FROM {table}) <> (SELECT count(*) FROM {copy})"
        " OR EXISTS (TABLE {table} EXCEPT TABLE {copy})"
    ).format(number, table=table, copy=copy)


def _restoring(table: sql.Identifier, copy: sql.Identifier | None) -> sql.Composed:
    emptying = sql.SQL("DELETE FROM {}").format(table)
    return emptying if copy is None else sql.SQL("{}; INSERT INTO {} TABLE {}").format(emptying, table, copy)


def kept_template(make: Callable[[str], None], suffix: str = "") -> str:
    """The name of a database that tests clone, which ``make`` was given to make once; kept until a migration changes.

    The suffix tells it from those made in other ways. A process that needs it while another makes it waits.
    """
    server, name = EmbeddedServer(settings.DATA_DIR), f"{TEMPLATES}{_migrations_digest()}{suffix}"
    settings.DATA_DIR.mkdir(parents=True, exist_ok=True)
    with FileLock(settings.DATA_DIR / f"test-template{suffix}.lock"):
        server.start()
        with server.connect() as connection:
            made = connection.execute("SELECT datistemplate FROM pg_database WHERE datname = %s", [name]).fetchone()
            if made and made[0]:
                return name
            _drop_templates(connection, suffix)
        make(name)
        with server.connect() as connection:
            connection.execute(_ddl("ALTER DATABASE {} WITH IS_TEMPLATE true", name))
        return name


def _drop_templates(connection: Connection, suffix: str) -> None:
    """Those of older migrations, and one that was not finished."""
    pattern = f"^{TEMPLATES}[0-9a-f]{{16}}{suffix}$"
    for (name,) in connection.execute("SELECT datname FROM pg_database WHERE datname ~ %s", [pattern]).fetchall():
        connection.execute(_ddl("ALTER DATABASE {} WITH IS_TEMPLATE false", name))
        connection.execute(_ddl("DROP DATABASE {} WITH (FORCE)", name))


def _make_migrated(name: str) -> None:
    server = EmbeddedServer(settings.DATA_DIR)
    bootstrap(server, name)
    with server.connect() as connection:
        wait_for_no_disk(connection, name)
    with using_database(name):
        call_command("migrate", database="owner", verbosity=0)


def wait_for_no_disk(connection: Connection, name: str) -> None:
    """Commits are not lost when a test fails, only when the machine does: nobody will look for them then."""
    connection.execute(_ddl("ALTER DATABASE {} SET synchronous_commit = off", name))


@contextmanager
def using_database(name: str) -> Iterator[None]:
    """Every connection leads to this database, and back at the end to the one before."""
    usual = str(connections["owner"].settings_dict["NAME"])
    use_database(name)
    try:
        yield
    finally:
        use_database(usual)


def use_database(name: str) -> None:
    """Point every connection at this database."""
    connections.close_all()
    KEPT.close()  # a database is not copied while somebody is connected
    for alias in connections:
        connections[alias].settings_dict["NAME"] = settings.DATABASES[alias]["NAME"] = name


def _migrations_digest() -> str:
    digest = hashlib.sha256(OWNER_ROLE.encode())
    folders = {Path(config.path) / "migrations" for config in apps.get_app_configs()}
    policies = Path(settings.BASE_DIR, "foundation", "database")
    digest.update(Path(__file__).read_bytes())
    for file in sorted([*(file for folder in folders for file in folder.glob("*.py")), *policies.glob("*.py")]):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def _ddl(statement: str, *names: str) -> sql.Composed:
    return sql.SQL(statement).format(*map(sql.Identifier, names))
