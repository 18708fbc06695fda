"""A turn under ``/v1`` asks the database no more often than the same turn under ``/api``."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from rest_framework.test import APIClient

from foundation.accounts.models import User
from tests.support.api import post
from tests.support.cast import allow
from tests.support.statements import count_statements

pytestmark = pytest.mark.django_db(transaction=True)
QUESTIONS = [f"Is fund number {number} one of those that I prefer?" for number in range(3)]


def test_a_turn_costs_the_door_no_more_statements_than_the_api(as_alice: APIClient, alice: User) -> None:
    allow(alice)
    kept = {"text": "I prefer fund number one for its low fees.", "infer": False}
    assert post(as_alice, "/api/memories", kept).status_code == 201
    session = post(as_alice, "/api/sessions", {}).json()["session_id"]
    said: list[dict[str, Any]] = []

    def send(question: str) -> None:
        answer = post(as_alice, f"/api/sessions/{session}/messages", {"content": question})
        assert answer.json()["memories_used"]

    def complete(question: str) -> None:
        said.append({"role": "user", "content": question})
        answer = post(as_alice, "/v1/chat/completions", {"model": "finclaw", "messages": said})
        said.append(answer.json()["choices"][0]["message"])

    by_api = [count_statements(partial(send, question)) for question in QUESTIONS]
    by_v1 = [count_statements(partial(complete, question)) for question in QUESTIONS]
    assert [v1 <= api for api, v1 in zip(by_api, by_v1, strict=True)] == [True] * 3, (by_api, by_v1)
