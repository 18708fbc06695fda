"""A database that is down: 503, and nothing half-written. A model that is: an answer from memory."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from pytest_django import Settings
from rest_framework.test import APIClient

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.models import OutboxMessage
from memory.models import ConversationEvent, Receipt
from tests.support.api import MISSING, code_of, post
from tests.support.cast import PASSWORD
from tests.support.model_server import Behaviour, Drops, ModelServer, Refuses, Stalls

pytestmark = pytest.mark.django_db(transaction=True)


@contextmanager
def _database_down(dead_socket: Path) -> Iterator[None]:
    alive = connection.settings_dict["HOST"]
    connection.close()
    connection.settings_dict["HOST"] = str(dead_socket)
    try:
        yield
    finally:
        connection.settings_dict["HOST"] = alive
        connection.close()


def _say(client: APIClient, session: str, *, stream: bool = False) -> Any:
    return post(client, f"/api/sessions/{session}/messages{'?stream=true' if stream else ''}", {"content": "Hello"})


def _stored(user: User) -> list[int]:
    with acting_as(user.pk):
        return [ConversationEvent.objects.count(), Receipt.objects.count(), OutboxMessage.objects.count()]


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("get", "/api/users/me"),
        ("post", "/api/groups"),
        ("post", f"/api/sessions/{MISSING}/messages"),
        ("post", "/api/memories/search"),
        ("delete", "/api/auth/token"),
    ],
)
def test_without_a_database_every_request_says_so(as_alice: APIClient, tmp_path: Path, method: str, path: str) -> None:
    with _database_down(tmp_path):
        answer = getattr(as_alice, method)(path, {})
    assert (answer.status_code, code_of(answer)) == (503, "service_unavailable")


def test_without_a_database_a_browsers_session_is_no_exception(alice: User, tmp_path: Path) -> None:
    browser = Client(raise_request_exception=False)
    browser.force_login(alice, "django.contrib.auth.backends.ModelBackend")
    with _database_down(tmp_path):
        answer = browser.get("/api/users/me")
    assert (answer.status_code, code_of(answer)) == (503, "service_unavailable")


def test_without_a_database_nobody_signs_in_and_nothing_is_still_nothing(alice: User, tmp_path: Path) -> None:
    client = APIClient(raise_request_exception=False)
    with _database_down(tmp_path):
        refused = post(client, "/api/auth/token", {"username": "alice", "password": PASSWORD})
        unmatched = client.get("/api/nothing")
    assert (refused.status_code, code_of(refused)) == (503, "service_unavailable")
    assert (unmatched.status_code, code_of(unmatched)) == (404, "not_found")


def test_a_database_lost_while_the_reply_streams_ends_the_stream_and_stores_nothing(
    alice: User, as_alice: APIClient, session: str, tmp_path: Path
) -> None:
    pieces = _say(as_alice, session, stream=True).streaming_content
    assert next(pieces).startswith(b"event: delta")
    with _database_down(tmp_path):
        rest = b"".join(pieces)
    assert b"event: error" in rest
    assert b"service_unavailable" in rest
    assert b"event: done" not in rest
    assert _stored(alice) == [0, 0, 0]


@pytest.fixture
def impatient(settings: Settings) -> Settings:
    """A model server is configured, and given up on soon."""
    settings.MODEL_TIMEOUT_SECONDS = 0.4
    settings.MODEL_FIRST_TOKEN_TIMEOUT_SECONDS = 0.4
    settings.MODEL_MAX_RETRIES = 0
    settings.OPENAI_API_KEY = "test"
    return settings


@pytest.mark.parametrize("behaviour", [Refuses(500), Stalls(), Drops()])
def test_a_model_that_fails_is_said_in_an_answer_from_memory(
    alice: User, as_alice: APIClient, session: str, impatient: Settings, behaviour: Behaviour
) -> None:
    with ModelServer(behaviour) as server:
        impatient.OPENAI_BASE_URL = server.base_url
        answer = _say(as_alice, session)
        assert server.requests
    assert answer.status_code == 200
    assert "model_unavailable" in answer.json()["degraded"]
    receipt = as_alice.get(f"/api/receipts/{answer.json()['receipt_id']}").json()
    assert receipt["degraded"] == answer.json()["degraded"]
    said = as_alice.get(f"/api/sessions/{session}/messages").json()["results"]
    assert [message["content"] for message in said] == ["Hello", answer.json()["reply"]]


def test_a_model_that_breaks_off_is_told_in_the_stream_before_the_answer_from_memory(
    alice: User, as_alice: APIClient, session: str, impatient: Settings
) -> None:
    with ModelServer(Drops(("Half a ", "sen"))) as server:
        impatient.OPENAI_BASE_URL = server.base_url
        body = b"".join(_say(as_alice, session, stream=True).streaming_content).decode()
    before, _, after = body.split("event: interrupted\ndata: ")  # the small model broke off, then the large one
    assert before.startswith('event: delta\ndata: {"text": "Half a "}\n\n')
    assert json.loads(after.split("\n")[0])["code"] == "model_unavailable"
    done = json.loads(after.split("event: done\ndata: ")[1].split("\n")[0])
    assert json.loads(after.split("event: delta\ndata: ")[1].split("\n")[0])["text"] == done["reply"]
    assert "Half a" not in done["reply"]
