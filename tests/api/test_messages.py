"""A turn over the API: the contract's answer, whose words it keeps, and what it refuses."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest
from django.conf import settings
from rest_framework.test import APIClient

from finclaw.brain.skills.wording import phrase
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.tasks import drain
from memory.models import ConversationEvent
from memory.services.sessions import session_of
from memory.services.turn_leases import begin_turn, end_turn
from tests.support.api import MISSING, code_of, post
from tests.support.cast import allow

# A turn gives its connection back while the model thinks, which a test's own transaction would not survive.
pytestmark = pytest.mark.django_db(transaction=True)


def _session(client: APIClient) -> str:
    return str(post(client, "/api/sessions", {}).json()["session_id"])


def _say(client: APIClient, session: str, content: str) -> Any:
    return post(client, f"/api/sessions/{session}/messages", {"content": content})


def test_an_outsider_neither_speaks_nor_reads(
    alice: User, as_alice: APIClient, charlie: User, as_charlie: APIClient
) -> None:
    allow(alice)
    allow(charlie)
    session = _session(as_alice)
    assert _say(as_charlie, session, "Hello").status_code == 404
    assert as_charlie.get(f"/api/sessions/{session}/messages").status_code == 404
    assert _say(as_charlie, MISSING, "Hello").status_code == 404


def test_messages_are_neither_changed_nor_deleted(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    path = f"/api/sessions/{_session(as_alice)}/messages"
    assert [getattr(as_alice, method)(path).status_code for method in ("put", "patch", "delete")] == [405] * 3


WORDS = [{"type": "text", "text": "Look at this."}]


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({}, 400, "validation_error"),
        ({"content": ""}, 400, "validation_error"),
        ({"content": "  \n"}, 400, "validation_error"),
        ({"content": "x" * (settings.MAX_MESSAGE_CHARS + 1)}, 400, "validation_error"),
        ({"content": "Hello", "content_blocks": []}, 400, "validation_error"),
        ({"content_blocks": []}, 400, "validation_error"),
        ({"content_blocks": [{"type": "video"}]}, 400, "validation_error"),
        ({"content_blocks": [{"type": "text"}]}, 400, "validation_error"),
        ({"content": "Hello", "role": "system"}, 400, "validation_error"),
        ({"content_blocks": [{"type": "image", "media_id": MISSING}]}, 400, "validation_error"),  # without a word
        ({"content_blocks": [*WORDS, {"type": "image", "media_id": MISSING}]}, 422, "media_not_safe"),
    ],
)
def test_a_malformed_message_is_refused_and_not_stored(
    alice: User, as_alice: APIClient, body: dict[str, Any], status: int, code: str
) -> None:
    allow(alice)
    session = _session(as_alice)
    answer = post(as_alice, f"/api/sessions/{session}/messages", body)
    assert (answer.status_code, code_of(answer)) == (status, code)
    assert as_alice.get(f"/api/sessions/{session}/messages").json()["results"] == []


def test_a_turn_answers_as_the_contract_says(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    session = _session(as_alice)
    turn = _say(as_alice, session, "What do you think of NVDA?").json()
    assert set(turn) == {
        "message_id", "reply", "intent", "skill", "memories_used", "degraded", "finish_reason", "usage", "receipt_id",
        "user_message_id", "learning", "follow_up",
    }  # fmt: skip
    assert set(turn["intent"]) == {
        "action_required", "intent_type", "confidence", "extracted_entities", "context_hints",
    }  # fmt: skip
    assert turn["intent"]["extracted_entities"] == {"tickers": ["NVDA"], "assets": ["Nvidia"]}
    assert turn["skill"] is None
    assert set(turn["usage"]) == {"prompt_tokens", "completion_tokens"}
    messages = as_alice.get(f"/api/sessions/{session}/messages").json()["results"]
    assert [(row["seq"], row["role"]) for row in messages] == [(1, "user"), (2, "assistant")]
    assert (messages[1]["message_id"], messages[1]["content"]) == (turn["message_id"], turn["reply"])
    assert messages[0]["content_blocks"] == [{"type": "text", "text": "What do you think of NVDA?"}]


def test_what_was_remembered_is_named_and_the_receipt_explains_it(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    kept = post(as_alice, "/api/memories", {"text": "我偏好长期持有半导体股票。", "infer": False}).json()["results"][0]
    turn = _say(as_alice, _session(as_alice), "半导体股票我应该长期持有吗？").json()
    used = [memory for memory in turn["memories_used"] if memory["kind"] == "item"]
    assert [(memory["id"], memory["provenance"]) for memory in used] == [(kept["memory_id"], "confirmed_by_user")]
    assert used[0]["context_position"] == 1
    receipt = as_alice.get(f"/api/receipts/{turn['receipt_id']}").json()
    assert receipt["message_id"] == turn["message_id"]
    line = next(line for line in receipt["candidates"] if line["id"] == kept["memory_id"])
    assert (line["status"], line["decision_reason"], line["context_position"]) == ("accepted", "relevance", 1)
    assert not {"signals", "candidate_score"} & set(line)


def test_an_event_is_named_by_the_id_it_is_read_by(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    session = _session(as_alice)
    post(
        as_alice, f"/api/sessions/{session}/end", {"request_id": "visit", "new_info": "Alice visited the Dresden fab."}
    )
    drain()
    turn = _say(as_alice, _session(as_alice), "Which fab in Dresden was visited?").json()
    used = [memory for memory in turn["memories_used"] if memory["kind"] == "event"]
    assert [memory["id"] for memory in used] == ["visit:1"]
    assert as_alice.get("/api/events/visit:1").json()["canonical_text"] == used[0]["text"]


def test_another_persons_receipt_is_not_found(alice: User, as_alice: APIClient, as_charlie: APIClient) -> None:
    allow(alice)
    turn = _say(as_alice, _session(as_alice), "Hello").json()
    assert as_charlie.get(f"/api/receipts/{turn['receipt_id']}").status_code == 404
    assert as_alice.post(f"/api/receipts/{turn['receipt_id']}").status_code == 405


def test_a_second_reply_at_the_same_time_is_refused(alice: User, as_alice: APIClient) -> None:
    permit = allow(alice)
    session = _session(as_alice)
    with acting_as(alice.pk):
        begin_turn(permit, UUID(session))
    answer = _say(as_alice, session, "Hello")
    assert (answer.status_code, code_of(answer)) == (409, "reply_pending")
    assert int(answer["Retry-After"]) > 0


def test_the_same_key_stores_one_turn_and_answers_it_again(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    path = f"/api/sessions/{_session(as_alice)}/messages"
    first = post(as_alice, path, {"content": "Is TSM cheap?"}, key="turn-1")
    again = post(as_alice, path, {"content": "Is TSM cheap?"}, key="turn-1")
    assert (again.status_code, again.json()) == (200, first.json())
    other = post(as_alice, path, {"content": "Is TSM dear?"}, key="turn-1")
    assert (other.status_code, code_of(other)) == (409, "idempotency_conflict")
    with acting_as(alice.pk):
        assert ConversationEvent.objects.count() == 2


def test_what_a_message_started_is_named_and_a_retry_starts_it_once(
    alice: User, as_alice: APIClient, as_bob: APIClient
) -> None:
    allow(alice)
    path = f"/api/sessions/{_session(as_alice)}/messages"
    asked = {"content": "Run a snapshot on NVDA"}
    first, again = (post(as_alice, path, asked, key="start-1") for _ in range(2))
    assert (first.json()["skill"], first.json()["intent"]["action_required"]) == ("snapshot", True)
    assert first.json()["usage"] == {"prompt_tokens": 0, "completion_tokens": 0}
    assert again.json() == first.json()
    [task] = as_alice.get("/api/tasks").json()["results"]
    assert task["task_id"] == as_alice.get(path).json()["results"][0]["message_id"]
    assert as_bob.get(f"/api/tasks/{task['task_id']}").status_code == 404
    streamed = b"".join(post(as_alice, f"{path}?stream=true", asked).streaming_content).decode()
    assert '"skill": "snapshot"' in streamed
    assert len(as_alice.get("/api/tasks").json()["results"]) == 2


def test_a_retry_tells_too_that_a_message_refers_to_what_was_said_before(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    session = _session(as_alice)
    _say(as_alice, session, "I unload crates at the eastern quay")
    path, asked = f"/api/sessions/{session}/messages", {"content": "And on the other quay?"}
    first, again = (post(as_alice, path, asked, key="back-1").json() for _ in range(2))
    assert "refers_back" in first["intent"]["context_hints"]
    assert again == first


def test_what_was_started_is_named_even_where_the_first_answer_was_lost(
    alice: User, as_alice: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("finclaw.api.turn_answers._store_result", lambda *_: None)
    allow(alice)
    path = f"/api/sessions/{_session(as_alice)}/messages"
    for _ in range(2):
        answer = post(as_alice, path, {"content": "Run a snapshot on NVDA"}, key="start-2")
        assert (answer.json()["skill"], answer.json()["intent"]["action_required"]) == ("snapshot", True)
    assert len(as_alice.get("/api/tasks").json()["results"]) == 1


def test_a_request_to_act_is_a_message_like_any_other_and_answered_in_the_boundarys_words(
    alice: User, as_alice: APIClient
) -> None:
    allow(alice)
    answer = _say(as_alice, _session(as_alice), "Buy 100 shares of NVDA at market for me.")
    assert answer.status_code == 200
    assert (answer.json()["skill"], answer.json()["reply"]) == (None, phrase("en", "boundary"))


def test_a_refused_turn_leaves_its_key_free_to_try_again(alice: User, as_alice: APIClient) -> None:
    permit = allow(alice)
    session = _session(as_alice)
    path = f"/api/sessions/{session}/messages"
    with acting_as(alice.pk):
        begin_turn(permit, UUID(session))
    assert post(as_alice, path, {"content": "Hello"}, key="k").status_code == 409
    with acting_as(alice.pk):
        end_turn(session_of(permit, UUID(session)))
    assert post(as_alice, path, {"content": "Hello"}, key="k").status_code == 200
