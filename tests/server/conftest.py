from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.web_server import WebServer, running_web_server


@pytest.fixture(scope="package")
def server(django_db_setup: None) -> Iterator[WebServer]:
    """A server that waits for its clients one second, and has a single connection to the database."""
    with running_web_server(
        WEB_HEADER_SECONDS="1",
        WEB_BODY_SECONDS="1",
        WEB_IDLE_SECONDS="1",
        WEB_ANSWER_SECONDS="1",
        DATABASE_POOL_SIZE="1",
    ) as running:
        yield running
