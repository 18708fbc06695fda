"""A database that holds some of the migrations that were squashed, and not all, is refused before anything changes."""

from __future__ import annotations

import gzip
from collections.abc import Iterator

import pytest
from django.core.management import CommandError, call_command
from django.db import connections
from django.db.migrations.recorder import MigrationRecorder

from tests.support.former import restored
from tests.upgrade.test_databases_made_before_the_squash import DUMP

Migrations = set[tuple[str, str]]


@pytest.fixture
def applied(django_db_setup: None, django_db_blocker: pytest.FixtureRequest) -> Iterator[Migrations]:
    """Every connection leads to a database as it was before the squash; the migrations that were applied to it."""
    with django_db_blocker.unblock(), restored(gzip.decompress(DUMP.read_bytes())):  # type: ignore[attr-defined]
        yield set(_recorder().applied_migrations())


def _recorder() -> MigrationRecorder:
    return MigrationRecorder(connections["owner"])


@pytest.mark.parametrize("lacked", [("memory", "0024_chat_imports"), ("outbox", "0002_row_level_security")])
def test_it_is_refused_with_what_it_lacks_and_where_to_read_on(lacked: tuple[str, str], applied: Migrations) -> None:
    _recorder().record_unapplied(*lacked)

    with pytest.raises(CommandError, match=rf"lacks {'.'.join(lacked)}\. .* docs/operators\.md"):
        call_command("migrate", database="owner", verbosity=0)

    assert set(_recorder().applied_migrations()) == applied - {lacked}
