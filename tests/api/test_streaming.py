"""A streamed turn through a real WSGI server: pieces arrive while the model still speaks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from foundation.accounts.models import User
from foundation.accounts.services import issue_token
from tests.support.cast import allow
from tests.support.model_server import ModelServer, Says, SaysInTwoBreaths

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def http(alice: User, live_server: LiveServer) -> Iterator[httpx.Client]:
    allow(alice)
    headers = {"Authorization": f"Token {issue_token(alice)[1]}", "Accept": "text/event-stream"}
    with httpx.Client(base_url=live_server.url, headers=headers, timeout=20) as client:
        yield client


def _path(http: httpx.Client) -> str:
    return f"/api/sessions/{http.post('/api/sessions', json={}).json()['session_id']}/messages"


def _events(lines: Iterator[str]) -> Iterator[tuple[str, Any]]:
    for line in lines:
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
            yield name, json.loads(next(lines).removeprefix("data: "))


def test_the_first_piece_arrives_before_the_model_has_finished(http: httpx.Client, settings: Settings) -> None:
    speaker = SaysInTwoBreaths()
    path = _path(http)
    with ModelServer(Says()) as server:
        settings.OPENAI_BASE_URL, settings.OPENAI_API_KEY = server.base_url, "test"
        server.script([speaker])
        with http.stream("POST", path, params={"stream": "true"}, json={"content": "What happened?"}) as answer:
            assert answer.headers["Content-Type"] == "text/event-stream"
            events = _events(answer.iter_lines())
            assert next(events) == ("delta", {"text": "Bonds "})
            speaker.go_on.set()
            rest = list(events)
    assert rest[0] == ("delta", {"text": "fell."})
    name, done = rest[-1]
    assert (name, done["reply"]) == ("done", "Bonds fell.")
    stored = http.get(path).json()["results"]
    assert [row["content"] for row in stored] == ["What happened?", "Bonds fell."]
    assert stored[1]["message_id"] == done["message_id"]


def test_streamed_or_not_the_turn_is_the_same_and_a_key_answers_it_again(http: httpx.Client) -> None:
    path, key = _path(http), {"Idempotency-Key": "turn"}
    asked: dict[str, Any] = {"params": {"stream": "true"}, "json": {"content": "你好，今天怎么样？"}, "headers": key}
    first, again = (list(_events(iter(http.post(path, **asked).text.splitlines()))) for _ in range(2))
    assert first[-1] == again[-1]
    assert "".join(data["text"] for name, data in first if name == "delta") == first[-1][1]["reply"]
    assert len(http.get(path).json()["results"]) == 2


def test_a_refusal_before_the_stream_is_plain_json(http: httpx.Client) -> None:
    answer = http.post(_path(http), params={"stream": "true"}, json={"content": " "})
    assert (answer.status_code, answer.headers["Content-Type"]) == (400, "application/json")
    assert answer.json()["code"] == "validation_error"
