"""A user reaches own rows only, whatever a query forgets (T-3)."""

from __future__ import annotations

import psycopg
import pytest
from django.apps import apps
from django.db import connection
from django.db.utils import ProgrammingError

from consent.declarations import personal_models
from consent.models import ProfileConsent
from finclaw.doctor.database import READ_BEFORE_SIGN_IN
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE, WORKER_ROLE
from foundation.outbox.models import OutboxMessage
from tests.support.cast import allow

EXEMPT = READ_BEFORE_SIGN_IN
PERSONAL_COLUMNS = ("user_id", "group_id", "owner_id", "sender_id")


def _own_tables() -> set[str]:
    packages = ("finclaw", "memory", "consent", "foundation", "drift", "personas", "knowledge", "media")
    return {
        model._meta.db_table
        for model in apps.get_models(include_auto_created=True)
        if model._meta.app_config.name.split(".")[0] in packages
    }


def test_every_table_with_a_personal_column_has_a_forced_policy(superuser_connection: psycopg.Connection) -> None:
    rows = superuser_connection.execute(
        """
        SELECT c.relname, c.relrowsecurity AND c.relforcerowsecurity,
               EXISTS (SELECT 1 FROM pg_policies p WHERE p.tablename = c.relname AND 'finclaw_app' = ANY(p.roles))
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = 'public' AND c.relkind = 'r'
          AND EXISTS (SELECT 1 FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = ANY(%s))
        """,
        [list(PERSONAL_COLUMNS)],
    ).fetchall()
    personal = {row[0]: row[1:] for row in rows if row[0] in _own_tables() - EXEMPT}
    assert len(personal) >= 10
    assert {table for table, protection in personal.items() if protection != (True, True)} <= _auto_created()


def _auto_created() -> set[str]:
    """Django's own join tables of the exempt user model."""
    return {field.m2m_db_table() for field in User._meta.local_many_to_many}


def test_every_declared_model_is_protected_or_exempt_by_name(superuser_connection: psycopg.Connection) -> None:
    protected = {
        row[0] for row in superuser_connection.execute("SELECT relname FROM pg_class WHERE relforcerowsecurity")
    }
    declared = {one.model._meta.db_table for one in personal_models()}
    assert declared - protected == EXEMPT


def test_with_no_user_set_every_personal_table_reads_empty(alice: User) -> None:
    allow(alice)
    for personal in personal_models():
        if personal.model._meta.db_table not in EXEMPT:
            assert not personal.model._default_manager.exists(), personal.label


def test_a_query_without_a_filter_shows_own_rows_only(alice: User, bob: User) -> None:
    allow(alice)
    allow(bob)
    with acting_as(alice.pk):
        assert {consent.user_id for consent in ProfileConsent.objects.all()} == {alice.pk}


def test_a_row_cannot_be_written_for_somebody_else(alice: User, bob: User) -> None:
    with pytest.raises(ProgrammingError, match="row-level security"), acting_as(alice.pk):
        OutboxMessage.objects.create(topic="x", user=bob, max_attempts=1, available_at="2026-01-01T00:00Z")


def test_acting_for_somebody_ends_with_its_block(alice: User, bob: User) -> None:
    allow(alice)
    with acting_as(alice.pk):
        with acting_as(bob.pk):
            assert not ProfileConsent.objects.exists()
        assert ProfileConsent.objects.exists()
    assert not ProfileConsent.objects.exists()


def test_a_failed_block_does_not_leave_its_user_behind(alice: User) -> None:
    allow(alice)
    with pytest.raises(RuntimeError, match="halfway"), acting_as(alice.pk):
        raise RuntimeError("halfway")
    assert not ProfileConsent.objects.exists()


def test_an_operator_reads_everybody_and_changes_nothing(alice: User) -> None:
    allow(alice)
    with in_role(OPERATOR_ROLE):
        assert ProfileConsent.objects.filter(user=alice).exists()
        assert ProfileConsent.objects.update(version=99) == 0


def test_a_worker_sees_work_and_no_personal_text(alice: User) -> None:
    allow(alice)
    with acting_as(alice.pk):
        OutboxMessage.objects.create(topic="x", user=alice, max_attempts=1, available_at="2026-01-01T00:00Z")
    with in_role(WORKER_ROLE):
        assert OutboxMessage.objects.exists()
        assert not ProfileConsent.objects.exists()


def test_the_application_is_neither_superuser_nor_owner(db: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT rolsuper, rolbypassrls, rolname FROM pg_roles WHERE rolname = current_user")
        assert cursor.fetchone() == (False, False, "finclaw_app")
        cursor.execute("SELECT count(*) FROM pg_class WHERE relowner = current_user::regrole")
        assert cursor.fetchone() == (0,)
