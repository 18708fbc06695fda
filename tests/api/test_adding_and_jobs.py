"""Adding conversations to be learned from, and watching the job that learns."""

from __future__ import annotations

from typing import Any

import pytest
from rest_framework.test import APIClient

from foundation.accounts.models import User
from foundation.outbox.tasks import drain
from memory.learning.added_conversations import ADDED_TITLE
from tests.support.api import MISSING, code_of, post
from tests.support.cast import allow, group_with

TALK = [
    {
        "role": "user",
        "content": "Please remember that I only buy dividend stocks.",
        "timestamp": "2026-01-05T09:00:00+08:00",
    },
    {"role": "assistant", "content": "Noted."},
]


def test_anothers_job_session_and_group_are_not_found(
    alice: User, as_alice: APIClient, charlie: User, as_charlie: APIClient
) -> None:
    allow(alice)
    allow(charlie)
    job = post(as_alice, "/api/memories", {"messages": TALK}).json()["job_id"]
    assert as_charlie.get(f"/api/jobs/{job}").status_code == 404
    session = post(as_alice, "/api/sessions", {}).json()["session_id"]
    assert post(as_charlie, "/api/memories", {"messages": TALK, "session_id": session}).status_code == 404
    group = str(group_with(alice).pk)
    assert post(as_charlie, "/api/memories", {"messages": TALK, "group_id": group}).status_code == 404


def test_a_job_is_only_read(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    job = post(as_alice, "/api/memories", {"messages": TALK}).json()["job_id"]
    assert [getattr(as_alice, verb)(f"/api/jobs/{job}").status_code for verb in ("post", "patch", "delete")] == [
        405
    ] * 3
    assert as_alice.get(f"/api/jobs/{MISSING}").status_code == 404


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"messages": []},
        {"messages": TALK, "text": "both"},
        {"messages": "hello"},
        {"messages": [{"role": "system", "content": "x"}]},
        {"messages": [{"role": "user", "content": "x", "timestamp": "2026-01-05"}]},
        {"messages": [{"role": "user"}]},
        {"messages": [{"role": "user", "content": "x"}] * 101},
        {"text": "x", "metadata": {"a": 1}},
        {"text": "x", "infer": False, "metadata": {"a": "x" * 4_001}},
        {"text": "x", "infer": False, "metadata": [1]},
        {"messages": TALK, "infer": False},
        {"text": "x" * 2_001, "infer": False},
        {"text": "x", "infer": False, "session_id": MISSING},
        {"text": "x", "user_id": MISSING},
    ],
)
def test_what_cannot_be_added_is_refused_whole(alice: User, as_alice: APIClient, body: dict[str, Any]) -> None:
    allow(alice)
    assert code_of(post(as_alice, "/api/memories", body)) == "validation_error"
    assert as_alice.get("/api/sessions").json()["results"] == []
    assert as_alice.get("/api/memories").json()["results"] == []


def test_a_conversation_is_recorded_learned_and_the_job_tells_what_came_of_it(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    added = post(as_alice, "/api/memories", {"messages": TALK})
    assert (added.status_code, added.json()["state"]) == (202, "pending")
    path = f"/api/jobs/{added.json()['job_id']}"
    assert as_alice.get(path).json()["progress"] == 0
    drain()
    job = as_alice.get(path).json()
    assert (job["state"], job["progress"]) == ("done", 1)
    assert [change["event"] for change in job["results"]] == ["ADD"]
    item = as_alice.get(f"/api/memories/{job['results'][0]['memory_id']}").json()
    assert item["memory"] == job["results"][0]["memory"]
    assert "dividend" in item["memory"]
    session = as_alice.get("/api/sessions").json()["results"][0]
    assert session["title"] == ADDED_TITLE
    assert item["source_sessions"] == [session["session_id"]]
    said = as_alice.get(f"/api/sessions/{session['session_id']}/messages").json()["results"]
    assert [row["role"] for row in said] == ["user", "assistant"]
    assert said[0]["occurred_at"].startswith("2026-01-05T01:00:00")


def test_a_named_session_is_continued_unless_nothing_may_be_learned_from_it(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    open_one = post(as_alice, "/api/sessions", {}).json()["session_id"]
    assert post(as_alice, "/api/memories", {"text": "我喜欢茶", "session_id": open_one}).status_code == 202
    said = as_alice.get(f"/api/sessions/{open_one}/messages").json()["results"]
    assert [row["content"] for row in said] == ["我喜欢茶"]
    temporary = post(as_alice, "/api/sessions", {"remember": False}).json()["session_id"]
    assert code_of(post(as_alice, "/api/memories", {"text": "x", "session_id": temporary})) == "validation_error"
    post(as_alice, f"/api/sessions/{open_one}/archive")
    assert code_of(post(as_alice, "/api/memories", {"text": "x", "session_id": open_one})) == "session_archived"


def test_a_repeated_key_adds_the_conversation_once(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    jobs = {post(as_alice, "/api/memories", {"messages": TALK}, key="k").json()["job_id"] for _ in range(2)}
    assert len(jobs) == 1
    assert len(as_alice.get("/api/sessions").json()["results"]) == 1


def test_a_statement_kept_word_for_word_says_what_it_is(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    kept = {"text": "I like green tea", "infer": False, "memory_type": "preference"}
    key = post(as_alice, "/api/memories", kept).json()["results"][0]["memory_id"]
    shown = as_alice.get(f"/api/memories/{key}").json()
    assert (shown["memory_type"], shown["epistemic_type"]) == ("preference", "preference")
    for refused in ({"infer": True}, {"memory_type": "summary"}):
        assert code_of(post(as_alice, "/api/memories", kept | refused)) == "validation_error"
