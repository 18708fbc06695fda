"""Forgetting over the API, as a program asks for it."""

from __future__ import annotations

from typing import Any

from rest_framework.test import APIClient

from foundation.outbox.tasks import drain
from tests.support.api import post

ASK = "/api/users/me/erasure"
CONFIRMED = {"confirm": "alice"}


def keep_memory(client: APIClient, text: str) -> str:
    """A memory kept word for word; its id."""
    return str(post(client, "/api/memories", {"text": text, "infer": False}).json()["results"][0]["memory_id"])


def new_session(client: APIClient) -> str:
    """A new conversation; its id."""
    return str(post(client, "/api/sessions", {}).json()["session_id"])


def write_event(client: APIClient, session: str, new_info: str, request_id: str = "r") -> str:
    """An event written at once; its ``event_id``."""
    post(client, f"/api/sessions/{session}/end", {"request_id": request_id, "new_info": new_info})
    drain()
    return f"{request_id}:1"


def receipt_of(answer: Any) -> dict[str, Any]:
    """The deletion receipt of an erasure that was accepted."""
    assert answer.status_code == 202, answer.json()
    receipt: dict[str, Any] = answer.json()
    assert set(receipt) == {"receipt_id", "tombstone_id", "item_count", "estimated_completion", "certificate_url"}
    assert receipt["receipt_id"] == receipt["tombstone_id"]
    return receipt
