"""What keeps personal tables from being distributed by user is known: a new lack fails, the SQL mends what it says."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest
import yaml
from django.core.management import CommandError, call_command

from finclaw.brain.turn import reply
from finclaw.brain.types import TurnRequest
from finclaw.management.commands import distribution as command
from foundation.accounts.models import User
from foundation.database.distribution import (
    LackKind,
    distribution_lacks,
    mending_statements,
    statements_without_owner,
)
from foundation.outbox.tasks import drain
from tests.support.cast import allow
from tests.support.statements import statements_of
from tests.support.talk import open_session

TABLES = """
    CREATE TABLE test_note (id int PRIMARY KEY, user_id uuid NOT NULL, slug text UNIQUE, UNIQUE (user_id, slug));
    CREATE TABLE test_line (
        id int PRIMARY KEY, user_id uuid, note_id int REFERENCES test_note ON DELETE SET NULL
    );
    CREATE UNIQUE INDEX test_partial ON test_note (slug) WHERE slug <> '';
    CREATE TABLE test_owner (user_id uuid PRIMARY KEY);
    CREATE TABLE test_whole (user_id uuid REFERENCES test_owner);

    CREATE POLICY test_reads ON test_line USING (note_id IN (SELECT id FROM test_note));
"""
OWNERS = dict.fromkeys(("test_note", "test_line", "test_owner"), "user_id")

pytestmark = pytest.mark.django_db


def test_every_lack_is_registered_and_every_registered_one_is_there() -> None:
    call_command("distribution", check=True)


def test_a_new_lack_fails_and_so_does_one_that_was_mended(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    known = command.read_register()
    monkeypatch.setattr(command, "REGISTER", tmp_path / "register.yaml")
    for lacks, complaint in ((known[1:], "New lacks"), ([*known, "test_note: unique: gone"], "No lacks any more")):
        command.REGISTER.write_text(yaml.safe_dump({"lacks": lacks}), encoding="utf-8")
        with pytest.raises(CommandError, match=complaint):
            call_command("distribution", check=True)

    call_command("distribution", register=True)
    assert command.read_register() == known


def test_each_kind_of_lack_is_found_and_what_can_be_mended_is(superuser_connection: psycopg.Connection) -> None:
    with superuser_connection.transaction(force_rollback=True), superuser_connection.cursor() as cursor:
        cursor.execute(TABLES)
        lacks = distribution_lacks(cursor, OWNERS)
        for statement in mending_statements(lacks):
            cursor.execute(statement)
        left = distribution_lacks(cursor, OWNERS)

    assert {(lack.table, lack.kind, lack.name) for lack in lacks} == {
        ("test_line", LackKind.FOREIGN_KEY, "test_line_note_id_fkey to test_note"),
        ("test_line", LackKind.NULLABLE, "user_id"),
        ("test_line", LackKind.PRIMARY_KEY, "test_line_pkey"),
        ("test_line", LackKind.POLICY, "test_reads reads test_note"),
        ("test_note", LackKind.PRIMARY_KEY, "test_note_pkey"),
        ("test_note", LackKind.UNIQUE, "test_note_slug_key"),
        ("test_note", LackKind.UNIQUE, "test_partial"),
        ("test_whole", LackKind.FROM_WHOLE, "test_whole_user_id_fkey to test_owner"),
    }
    assert {lack.kind for lack in left} == {LackKind.POLICY, LackKind.FROM_WHOLE}


def test_the_sql_for_our_own_tables_is_taken_and_leaves_only_what_is_to_be_decided(
    superuser_connection: psycopg.Connection,
) -> None:
    owners = command.owners_of_tables()
    with superuser_connection.transaction(force_rollback=True), superuser_connection.cursor() as cursor:
        for statement in mending_statements(distribution_lacks(cursor, owners)):
            cursor.execute(statement)
        left = distribution_lacks(cursor, owners)

    assert not [lack for lack in left if lack.statement]


def test_the_statements_of_a_turn_that_name_no_owner_are_registered(alice: User) -> None:
    allow(alice)
    session = open_session(alice)

    def talk() -> None:
        for text in ("I follow BTC.", "What do I follow?"):
            reply(alice, TurnRequest(session.pk, ({"type": "text", "text": text},)))
            drain()

    found = statements_without_owner(map(str, statements_of(talk)), command.owners_of_tables())
    assert found <= set(command.read_register("statements"))
