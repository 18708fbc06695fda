"""SIGTERM lets turns finish, and tells everybody else to come again; no connection just breaks off."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator

import httpx
import pytest

from foundation.accounts.models import User
from foundation.accounts.services import issue_token
from tests.support.cast import allow
from tests.support.model_server import ModelServer, SaysInTwoBreaths
from tests.support.web_server import PATIENCE_SECONDS, WebServer, running_web_server

pytestmark = [pytest.mark.workers, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def ending_server(django_db_setup: None, model: ModelServer) -> Iterator[WebServer]:
    """A server of its own, to be stopped."""
    with running_web_server(OPENAI_BASE_URL=model.base_url, OPENAI_API_KEY="test") as running:
        yield running


@pytest.fixture
def client(alice: User, ending_server: WebServer) -> Iterator[httpx.Client]:
    allow(alice)
    token = {"Authorization": f"Token {issue_token(alice)[1]}"}
    with httpx.Client(base_url=ending_server.address, headers=token, timeout=PATIENCE_SECONDS) as opened:
        yield opened


@pytest.fixture
def progress(client: httpx.Client) -> Iterator[Iterator[str]]:
    """The lines that tell of a research task for which no worker comes."""
    draft = {"route": "snapshot", "prompt": "What moves bond yields?"}
    task = client.post("/api/tasks", json=draft).json()["task_id"]
    with client.stream("GET", f"/api/tasks/{task}?stream=true") as answer:
        yield answer.iter_lines()


def test_a_turn_is_finished_while_what_comes_is_sent_away(
    ending_server: WebServer, model: ModelServer, client: httpx.Client, progress: Iterator[str]
) -> None:
    session = client.post("/api/sessions", json={}).json()["session_id"]
    asked = f"/api/sessions/{session}/messages"
    speaker = SaysInTwoBreaths()
    model.script([speaker])
    with client.stream("POST", f"{asked}?stream=true", json={"content": "What happened?"}) as answer:
        lines = (json.loads(line[6:]) for line in answer.iter_lines() if line.startswith("data: "))
        assert next(lines) == {"text": "Bonds "}
        with httpx.Client(base_url=ending_server.address, headers=client.headers) as kept_alive:
            assert kept_alive.get("/health/ready").status_code == 200

            ending_server.process.terminate()
            _wait_until_stopping(ending_server)

            refused = kept_alive.post(asked, json={"content": "And gold?"})
            assert (refused.status_code, refused.json()["code"]) == (425, "server_stopping")
            assert (refused.headers["Retry-After"], refused.headers["Connection"]) == ("1", "close")
        page = httpx.get(f"{ending_server.address}/sign-in")
        assert (page.status_code, page.headers["Retry-After"]) == (425, "1")
        assert "restarting" in page.text
        assert "Back in a moment" in page.text
        assert httpx.get(f"{ending_server.address}/health/ready").status_code == 503
        assert httpx.get(f"{ending_server.address}/health/live").status_code == 200

        assert "event: done" not in list(progress)  # they end, whatever they tell of does not

        speaker.go_on.set()
        assert list(lines)[-1]["reply"] == "Bonds fell."
    assert ending_server.process.wait(PATIENCE_SECONDS) == 0


def _wait_until_stopping(server: WebServer) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while httpx.get(f"{server.address}/health/ready").json() != {"status": "stopping"}:
        assert time.monotonic() < deadline, "the server does not stop"
        time.sleep(0.05)
