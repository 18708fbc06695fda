"""Tests run on real PostgreSQL, as ``finclaw_app``, under row-level security.

The embedded server is started when it is not running. One template database is migrated as owner and kept
until a migration changes; every test process clones it.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any
from unittest.mock import patch

import httpcore2
import psycopg
import pytest
from django.conf import settings
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.utils import translation
from hypothesis import settings as hypothesis_settings
from whitenoise.middleware import WhiteNoiseMiddleware  # type: ignore[import-untyped]

from consent.erasure import journal_check as journal_check_module
from finclaw.catalogues import compile_catalogue, translated_languages
from foundation.accounts.models import User
from foundation.database.embedded_server import EmbeddedServer
from tests.support.cast import make_person
from tests.support.databases import database_of_tests
from tests.support.examples import examples
from tests.support.order import dealt

OUTSIDE = ("browser", "workers")  # marks of tests that go at the pace of other processes
OUTSIDE_SECONDS = 900  # cutting a browser's test off breaks the browser for those after it

sys.dont_write_bytecode = False  # the processes of a run, and the next run, read what one compiled
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

settings.EMBEDDER = os.environ.setdefault("EMBEDDER", "light")  # a sixtieth of the time; other processes follow

hypothesis_settings.register_profile("untimed", deadline=None, max_examples=examples(100))  # bench/ measures time
hypothesis_settings.load_profile("untimed")
os.environ.setdefault("MODEL_USAGE_FLUSH_SECONDS", "0")  # of other processes, which leave the database as it was
settings.MODEL_USAGE_FLUSH_SECONDS = 0.0  # a test that reads what is written flushes it
settings.LEARNING_MODEL_WAIT_SECONDS = 0.0  # a test that waits for more of a conversation says so
settings.UNDERSTANDING_DEADLINE_MS = 60_000  # a busy machine changes no answer; a test of lateness says so
settings.LEARNED_WAIT_SECONDS = 0.0  # nobody learns meanwhile, unless a test says so
settings.OUTBOX_LINGER_SECONDS = 0.0  # what runs does not depend on how long a test took; a test of staying says so

pytest_plugins = ["tests.support.fixtures", "tests.support.garbage", "tests.support.tracing"]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Time enough for what drives browsers and processes; where several share the tests, an order in which they end
    together.
    """
    for item in items:
        if not item.get_closest_marker("timeout") and any(map(item.get_closest_marker, OUTSIDE)):
            item.add_marker(pytest.mark.timeout(OUTSIDE_SECONDS))
    processes = getattr(config, "workerinput", {}).get("workercount", 1)
    if processes > 1:
        items[:] = dealt(items, processes)


@pytest.fixture(scope="session")
def django_db_setup(
    django_db_blocker: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
    settings.ERASURE_JOURNAL = str(tmp_path_factory.mktemp("erasures") / "journal.jsonl")
    with django_db_blocker.unblock(), database_of_tests(), _journal_compared_once():  # type: ignore[attr-defined]
        yield


@contextmanager
def _journal_compared_once() -> Iterator[None]:
    """Requests go by the answer for the empty journal: the statements of one do not depend on the clock."""
    with patch.object(journal_check_module, "CHECK_SECONDS", math.inf):
        journal_check_module.journal_check.had_unreplayed()
        yield


@pytest.fixture(scope="session", autouse=True)
def _passwords_are_stretched_once() -> Iterator[None]:
    """By the product's own hasher, not a million times: that is a third of a second for each person of the cast."""
    with patch.object(PBKDF2PasswordHasher, "iterations", 1):
        yield


@pytest.fixture(scope="session", autouse=True)
def _static_files_are_found_once() -> Iterator[None]:
    """Each client of a test loads the middleware anew, which looks at every static file: a good part of a request."""
    find, found = WhiteNoiseMiddleware.add_files_from_finders, dict[str, Any]()

    def find_once(middleware: WhiteNoiseMiddleware) -> None:
        if not found:
            find(middleware)
            found.update(middleware.files)
        middleware.files.update(found)

    with patch.object(WhiteNoiseMiddleware, "add_files_from_finders", find_once):
        yield


@pytest.fixture(scope="session", autouse=True)
def _certificates_are_read_once() -> Iterator[None]:
    """The client that each stub of a model gets reads all the certificates of the machine, and never needs one."""
    with patch.object(httpcore2, "default_ssl_context", cache(httpcore2.default_ssl_context)):
        yield


@pytest.fixture(scope="session", autouse=True)
def _catalogues_are_compiled() -> None:
    for language in translated_languages():
        compile_catalogue(language)


@pytest.fixture(autouse=True)
def _language_of_a_request_ends_with_its_test() -> Iterator[None]:
    """A request leaves the language of its page active in its thread, which the next test would speak."""
    yield
    translation.deactivate()


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


@pytest.fixture
def superuser_connection(db: None) -> Iterator[psycopg.Connection]:
    """The catalogue as PostgreSQL's superuser sees it."""
    with EmbeddedServer(settings.DATA_DIR).connect(settings.DATABASES["default"]["NAME"]) as connection:
        yield connection
