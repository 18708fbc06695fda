"""Every memory says through which program it came: by a key, by OAuth, and from the chats that one holds."""

from __future__ import annotations

from typing import Any

import pytest
from rest_framework.test import APIClient

from foundation.accounts.models import User
from foundation.accounts.services import issue_token
from foundation.outbox.tasks import drain
from tests.support.cast import allow
from tests.support.oauth import Assistant, register, with_token
from tests.web.support import signed_in

SAID = "I live in Lisbon and I follow BTC."


def memories(client: APIClient) -> list[dict[str, Any]]:
    results: list[dict[str, Any]] = client.get("/api/memories").json()["results"]
    assert results
    return results


def client_of(user: User, kind: str) -> APIClient:
    if kind == "key":
        return with_token(issue_token(user, "Notebook")[1])
    return Assistant(register(client_name="Notebook").json()["client_id"]).connect(user)


@pytest.mark.parametrize("kind", ["key", "oauth"])
def test_what_a_program_keeps_word_for_word_says_so(alice: User, kind: str) -> None:
    allow(alice)
    client = client_of(alice, kind)
    assert client.post("/api/memories", {"text": SAID, "infer": False}).status_code == 201
    [kept] = memories(client)
    assert kept["program"] == "Notebook"
    page = signed_in(alice).get(f"/memories/{kept['memory_id']}/").content.decode()
    assert "Through which program" in page
    assert "Notebook" in page


@pytest.mark.parametrize("kind", ["key", "oauth"])
def test_what_is_learned_from_a_program_says_so(alice: User, kind: str) -> None:
    allow(alice)
    client = client_of(alice, kind)
    assert client.post("/api/memories", {"text": SAID}).status_code == 202
    drain()
    assert {memory["program"] for memory in memories(client)} == {"Notebook"}


def test_a_chat_of_a_program_teaches_in_its_name(alice: User) -> None:
    allow(alice)
    client = client_of(alice, "oauth")
    session = client.post("/api/sessions", {}).json()["session_id"]
    assert client.post(f"/api/sessions/{session}/messages", {"content": SAID}).status_code == 200
    drain()
    assert {memory["program"] for memory in memories(client)} == {"Notebook"}


def test_what_comes_through_no_program_names_none(alice: User) -> None:
    allow(alice)
    client = with_token(issue_token(alice)[1])
    client.post("/api/memories", {"text": SAID, "infer": False})
    [kept] = memories(client)
    assert kept["program"] is None
    page = signed_in(alice).get(f"/memories/{kept['memory_id']}/").content.decode()
    assert "Through which program" not in page
