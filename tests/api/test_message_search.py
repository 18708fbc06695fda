"""Searching what was said in one's own conversations."""

from __future__ import annotations

from typing import Any

import pytest
from rest_framework.test import APIClient

from foundation.accounts.models import User
from tests.support.api import code_of, post
from tests.support.cast import allow, allow_nothing, group_with
from tests.support.talk import open_session, say

SEARCH = "/api/messages/search"


def found(client: APIClient, query: str, **more: Any) -> list[dict[str, Any]]:
    answer = post(client, SEARCH, {"query": query, **more})
    assert answer.status_code == 200
    return list(answer.json()["results"])


def test_only_ones_own_private_conversations_are_searched(
    alice: User, bob: User, charlie: User, as_alice: APIClient, as_bob: APIClient, as_charlie: APIClient
) -> None:
    for person in (alice, bob, charlie):
        allow(person)
    say(alice, open_session(alice, title="Burgundy"), "I bought a vineyard")
    say(alice, open_session(alice, group_id=group_with(alice, [bob]).pk), "I sold a vineyard")
    assert [(row["content"], row["title"]) for row in found(as_alice, "vineyard")] == [
        ("I bought a vineyard", "Burgundy")
    ]
    assert found(as_bob, "vineyard") == []
    assert found(as_charlie, "vineyard") == []


def test_nothing_is_found_without_leave_to_learn(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    say(alice, open_session(alice), "I bought a vineyard")
    allow_nothing(alice)
    assert found(as_alice, "vineyard") == []


@pytest.mark.parametrize("body", [{}, {"query": ""}, {"query": "x", "top_k": 0}, {"query": "x", "min_score": -1}])
def test_a_malformed_search_is_refused(alice: User, as_alice: APIClient, body: dict[str, Any]) -> None:
    allow(alice)
    assert code_of(post(as_alice, SEARCH, body)) == "validation_error"


def test_it_finds_in_both_languages_and_leaves_out_what_scores_less(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    say(alice, open_session(alice), "I bought a vineyard", "我买了一个葡萄园", "The weather is fine")
    (chinese,) = found(as_alice, "葡萄园")
    assert chinese["content"] == "我买了一个葡萄园"
    assert found(as_alice, "zzzqqq") == []
    assert found(as_alice, "葡萄园", min_score=chinese["score"] + 1) == []
    assert len(found(as_alice, "vineyard weather", top_k=1)) == 1
