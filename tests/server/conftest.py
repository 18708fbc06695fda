from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.model_server import ModelServer, Says
from tests.support.web_server import WebServer, running_web_server

CONNECTIONS = 4


@pytest.fixture(scope="package")
def model() -> Iterator[ModelServer]:
    """The model that the server asks."""
    with ModelServer() as running:
        yield running


@pytest.fixture(scope="package")
def server(django_db_setup: None, model: ModelServer) -> Iterator[WebServer]:
    """A server that waits for its clients one second, with few connections to the database."""
    with running_web_server(
        WEB_HEADER_SECONDS="1",
        WEB_BODY_SECONDS="1",
        WEB_IDLE_SECONDS="1",
        WEB_ANSWER_SECONDS="1",
        DATABASE_POOL_SIZE=str(CONNECTIONS),
        OPENAI_BASE_URL=model.base_url,
        OPENAI_API_KEY="test",
        UNDERSTANDING_DEADLINE_MS="60000",
    ) as running:
        yield running


@pytest.fixture(autouse=True)
def _usual_model(model: ModelServer) -> None:
    model.default = Says()
