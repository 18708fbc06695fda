"""A receipt over the API: what its person may see of it, and what stays inside (seed B §4.1, exposure)."""

from __future__ import annotations

import pytest
from rest_framework.test import APIClient

from foundation.accounts.models import User
from foundation.outbox.tasks import drain
from tests.support.api import MISSING, code_of, post
from tests.support.cast import allow

pytestmark = pytest.mark.django_db(transaction=True)
INTERNAL = {"candidate_score", "policy_version", "guardrail_hit", "utilization_signal", "signals", "context_hash"}


def _receipt_of(client: APIClient, *messages: str) -> str:
    """The injection receipt of the last of these messages' answers."""
    session = post(client, "/api/sessions", {}).json()["session_id"]
    for message in messages:
        turn = post(client, f"/api/sessions/{session}/messages", {"content": message}).json()
        drain()
    return str(turn["receipt_id"])


def test_an_outsider_sees_no_receipt_of_alice(alice: User, as_alice: APIClient, as_charlie: APIClient) -> None:
    allow(alice)
    receipt = _receipt_of(as_alice, "I follow BTC")
    assert as_charlie.get(f"/api/receipts/{receipt}").status_code == 404
    assert code_of(as_alice.get(f"/api/receipts/{MISSING}")) == "not_found"
    assert as_alice.post(f"/api/receipts/{receipt}").status_code == 405


def test_a_receipt_shows_what_is_exposed_and_nothing_internal(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    _receipt_of(as_alice, "I follow BTC")
    receipt = as_alice.get(f"/api/receipts/{_receipt_of(as_alice, 'What do I follow?')}").json()
    assert {"receipt_id", "kind", "candidates", "degraded", "budget", "budget_exceeded"} <= set(receipt)
    assert receipt["degraded"] == ["model_offline"]
    assert (receipt["prompt_version"], receipt["experiments"]) == ("1", {})
    [item] = [line for line in receipt["candidates"] if line["kind"] == "item"]
    assert (item["status"], item["decision_reason"], item["context_position"]) == ("accepted", "relevance", 1)
    assert item["utilized"] is True
    for shown in (receipt, *receipt["candidates"]):
        assert not INTERNAL & set(shown)


@pytest.mark.parametrize(
    ("question", "reason"), [("What do you remember about me?", "recency"), ("What do I drink?", "relevance")]
)
def test_who_asks_for_everything_is_shown_the_latest(
    alice: User, as_alice: APIClient, question: str, reason: str
) -> None:
    allow(alice)
    receipt = as_alice.get(f"/api/receipts/{_receipt_of(as_alice, 'I drink green tea', question)}").json()
    assert {line["decision_reason"] for line in receipt["candidates"] if line["kind"] == "item"} == {reason}


def test_the_next_message_is_the_feedback(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    _receipt_of(as_alice, "I follow BTC")
    session = post(as_alice, "/api/sessions", {}).json()["session_id"]
    path = f"/api/sessions/{session}/messages"
    receipt = post(as_alice, path, {"content": "What do I follow?"}).json()["receipt_id"]
    post(as_alice, path, {"content": "Exactly!"})
    drain()
    lines = as_alice.get(f"/api/receipts/{receipt}").json()["candidates"]
    assert {line["user_feedback_signal"] for line in lines if line["utilized"]} == {"positive"}
