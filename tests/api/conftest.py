from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.core.cache import cache
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer
from rest_framework.test import APIClient

from finclaw.api.base import PublicView
from foundation.accounts.models import User
from tests.support import openai_clients
from tests.support.api import post, signed_in
from tests.support.cast import allow
from tests.support.declared_errors import declared_codes
from tests.support.model_server import ModelServer, Refuses
from tests.support.openai_clients import OpenedClients


@pytest.fixture(autouse=True)
def _fresh_rate_limits() -> Iterator[None]:
    """One test's requests do not count against the next one's limit."""
    cache.clear()
    yield
    cache.clear()


@pytest.fixture(autouse=True)
def _errors_are_declared(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Every error that a test provokes stands among those that the OpenAPI document gives its operation."""
    undeclared, finalize = list[str](), PublicView.finalize_response

    def finalize_and_compare(view: PublicView, request: Any, response: Any, *args: Any, **kwargs: Any) -> Any:
        answer = finalize(view, request, response, *args, **kwargs)
        declared = declared_codes(request.method, request.path) if answer.status_code >= 400 else None
        code = (answer.data.get("error") or answer.data)["code"] if declared is not None else ""
        if declared is not None and code not in declared:
            undeclared.append(f"{request.method} {request.path}: {code}")
        return answer

    monkeypatch.setattr(PublicView, "finalize_response", finalize_and_compare)
    yield
    assert not undeclared, "declare them with finclaw.api.operations.raises"


@pytest.fixture
def as_alice(alice: User) -> APIClient:
    return signed_in(alice)


@pytest.fixture
def as_bob(bob: User) -> APIClient:
    return signed_in(bob)


@pytest.fixture
def as_charlie(charlie: User) -> APIClient:
    return signed_in(charlie)


@pytest.fixture
def failing_server(settings: Settings) -> Iterator[ModelServer]:
    """A server whose models fail until its ``default`` is changed."""
    with ModelServer(default=Refuses(503)) as server:
        settings.OPENAI_BASE_URL, settings.MODEL_MAX_RETRIES, settings.MODEL_LARGE = server.base_url, 0, "big-7b"
        yield server


@pytest.fixture
def model_of_programs(settings: Settings) -> Iterator[ModelServer]:
    with openai_clients.model_of_programs(settings) as server:
        yield server


@pytest.fixture
def clients(live_server: LiveServer) -> Iterator[OpenedClients]:
    opened = OpenedClients(live_server)
    yield opened
    opened.close()


@pytest.fixture
def session(alice: User, as_alice: APIClient) -> str:
    """The id of Alice's conversation, under every consent."""
    allow(alice)
    return str(post(as_alice, "/api/sessions", {}).json()["session_id"])
