"""A database made by the migrations that were squashed is taken over: its schema is a fresh one's, its rows are there.

``data/every_table.sql.gz`` was made at commit 68cc6a5, the last with those migrations: every personal table holds a row
of Alice's and one of Bob's. ``data/README.md`` has the commands. It is never made anew.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import psycopg
import pytest
from django.conf import settings
from django.db import connection, connections
from django.db.migrations.executor import MigrationExecutor
from psycopg import sql

from consent.declarations import personal_models
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.database.embedded_server import EmbeddedServer
from tests.support.catalog import KINDS, catalog
from tests.support.former import restored, schema_of, upgraded

DUMP = Path(__file__).parent / "data" / "every_table.sql.gz"
OF_DJANGO = ("django_", "auth_")  # tables that migrating writes to
# Bob asked to forget what he stated; Alice asked to forget a memory, which fences nothing.
FORGOTTEN_BY_BOB = {
    "drift.DriftSignal", "memory.UserContext", "memory.HistoricalUserContext", "memory.TaskContext",
    "personas.UserDocument", "personas.HistoricalUserDocument",
}  # fmt: skip

Catalog = dict[str, set[str]]


@pytest.fixture(scope="module")
def fresh(django_db_setup: None, django_db_blocker: pytest.FixtureRequest) -> Catalog:
    """Of a database that only today's migrations made; restored, too, since PostgreSQL then words expressions anew."""
    schema = schema_of(str(connections["default"].settings_dict["NAME"]))
    with django_db_blocker.unblock(), restored(schema) as name:  # type: ignore[attr-defined]
        return _catalog(name)


@pytest.fixture(scope="module")
def taken_over(fresh: Catalog, django_db_blocker: pytest.FixtureRequest) -> Iterator[Catalog]:
    """Every connection leads to the old database, migrated."""
    with django_db_blocker.unblock(), upgraded(DUMP) as name:  # type: ignore[attr-defined]
        yield _catalog(name)


def _superuser(database: str) -> psycopg.Connection:
    return EmbeddedServer(settings.DATA_DIR).connect(database)


def _catalog(database: str) -> Catalog:
    with _superuser(database) as superuser:
        return catalog(superuser)


@cache
def _dumped_rows() -> dict[str, int]:
    """How many rows of each table the dump holds: a line each between COPY and a backslash with its full stop."""
    rows: dict[str, int] = {}
    table = ""
    for line in gzip.decompress(DUMP.read_bytes()).decode().splitlines():
        if line.startswith("COPY public."):
            table = line.split()[1].removeprefix("public.")
            rows[table] = 0
        elif line == "\\.":
            table = ""
        elif table:
            rows[table] += 1
    return rows


def _stored_rows(tables: set[str]) -> dict[str, int]:
    with _superuser(str(connection.settings_dict["NAME"])) as superuser:
        return {name: superuser.execute(sql.SQL("TABLE {}").format(sql.Identifier(name))).rowcount for name in tables}


def _labels_without_rows(name: str) -> set[str]:
    """Personal tables, of those in the dump, in which this person finds nothing of their own."""
    user = User.objects.get(username=name)
    then = [one for one in personal_models() if one.model._meta.db_table in _dumped_rows()]
    with acting_as(user.pk):
        return {one.label for one in then if not one.rows_of(user.pk).exists()}


@pytest.mark.parametrize("kind", KINDS)
def test_the_schema_is_a_fresh_ones(kind: str, fresh: Catalog, taken_over: Catalog) -> None:
    assert taken_over[kind] == fresh[kind]


def test_nothing_is_left_to_migrate(taken_over: Catalog) -> None:
    executor = MigrationExecutor(connection)

    assert executor.migration_plan(executor.loader.graph.leaf_nodes()) == []


def test_every_row_is_there(taken_over: Catalog) -> None:
    dumped = _dumped_rows()

    stored = _stored_rows(set(dumped))

    ours = {table for table in dumped if not table.startswith(OF_DJANGO)}
    assert len(ours) > 50
    assert {table: stored[table] for table in ours} == {table: dumped[table] for table in ours}


def test_people_find_what_is_theirs_and_what_they_asked_to_forget_stays_hidden(taken_over: Catalog) -> None:
    assert _labels_without_rows("alice") == {"consent.ErasureFence"}
    assert _labels_without_rows("bob") == FORGOTTEN_BY_BOB
