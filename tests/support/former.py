"""Databases of former releases: dumps made then, restored and upgraded as an operator does."""

from __future__ import annotations

import gzip
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from django.db import connections
from psycopg import sql

from foundation.database.acting_user import in_role
from foundation.database.embedded_server import EmbeddedServer, binaries
from foundation.database.roles import WORKER_ROLE
from foundation.database.urls import OWNER_ROLE
from foundation.outbox.models import OutboxMessage
from tests.support.databases import use_database, wait_for_no_disk


@contextmanager
def upgraded(dump: Path) -> Iterator[str]:
    """Point every connection at the database of this dump, gzipped, after it was migrated, and back at the end, when it
    is dropped. Answers its name.
    """
    with restored(gzip.decompress(dump.read_bytes())) as name:
        call_command("migrate", database="owner", verbosity=0, skip_checks=True)
        yield name


@contextmanager
def restored(dump: bytes) -> Iterator[str]:
    """Like ``upgraded``, of ``pg_dump``'s text, and as it was then."""
    server, usual = EmbeddedServer(settings.DATA_DIR), str(connections["default"].settings_dict["NAME"])
    name = f"test_finclaw_former_{os.getpid()}"
    database, owner = sql.Identifier(name), sql.Identifier(OWNER_ROLE)
    try:
        with server.connect() as superuser:
            superuser.execute(sql.SQL("CREATE DATABASE {} OWNER {} TEMPLATE template0").format(database, owner))
            wait_for_no_disk(superuser, name)
        _run("psql", "--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", name, given=dump)
        use_database(name)
        yield name
    finally:
        use_database(usual)
        with server.connect() as superuser:
            superuser.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(database))


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
