"""What answers say in headers: what is left of the rate limit, where something was made, the pages beside, a replay."""

from __future__ import annotations

import re

import pytest
from rest_framework.test import APIClient

from finclaw.api.throttling import UserThrottle
from foundation.accounts.models import User
from tests.support.api import MISSING, post
from tests.support.cast import allow_all_but_learning
from tests.support.service import program_with, served, tenant_with_token


def test_every_answer_says_what_is_left_of_the_rate_limit(
    as_alice: APIClient, as_bob: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(UserThrottle, "THROTTLE_RATES", {"user": "2/min", "anon": "2/min"})
    answers = [as_alice.get(path) for path in ("/api/groups", f"/api/groups/{MISSING}", "/api/groups")]
    assert [answer.status_code for answer in answers] == [200, 404, 429]
    assert [answer["RateLimit-Remaining"] for answer in answers] == ["1", "0", "0"]
    assert {answer["RateLimit-Limit"] for answer in answers} == {"2"}
    assert all(1 <= int(answer["RateLimit-Reset"]) <= 60 for answer in answers)
    assert as_bob.get("/api/groups")["RateLimit-Remaining"] == "1"


def test_a_service_token_has_one_rate_for_all_whom_it_serves(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(UserThrottle, "THROTTLE_RATES", {"user": "2/min", "anon": "2/min"})
    token, plain = tenant_with_token("Acme")
    for name in ("ann", "ben"):
        served(token, name)
    asked = [program_with(plain, "ann").get("/api/memories"), program_with(plain, "ben").get("/api/memories")]
    asked += [program_with(plain).get("/api/provisioning/users")]
    assert [answer.status_code for answer in asked] == [200, 200, 429]
    other, other_plain = tenant_with_token("Globex")
    served(other, "ann")
    assert program_with(other_plain, "ann").get("/api/memories")["RateLimit-Remaining"] == "1"


def test_a_stranger_hears_the_rate_of_their_address(db: None) -> None:
    answer = post(APIClient(), "/api/auth/token", {"username": "alice", "password": "wrong"})
    assert (answer.status_code, answer["RateLimit-Limit"], answer["RateLimit-Remaining"]) == (401, "60", "59")


def test_what_was_made_is_found_where_the_answer_says(alice: User, as_alice: APIClient, session: str) -> None:
    kept = post(as_alice, "/api/memories", {"text": "I own a vineyard.", "infer": False})
    made = [
        post(as_alice, "/api/groups", {"name": "Desk"}),
        post(as_alice, "/api/sessions", {}),
        kept,
        post(as_alice, "/api/memories", {"text": "I like tea."}),
        post(as_alice, "/api/users/me/export"),
        post(as_alice, f"/api/sessions/{session}/end", {"request_id": "r", "new_info": "Alice bought a vineyard."}),
        as_alice.delete(f"/api/memories/{kept.json()['results'][0]['memory_id']}"),
    ]
    for answer in made:
        assert answer.status_code in {201, 202}
        told = answer.json()["results"][0] if answer is kept else answer.json()
        made_id = answer["Location"].rpartition("/")[2]
        assert made_id in told.values()
        assert as_alice.get(answer["Location"]).status_code == (404 if answer is kept else 200)  # it is forgotten


def test_what_made_nothing_has_no_location(alice: User, as_alice: APIClient) -> None:
    allow_all_but_learning(alice)
    session = post(as_alice, "/api/sessions", {}).json()["session_id"]
    answer = post(as_alice, f"/api/sessions/{session}/end", {"request_id": "r", "new_info": "Alice bought a vineyard."})
    assert (answer.status_code, answer.json()["queued"], "Location" in answer) == (202, False, False)
    refused = post(as_alice, "/api/groups", {})
    assert (refused.status_code, "Location" in refused) == (400, False)


def test_pages_name_their_neighbours(as_alice: APIClient) -> None:
    for name in "ABC":
        post(as_alice, "/api/groups", {"name": name})
    first = as_alice.get("/api/groups?page_size=1")
    assert first["Link"] == f'<{first.json()["next"]}>; rel="next"'
    second = as_alice.get(re.findall("<([^>]+)>", first["Link"])[0])
    assert re.findall('rel="([a-z]+)"', second["Link"]) == ["next", "prev"]
    assert "Link" not in as_alice.get("/api/groups")


def test_an_answer_given_before_says_so(as_alice: APIClient) -> None:
    first, again = [post(as_alice, "/api/groups", {"name": "Desk"}, key="k") for _ in range(2)]
    assert first.json() == again.json()
    assert ("Idempotency-Replayed" in first, again["Idempotency-Replayed"]) == (False, "true")
    assert first["Location"] == again["Location"]


def test_a_turn_answered_before_says_so(as_alice: APIClient, session: str) -> None:
    path = f"/api/sessions/{session}/messages"
    first, again = [post(as_alice, path, {"content": "Hello"}, key="turn") for _ in range(2)]
    assert ("Idempotency-Replayed" in first, again["Idempotency-Replayed"]) == (False, "true")
