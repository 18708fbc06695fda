"""Connections that tests give up are taken again, with what PostgreSQL knows and has planned for them.

A new one reads the catalogue and plans each statement under all its policies: more than most tests compute by
themselves.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final
from unittest.mock import patch

import psycopg
from django.db.backends.postgresql.base import DatabaseWrapper
from psycopg._preparing import PrepareManager
from psycopg.pq import ExecStatus, TransactionStatus

_APPLICATION: Final = "default"
"""The alias whose role changes no table."""


class KeptStatements(PrepareManager):
    """Prepared statements that outlive a rollback, with which each test ends: what they read is still the same then."""

    prepared_max = 1_000

    def clear(self) -> bool:
        """Keep them."""
        return False


class KeptConnections:
    """Idle connections of this process, by what they were opened with."""

    def __init__(self) -> None:
        self._idle: dict[str, list[psycopg.Connection]] = defaultdict(list)

    def take(self, opened_with: str) -> psycopg.Connection | None:
        """One that still answers."""
        idle = self._idle[opened_with]
        while idle:
            connection = idle.pop()
            if _answers(connection):
                return connection
        return None

    def give_back(self, opened_with: str, connection: psycopg.Connection) -> None:
        """Keep it for the next who asks; close it where a transaction is open."""
        if connection.info.transaction_status == TransactionStatus.IDLE:
            self._idle[opened_with].append(connection)
        else:
            connection.close()

    def close(self) -> None:
        """Close all that nobody uses."""
        for idle in self._idle.values():
            while idle:
                idle.pop().close()


def _answers(connection: psycopg.Connection) -> bool:
    try:
        connection.pgconn.exec_(b"")
    except psycopg.Error:
        return False
    return connection.info.transaction_status == TransactionStatus.IDLE


KEPT: Final = KeptConnections()


@contextmanager
def keeping_connections() -> Iterator[None]:
    """Connections that Django closes go to those that are kept, and come from there."""
    connect = DatabaseWrapper.get_new_connection

    def take_or_connect(wrapper: DatabaseWrapper, parameters: dict[str, Any]) -> Any:
        opened_with = f"{os.getpid()} {wrapper.alias} {parameters}"
        connection: Any = KEPT.take(opened_with) or connect(wrapper, parameters)
        connection.opened_with = opened_with
        if wrapper.alias == _APPLICATION and not isinstance(connection._prepared, KeptStatements):
            threshold, connection._prepared = connection.prepare_threshold, KeptStatements()
            connection.prepare_threshold = threshold
        return connection

    def give_back(wrapper: Any) -> None:
        if wrapper.connection is not None:
            KEPT.give_back(wrapper.connection.opened_with, wrapper.connection)

    with (
        patch.object(DatabaseWrapper, "get_new_connection", take_or_connect),
        patch.object(DatabaseWrapper, "_close", give_back),
        _direct_savepoints("_savepoint", "SAVEPOINT"),
        _direct_savepoints("_savepoint_commit", "RELEASE SAVEPOINT"),
    ):
        yield
    KEPT.close()


@contextmanager
def _direct_savepoints(method: str, statement: str) -> Iterator[None]:
    """Give them to libpq itself where nobody counts or wraps statements: a quarter of what tests ask the database."""
    through_a_cursor = getattr(DatabaseWrapper, method)

    def directly(wrapper: Any, name: str) -> None:
        watched = wrapper.queries_logged or wrapper.execute_wrappers
        sent = f"{statement} {wrapper.ops.quote_name(name)}".encode()
        if watched or wrapper.connection.pgconn.exec_(sent).status != ExecStatus.COMMAND_OK:
            through_a_cursor(wrapper, name)  # which begins the transaction, or says what is wrong

    with patch.object(DatabaseWrapper, method, directly):
        yield
