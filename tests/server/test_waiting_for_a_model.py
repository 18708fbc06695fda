"""Turns wait for their model without holding anything that others need, and their pieces arrive as they come."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from foundation.accounts.models import User
from foundation.accounts.services import issue_token
from tests.server.conftest import CONNECTIONS
from tests.support.cast import allow
from tests.support.model_server import ModelServer, Says, SaysInTwoBreaths, WaitsForOthers
from tests.support.web_server import PATIENCE_SECONDS, WebServer

pytestmark = [pytest.mark.workers, pytest.mark.django_db(transaction=True)]
TURNS = CONNECTIONS + 2


@pytest.fixture
def headers(alice: User) -> dict[str, str]:
    allow(alice)
    return {"Authorization": f"Token {issue_token(alice)[1]}"}


def _new_session(server: WebServer, headers: dict[str, str]) -> str:
    answer = httpx.post(f"{server.address}/api/sessions", json={}, headers=headers, timeout=PATIENCE_SECONDS)
    return f"{server.address}/api/sessions/{answer.json()['session_id']}/messages"


def test_more_turns_wait_at_once_than_there_are_connections_to_the_database(
    server: WebServer, model: ModelServer, headers: dict[str, str]
) -> None:
    sessions = [_new_session(server, headers) for _ in range(TURNS)]
    model.default = WaitsForOthers(TURNS)

    def turn(session: str) -> str:
        answer = httpx.post(session, json={"content": "What do I follow?"}, headers=headers, timeout=90).json()
        return str(answer.get("code") or answer["reply"])

    with ThreadPoolExecutor(TURNS) as people:
        assert list(people.map(turn, sessions)) == ["Hello."] * TURNS


def test_a_piece_arrives_before_the_model_has_finished(
    server: WebServer, model: ModelServer, headers: dict[str, str]
) -> None:
    session, speaker = _new_session(server, headers), SaysInTwoBreaths()
    model.script([Says(), speaker])  # the small model reads the intent first
    asked = {"url": session, "params": {"stream": "true"}, "json": {"content": "What happened?"}}
    with httpx.stream("POST", **asked, headers=headers, timeout=PATIENCE_SECONDS) as answer:  # type: ignore[arg-type]
        lines = (json.loads(line[6:]) for line in answer.iter_lines() if line.startswith("data: "))
        assert next(lines) == {"text": "Bonds "}
        speaker.go_on.set()
        assert list(lines)[-1]["reply"] == "Bonds fell."
