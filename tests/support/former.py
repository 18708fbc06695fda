"""Databases of former releases: dumps made then, restored and upgraded as an operator does."""

from __future__ import annotations

import gzip
import hashlib
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from psycopg import sql

from foundation.database.acting_user import in_role
from foundation.database.embedded_server import EmbeddedServer, binaries
from foundation.database.roles import WORKER_ROLE
from foundation.database.urls import OWNER_ROLE
from foundation.outbox.models import OutboxMessage
from tests.support.databases import kept_template, using_database, wait_for_no_disk


@contextmanager
def upgraded(dump: Path) -> Iterator[str]:
    """Point every connection at the database of this dump, gzipped, after it was migrated, and back at the end, when it
    is dropped. Answers its name. It is restored and migrated once, until a migration changes, and copied after that.
    """
    content = gzip.decompress(dump.read_bytes())
    kept = kept_template(partial(_make_upgraded, content), f"_{hashlib.sha256(content).hexdigest()[:16]}")
    with _copy_of(kept) as name:
        yield name


@contextmanager
def restored(dump: bytes) -> Iterator[str]:
    """Like ``upgraded``, of ``pg_dump``'s text, and as it was then."""
    with _copy_of("template0") as name:
        _restore(dump, name)
        yield name


@contextmanager
def _copy_of(template: str) -> Iterator[str]:
    name = f"test_finclaw_former_{os.getpid()}"
    try:
        _create(name, template)
        with using_database(name):
            yield name
    finally:
        with EmbeddedServer(settings.DATA_DIR).connect() as superuser:
            superuser.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))


def _make_upgraded(dump: bytes, name: str) -> None:
    _create(name, "template0")
    _restore(dump, name)
    with using_database(name):
        call_command("migrate", database="owner", verbosity=0, skip_checks=True)


def _create(name: str, template: str) -> None:
    statement = sql.SQL("CREATE DATABASE {} OWNER {} TEMPLATE {}")
    with EmbeddedServer(settings.DATA_DIR).connect() as superuser:
        superuser.execute(statement.format(*map(sql.Identifier, (name, OWNER_ROLE, template))))
        wait_for_no_disk(superuser, name)


def _restore(dump: bytes, name: str) -> None:
    _run("psql", "--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", name, given=dump)


def schema_of(database: str) -> bytes:
    """Its tables without their rows, as ``pg_dump`` writes them."""
    return _run("pg_dump", "--schema-only", database)


def cancel_the_purge() -> None:
    """What was withdrawn stays, as if its purge were late."""
    with in_role(WORKER_ROLE):
        OutboxMessage.objects.filter(topic="consent.purge", state="pending").update(state="cancelled")


def _run(program: str, *arguments: str, given: bytes = b"") -> bytes:
    server = EmbeddedServer(settings.DATA_DIR)
    command = [str(binaries() / program), f"--host={server.sockets}", "--port=5432", "--username=postgres", *arguments]
    done = subprocess.run(command, input=given, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout
