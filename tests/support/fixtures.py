"""Fixtures shared by several packages' tests."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from playwright.sync_api import Browser, sync_playwright

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session", autouse=True)
def _exports_of_tests(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Archives that a test builds never lie among those of this checkout."""
    settings.EXPORT_DIR = tmp_path_factory.mktemp("exports")


@pytest.fixture(scope="session", autouse=True)
def _busy_machines_are_no_failure() -> None:
    """Searches and tools may take their time: what a turn does without them is told by the tests of just that."""
    settings.KNOWLEDGE_TIMEOUT_MS = settings.KNOWLEDGE_VECTOR_TIMEOUT_MS = settings.KNOWLEDGE_GRAPH_TIMEOUT_MS = 30_000
    settings.RETRIEVAL_TIMEOUT_MS = settings.RECALL_TIMEOUT_MS = 30_000


@pytest.fixture(autouse=True)
def _leases_end_with_their_test() -> Iterator[None]:
    """A process renews the leases of its turns for some seconds: in the next test, or in a database that is gone."""
    yield
    made = sys.modules.get("finclaw.brain.records.turn_release")  # importing it takes longer than most tests
    if made is not None:
        made._renewal._turns.clear()


@pytest.fixture
def listening() -> Iterator[socket.socket]:
    """A server that accepts connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """The system's Chromium; without one the tests are skipped on a person's machine, never in CI."""
    if not Path(CHROMIUM).exists():
        give_up = pytest.fail if "CI" in os.environ else pytest.skip
        give_up("no Chromium here: install it (.ci/system-packages), or say where it is in CHROMIUM")
    # Playwright runs an event loop in this thread, which Django would take for asynchronous code of its own.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()
    del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]
