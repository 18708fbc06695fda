"""Tests run on real PostgreSQL, as ``finclaw_app``, under row-level security.

The embedded server is started when it is not running. One template database is migrated as owner and kept
until a migration changes; every test process clones it.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from django.apps import apps
from django.conf import settings
from django.core.management import call_command
from django.db import connections
from filelock import FileLock
from psycopg import sql

from foundation.accounts.models import User
from foundation.database.bootstrap import bootstrap
from foundation.database.embedded import EmbeddedServer
from foundation.database.urls import APP_ROLE, OWNER_ROLE
from tests.support.cast import make_person

pytest_plugins = ["tests.support.fixtures"]


@pytest.fixture(scope="session")
def django_db_setup(
    django_db_blocker: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
    settings.ERASURE_JOURNAL = str(tmp_path_factory.mktemp("erasures") / "journal.jsonl")
    server = EmbeddedServer(settings.DATA_DIR)
    worker = os.environ.get("PYTEST_XDIST_WORKER", "main")
    name = f"test_finclaw_{worker}_{os.getpid()}"
    with django_db_blocker.unblock():  # type: ignore[attr-defined]
        template = _template(server)
        with server.connect() as connection:
            connection.execute(_ddl("CREATE DATABASE {} TEMPLATE {} STRATEGY FILE_COPY", name, template))
        for alias in connections:
            connections[alias].close()
            connections[alias].settings_dict["NAME"] = name
            settings.DATABASES[alias]["NAME"] = name
        yield
        for alias in connections:
            connections[alias].close()
        with server.connect() as connection:
            connection.execute(_ddl("DROP DATABASE IF EXISTS {} WITH (FORCE)", name))


def _template(server: EmbeddedServer) -> str:
    """The migrated database that tests clone; named after the migrations it was made with."""
    settings.DATA_DIR.mkdir(parents=True, exist_ok=True)
    with FileLock(settings.DATA_DIR / "test-template.lock"):
        server.start()
        name = f"finclaw_test_template_{_migrations_digest()}"
        with server.connect() as connection:
            made = connection.execute("SELECT datistemplate FROM pg_database WHERE datname = %s", [name]).fetchone()
            if made and made[0]:
                return name
            if made:
                connection.execute(_ddl("DROP DATABASE {} WITH (FORCE)", name))
        bootstrap(server, name)
        _migrate(name)
        with server.connect(name) as connection:
            # Only here: flushing a transactional test truncates.
            connection.execute(f"GRANT TRUNCATE ON ALL TABLES IN SCHEMA public TO {APP_ROLE}")
            # Made by knox before its model is swapped for ours: Django's flush does not know it and stumbles.
            connection.execute("DROP TABLE IF EXISTS knox_authtoken")
        with server.connect() as connection:
            connection.execute(_ddl("ALTER DATABASE {} WITH IS_TEMPLATE true", name))
        return name


def _migrate(name: str) -> None:
    owner = connections["owner"]
    usual = owner.settings_dict["NAME"]
    owner.close()
    owner.settings_dict["NAME"] = name
    call_command("migrate", database="owner", verbosity=0)
    owner.close()
    owner.settings_dict["NAME"] = usual


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


@pytest.fixture
def alice(db: None) -> User:
    """The owner of what a test is about."""
    return make_person("alice")


@pytest.fixture
def bob(db: None) -> User:
    """A member of Alice's group."""
    return make_person("bob")


@pytest.fixture
def charlie(db: None) -> User:
    """An outsider."""
    return make_person("charlie")


@pytest.fixture(autouse=True)
def _legal_terms(request: pytest.FixtureRequest) -> None:
    """A transactional test leaves every table flushed, that of the laws' terms too, which a migration had filled."""
    marker = request.node.get_closest_marker("django_db")
    if marker is not None and marker.kwargs.get("transaction"):
        request.getfixturevalue("transactional_db")
    if marker is not None or {"db", "transactional_db"} & set(request.fixturenames):
        request.getfixturevalue("legal_profiles")


@pytest.fixture
def superuser_connection(db: None) -> Iterator[psycopg.Connection]:
    """The catalogue as PostgreSQL's superuser sees it."""
    with EmbeddedServer(settings.DATA_DIR).connect(settings.DATABASES["default"]["NAME"]) as connection:
        yield connection
