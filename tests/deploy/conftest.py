from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from tests.deploy.proxies import PROXIES, RunningProxy, free_port, write_certificate
from tests.support.model_server import ModelServer, Says
from tests.support.web_server import WebServer, running_web_server

StartProxy = Callable[[tuple[int, int]], AbstractContextManager[RunningProxy]]


@pytest.fixture(scope="package")
def model() -> Iterator[ModelServer]:
    """The model that the web server asks."""
    with ModelServer() as running:
        yield running


@pytest.fixture(scope="package")
def server(django_db_setup: None, model: ModelServer) -> Iterator[WebServer]:
    """A web process as it runs behind one proxy that speaks TLS; two failed attempts of an address are its last."""
    with running_web_server(
        HTTPS="true", TRUSTED_PROXIES="1", ADDRESS_FAILURE_LIMIT="2", OPENAI_BASE_URL=model.base_url, WEB_WORKERS="1"
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
