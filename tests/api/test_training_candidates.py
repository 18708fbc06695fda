"""Research set aside as training examples, over the API: its person's to see, and to take back one by one."""

from __future__ import annotations

import pytest
from rest_framework.test import APIClient

from foundation.accounts.models import User
from tests.api.test_route_policy import METHODS
from tests.support.api import MISSING, code_of, send
from tests.support.cast import allow, allow_nothing
from tests.support.research import checkpoint_made, snapshot_made

LIST = "/api/training-candidates"


def test_each_is_its_persons_alone(alice: User, charlie: User, as_alice: APIClient, as_charlie: APIClient) -> None:
    allow(alice)
    allow(charlie)
    snapshot_made(alice)
    (row,) = as_alice.get(LIST).json()["results"]
    assert as_charlie.get(LIST).json()["results"] == []
    answer = as_charlie.delete(f"{LIST}/{row['candidate_id']}")
    assert (answer.status_code, code_of(answer)) == (404, "not_found")
    assert as_alice.get(LIST).json()["results"] == [row]


@pytest.mark.parametrize("method", METHODS)
def test_other_methods_are_refused(as_alice: APIClient, alice: User, method: str) -> None:
    allow(alice)
    if method != "GET":
        assert send(as_alice, method, LIST, b"{}").status_code == 405
    if method != "DELETE":
        assert send(as_alice, method, f"{LIST}/{MISSING}", b"{}").status_code == 405


@pytest.mark.parametrize("query", ["?cursor=nonsense", "?page_size=0", "?page_size=x", "?colour=red"])
def test_a_malformed_query_is_refused(as_alice: APIClient, alice: User, query: str) -> None:
    allow(alice)
    answer = as_alice.get(LIST + query)
    assert (answer.status_code, code_of(answer)) in {(400, "validation_error"), (404, "not_found")}


def test_they_are_listed_latest_first_and_one_is_taken_back_at_once(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    snapshot, checkpoint = snapshot_made(alice), checkpoint_made(alice)
    latest, first = as_alice.get(LIST).json()["results"]
    assert (latest["object_ref"], first["object_ref"]) == (f"checkpoint:{checkpoint.pk}", f"snapshot:{snapshot.pk}")
    assert {(row["status"], row["withdrawal_status"], row["consent_version"]) for row in (latest, first)} == {
        ("pending", "none", 1)
    }

    taken = [as_alice.delete(f"{LIST}/{first['candidate_id']}") for _ in range(2)]  # again changes nothing

    assert [(answer.status_code, answer.json()) for answer in taken] == [
        (200, first | {"withdrawal_status": "revoked"})
    ] * 2
    assert [row["withdrawal_status"] for row in as_alice.get(LIST).json()["results"]] == ["none", "revoked"]


def test_without_the_consent_nothing_is_set_aside(alice: User, as_alice: APIClient) -> None:
    allow_nothing(alice)
    snapshot_made(alice)
    assert as_alice.get(LIST).json()["results"] == []


def test_what_is_stated_says_whether_it_is_kept_out_of_training(alice: User, as_alice: APIClient) -> None:
    permit = allow(alice)
    as_alice.patch("/api/users/me/context", {"research_depth": "deep"}, format="json")
    assert as_alice.get("/api/users/me/context").json()["training_excluded"] is False
    as_alice.delete(f"/api/users/me/profile-consent/{permit.consent_id}?scope=training_use_allowed")
    assert as_alice.get("/api/users/me/context").json()["training_excluded"] is True
