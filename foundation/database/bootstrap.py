"""From an empty server to a database that can be migrated: roles, database, extension, grants."""

from __future__ import annotations

from psycopg import Connection, sql

from foundation.database.embedded_server import EmbeddedServer
from foundation.database.roles import grant_statements, role_statements
from foundation.database.urls import DATABASE_NAME, OWNER_ROLE


def bootstrap(server: EmbeddedServer, name: str = DATABASE_NAME) -> None:
    """Make roles, the ``vector`` extension and database ``name``. Idempotent; needs a running server.

    ``vector`` is not a trusted extension, so a superuser puts it into ``template1``: databases made later,
    those of the tests included, inherit it. One process at a time: two that make the same role fail.
    """
    with server.locked():
        _prepare(server, name)


def _prepare(server: EmbeddedServer, name: str) -> None:
    with server.connect() as connection:
        _execute(connection, role_statements())
        exists = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name]).fetchone()
    with server.connect("template1") as connection:
        _execute(connection, ["CREATE EXTENSION IF NOT EXISTS vector"])
    if not exists:
        with server.connect() as connection:
            connection.execute(
                sql.SQL("CREATE DATABASE {} OWNER {}").format(sql.Identifier(name), sql.Identifier(OWNER_ROLE))
            )
    with server.connect(name) as connection:
        _execute(connection, [f"SET ROLE {OWNER_ROLE}", *grant_statements()])


def _execute(connection: Connection, statements: list[str]) -> None:
    for statement in statements:
        connection.execute(statement)
