"""Memories over the API: list, read, correct, confirm, undo, history (M-12, M-16, I-2)."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlencode

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from foundation.accounts.models import User
from foundation.personal_data import ConsentScope
from tests.support.api import MISSING, code_of, post
from tests.support.cast import allow


def _keep(client: APIClient, text: str) -> str:
    answer = post(client, "/api/memories", {"text": text, "infer": False})
    assert answer.status_code == 201
    return str(answer.json()["results"][0]["memory_id"])


def _listed(client: APIClient, query: str = "") -> list[str]:
    answer = client.get(f"/api/memories{query}")
    assert answer.status_code == 200
    return [row["memory"] for row in answer.json()["results"]]


def test_an_outsider_reaches_no_memory_by_any_way(
    alice: User, as_alice: APIClient, charlie: User, as_charlie: APIClient
) -> None:
    allow(alice)
    allow(charlie)
    path = f"/api/memories/{_keep(as_alice, 'I own a vineyard.')}"
    answers = [
        as_charlie.get(path),
        as_charlie.get(f"{path}/history"),
        as_charlie.patch(path, {"content": "Mine."}),
        *(post(as_charlie, f"{path}/{verb}") for verb in ("confirm", "reject", "undo")),
    ]
    assert {answer.status_code for answer in answers} == {404}
    assert _listed(as_charlie) == []
    assert post(as_charlie, "/api/memories/search", {"query": "vineyard"}).json()["results"] == []


def test_what_does_not_wait_is_not_rejected_and_what_did_not_change_is_not_undone(
    alice: User, as_alice: APIClient
) -> None:
    allow(alice)
    path = f"/api/memories/{_keep(as_alice, 'I own a vineyard.')}"
    answers = [post(as_alice, f"{path}/{verb}") for verb in ("reject", "undo")]
    assert [(answer.status_code, code_of(answer)) for answer in answers] == [(400, "validation_error")] * 2


@pytest.mark.parametrize(
    "query",
    ["state=asleep", "memory_type=dream", "valid_at=yesterday", "known_at=2026-01-01", "include_invalid=x", "page=2",
     "q=%00", "metadata=[1]", "metadata={", "metadata={%22a%22:NaN}", "metadata={%22a%22:%22%5Cu0000%22}",
     "valid_at=9999-12-31T23:59:59-23:59"],
)  # fmt: skip
def test_filters_that_cannot_be_are_refused(alice: User, as_alice: APIClient, query: str) -> None:
    allow(alice)
    assert code_of(as_alice.get(f"/api/memories?{query}")) == "validation_error"


def test_an_item_carries_the_whole_schema(alice: User, as_alice: APIClient) -> None:
    permit = allow(alice)
    item = as_alice.get(f"/api/memories/{_keep(as_alice, '我住在上海。')}").json()
    assert {
        "memory_id", "user_id", "memory_type", "content", "valid_at", "invalid_at", "confidence", "source_sessions",
        "superseded_by", "version", "provenance", "epistemic_type", "attributes", "state", "category",
        "last_validated_at",
    } <= set(item)  # fmt: skip
    assert item["item_id"] == item["memory_id"]
    assert item["user_id"] == str(permit.user_id)
    assert (item["content"], item["state"], item["version"]) == ("我住在上海。", "active", 1)
    assert item["provenance"] == {"kind": "confirmed_by_user", "rule": "stated"}


def test_a_correction_supersedes_and_the_history_shows_both(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    old = _keep(as_alice, "I live in Berlin.")
    new = as_alice.patch(f"/api/memories/{old}", {"content": "I live in Hamburg.", "reason": "moved"}).json()
    assert (new["memory"], new["version"], new["provenance"]["change"]) == ("I live in Hamburg.", 2, "corrected")
    before = as_alice.get(f"/api/memories/{old}").json()
    assert (before["state"], before["superseded_by"]) == ("superseded", new["memory_id"])
    history = as_alice.get(f"/api/memories/{old}/history").json()["results"]
    assert [row["memory"] for row in history] == ["I live in Berlin.", "I live in Hamburg."]
    stale = as_alice.patch(f"/api/memories/{old}", {"content": "I live in Kiel."})
    assert stale.status_code == 404


@pytest.mark.parametrize("body", [{}, {"content": ""}, {"content": "x" * 2_001}, {"content": "a", "confidence": 1},
    {"content": "a", "metadata": [1]}, {"content": "a", "metadata": {"a": "x" * 4_000}}])  # fmt: skip
def test_a_malformed_correction_changes_nothing(alice: User, as_alice: APIClient, body: dict[str, Any]) -> None:
    allow(alice)
    kept = _keep(as_alice, "I live in Berlin.")
    assert code_of(as_alice.patch(f"/api/memories/{kept}", body)) == "validation_error"
    assert _listed(as_alice) == ["I live in Berlin."]


def test_a_confirmation_is_a_version_and_a_repeated_key_makes_no_third(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    path = f"/api/memories/{_keep(as_alice, 'I live in Berlin.')}/confirm"
    first, again = (post(as_alice, path, key="yes").json() for _ in range(2))
    assert first == again
    assert (first["version"], first["provenance"]["change"]) == (2, "confirmed")
    assert post(as_alice, f"/api/memories/{MISSING}/confirm").status_code == 404


def test_the_list_shows_what_is_in_force_and_more_when_asked(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    old = _keep(as_alice, "I live in Berlin.")
    berlin_then = timezone.now().strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    as_alice.patch(f"/api/memories/{old}", {"content": "I live in Hamburg."})
    _keep(as_alice, "我喜欢喝茶。")
    assert _listed(as_alice) == ["我喜欢喝茶。", "I live in Hamburg."]
    assert len(_listed(as_alice, "?include_invalid=true")) == 3
    assert _listed(as_alice, "?state=superseded") == ["I live in Berlin."]
    assert _listed(as_alice, "?q=喝茶") == ["我喜欢喝茶。"]
    assert _listed(as_alice, "?q=hamburg&memory_type=insight") == ["I live in Hamburg."]
    assert _listed(as_alice, "?epistemic_type=opinion") == []
    assert _listed(as_alice, f"?known_at={berlin_then}&valid_at={berlin_then}") == ["I live in Berlin."]


def test_the_list_is_narrowed_by_what_the_metadata_of_a_memory_holds(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    for text, metadata in (
        ("I own a vineyard.", {"app": "notes", "tags": ["a", "b"]}),
        ("I follow Bitcoin.", {"app": "x"}),
    ):
        assert post(as_alice, "/api/memories", {"text": text, "infer": False, "metadata": metadata}).status_code == 201
    _keep(as_alice, "I collect stamps.")
    for held in ({"app": "notes"}, {"tags": ["b"]}):
        assert _listed(as_alice, f"?{urlencode({'metadata': json.dumps(held)})}") == ["I own a vineyard."]
    assert _listed(as_alice, f"?{urlencode({'metadata': json.dumps({'app': 'n'})})}") == []


def test_a_correction_replaces_the_metadata_that_it_states_also_of_the_same_words(
    alice: User, as_alice: APIClient
) -> None:
    allow(alice)
    kept = post(as_alice, "/api/memories", {"text": "I live in Berlin.", "infer": False, "metadata": {"rank": 1}})
    old = kept.json()["results"][0]["memory_id"]
    new = as_alice.patch(f"/api/memories/{old}", {"content": "I live in Berlin.", "metadata": {"rank": 2}}).json()
    assert (new["version"], new["attributes"]["metadata"]) == (2, {"rank": 2})
    last = as_alice.patch(f"/api/memories/{new['memory_id']}", {"content": "I live in Hamburg."}).json()
    assert last["attributes"]["metadata"] == {"rank": 2}
    assert as_alice.get(f"/api/memories/{old}").json()["attributes"]["metadata"] == {"rank": 1}


def test_the_history_tells_who_changed_what_and_what_was_taken_back(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    old = _keep(as_alice, "I live in Berlin.")
    new = as_alice.patch(f"/api/memories/{old}", {"content": "I live in Hamburg."}).json()["memory_id"]
    undone = post(as_alice, f"/api/memories/{new}/undo")
    assert (undone.status_code, undone.json()["memory_id"], undone.json()["state"]) == (200, old, "active")
    assert _listed(as_alice) == ["I live in Berlin."]
    changes = as_alice.get(f"/api/memories/{old}/history").json()["changes"]
    assert [(change["action"], change["actor"], change["rule"]) for change in changes] == [
        ("added", "person", "stated"),
        ("corrected", "person", ""),
        ("undone", "person", ""),
    ]
    assert [change["undone_at"] is not None for change in changes] == [False, True, False]
    assert all(change["at"] for change in changes)
    assert changes[1]["memory_id"] == new


def test_an_undo_repeated_under_its_key_takes_back_no_more(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    item = _keep(as_alice, "I live in Berlin.")
    for city in ("Hamburg", "Bremen"):
        item = as_alice.patch(f"/api/memories/{item}", {"content": f"I live in {city}."}).json()["memory_id"]
    answers = [post(as_alice, f"/api/memories/{item}/undo", key="once") for _ in range(2)]
    assert [answer.json()["memory"] for answer in answers] == ["I live in Hamburg."] * 2


def test_without_the_learning_scope_nothing_is_kept_or_shown(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    kept = _keep(as_alice, "I own a vineyard.")
    allow(alice, ConsentScope.SAVE_TO_PROFILE)
    assert _listed(as_alice) == []
    assert as_alice.get(f"/api/memories/{kept}").status_code == 404
    for body in ({"text": "x", "infer": False}, {"text": "x"}):
        refused = post(as_alice, "/api/memories", body)
        assert (refused.status_code, code_of(refused)) == (403, "consent_scope_missing")
        assert refused.json()["details"] == {"required_scopes": ["memory_learning_allowed"]}
