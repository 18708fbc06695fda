from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from django.conf import settings

from foundation.database.embedded_server import OS_USER
from foundation.database.urls import APP_ROLE
from tests.deploy.proxies import PROXIES, RunningProxy, pgbouncer, pooled_url, write_certificate
from tests.support.model_server import ModelServer, Says
from tests.support.ports import free_port
from tests.support.web_server import WebServer, running_web_server

StartProxy = Callable[[tuple[int, int]], AbstractContextManager[RunningProxy]]


@pytest.fixture(scope="package")
def model() -> Iterator[ModelServer]:
    """The model that the web server asks."""
    with ModelServer() as running:
        yield running


@pytest.fixture(scope="package")
def pooler(django_db_setup: None) -> Iterator[int]:
    """Where PgBouncer listens, before the tests' own PostgreSQL, with two connections for each role."""
    port = free_port()
    with TemporaryDirectory(prefix="finclaw-pgbouncer-") as folder:  # which its own user may enter
        os_user = OS_USER if os.geteuid() == 0 else None
        with pgbouncer(Path(folder), port, settings.DATABASES["default"]["HOST"], 2, os_user):
            yield port


@pytest.fixture(scope="package")
def server(pooler: int, model: ModelServer) -> Iterator[WebServer]:
    """A web process between PgBouncer and a proxy that speaks TLS; two failed attempts of an address are its last."""
    with running_web_server(
        HTTPS="true",
        TRUSTED_PROXIES="1",
        ADDRESS_FAILURE_LIMIT="2",
        OPENAI_BASE_URL=model.base_url,
        WEB_WORKERS="1",
        LEARNED_WAIT_SECONDS="0",
        DATABASE_URL=pooled_url(APP_ROLE, pooler, settings.DATABASES["default"]["NAME"]),
        DATABASE_PREPARED_STATEMENTS="false",
    ) as running:
        yield running


@pytest.fixture(scope="package", params=sorted(PROXIES))
def start(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> StartProxy:
    """Starts this proxy before two ports."""

    def start_proxy(upstreams: tuple[int, int]) -> AbstractContextManager[RunningProxy]:
        folder: Path = tmp_path_factory.mktemp(request.param)
        write_certificate(folder)
        return PROXIES[request.param](folder, upstreams)

    return start_proxy


@pytest.fixture(scope="package")
def proxy(start: StartProxy, server: WebServer) -> Iterator[RunningProxy]:
    """The proxy before the web process, and another that is not there."""
    with start((server.port, free_port())) as running:
        yield running


@pytest.fixture(autouse=True)
def _usual_model(model: ModelServer) -> None:
    model.default = Says()
