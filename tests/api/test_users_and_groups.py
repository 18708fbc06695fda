"""The signed-in person and their groups."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from foundation.accounts.groups import remove_member
from foundation.accounts.models import User
from tests.support.api import MISSING, code_of, post
from tests.support.cast import allow, allow_nothing, group_with


def test_me_joins_person_groups_consent_and_onboarding(alice: User, as_alice: APIClient) -> None:
    group = group_with(alice)
    before = as_alice.get("/api/users/me").json()
    assert before["user_id"] == str(alice.pk)
    assert before["groups"] == [{"group_id": str(group.pk), "name": "Research desk"}]
    assert before["consent"] is None
    assert before["onboarding"] == {"complete": False, "missing": ["acknowledgement", "profile_consent"]}
    allow_nothing(alice)
    after = as_alice.get("/api/users/me").json()
    assert after["consent"]["version"] == 1
    assert after["onboarding"] == {"complete": True, "missing": []}


def test_display_name_and_time_zone_are_changed_and_nothing_else(alice: User, as_alice: APIClient) -> None:
    answer = as_alice.patch("/api/users/me", {"display_name": "爱丽丝", "time_zone": "Asia/Shanghai"})
    assert (answer.status_code, answer.json()["display_name"]) == (200, "爱丽丝")
    alice.refresh_from_db()
    assert (alice.display_name, alice.time_zone) == ("爱丽丝", "Asia/Shanghai")
    refused = as_alice.patch("/api/users/me", {"role": "owner"})
    assert (refused.status_code, list(refused.json()["details"])) == (400, ["role"])


@pytest.mark.parametrize("zone", ["Mars/Base", "", "+08:00", "europe/berlin "])
def test_only_iana_time_zones_are_known(as_alice: APIClient, zone: str) -> None:
    answer = as_alice.patch("/api/users/me", {"time_zone": zone})
    assert (answer.status_code, list(answer.json()["details"])) == (400, ["time_zone"])


def test_an_outsider_finds_no_group(alice: User, as_charlie: APIClient, charlie: User) -> None:
    path = f"/api/groups/{group_with(alice).pk}"
    assert as_charlie.get(path).status_code == 404
    assert post(as_charlie, f"{path}/members", {"username": "charlie"}).status_code == 404
    assert as_charlie.delete(f"{path}/members/{charlie.pk}").status_code == 404
    assert as_charlie.get("/api/groups").json()["results"] == []


def test_a_group_has_no_other_methods(alice: User, as_alice: APIClient) -> None:
    path = f"/api/groups/{group_with(alice).pk}"
    assert [getattr(as_alice, method)(path).status_code for method in ("put", "patch", "delete")] == [405] * 3


@pytest.mark.parametrize("body", [{}, {"name": ""}, {"name": "x" * 121}, {"name": 7, "owner": "bob"}, {"name": None}])
def test_a_group_needs_a_name_of_reasonable_length(as_alice: APIClient, body: dict[str, object]) -> None:
    assert code_of(post(as_alice, "/api/groups", body)) == "validation_error"


def test_the_maker_owns_the_group_invites_and_removes(as_alice: APIClient, bob: User, as_bob: APIClient) -> None:
    made = post(as_alice, "/api/groups", {"name": "Desk"})
    assert made.status_code == 201
    path = f"/api/groups/{made.json()['group_id']}"
    asked = post(as_alice, f"{path}/members", {"username": "bob"})
    assert asked.status_code == 202
    added = post(as_bob, f"/api/invitations/{asked.json()['invitation_id']}/accept", {})
    assert added.status_code == 200
    assert [(row["username"], row["is_owner"]) for row in added.json()["members"]] == [("alice", True), ("bob", False)]
    assert as_bob.get(path).status_code == 200
    assert as_alice.delete(f"{path}/members/{bob.pk}").status_code == 204
    assert as_bob.get(path).status_code == 404


def test_a_member_may_leave_but_not_rule(alice: User, bob: User, as_bob: APIClient) -> None:
    path = f"/api/groups/{group_with(alice, [bob]).pk}/members"
    refused = post(as_bob, path, {"username": "charlie"})
    assert (refused.status_code, code_of(refused)) == (403, "permission_denied")
    assert as_bob.delete(f"{path}/{alice.pk}").status_code == 403
    assert as_bob.delete(f"{path}/{bob.pk}").status_code == 204


def test_every_listed_group_shows_who_is_in_it_now_in_the_order_they_came(
    alice: User, bob: User, charlie: User, as_alice: APIClient
) -> None:
    left, whole = group_with(alice, [bob, charlie]), group_with(alice, [charlie, bob])
    remove_member(alice, left.pk, bob.pk)
    shown = {row["group_id"]: [one["username"] for one in row["members"]] for row in _groups(as_alice)}
    assert shown == {str(left.pk): ["alice", "charlie"], str(whole.pk): ["alice", "charlie", "bob"]}
    assert as_alice.get(f"/api/groups/{left.pk}").json() in _groups(as_alice)


def test_three_groups_are_listed_by_as_many_queries_as_one(alice: User, bob: User, as_alice: APIClient) -> None:
    group_with(alice, [bob])
    _groups(as_alice)  # the first request notes the token's use
    with CaptureQueriesContext(connection) as for_one:
        assert len(_groups(as_alice)) == 1
    group_with(alice, [bob])
    group_with(alice)
    with CaptureQueriesContext(connection) as for_three:
        assert len(_groups(as_alice)) == 3
    assert len(for_three) == len(for_one)


def _groups(client: APIClient) -> list[dict[str, Any]]:
    return list(client.get("/api/groups").json()["results"])


def test_unknown_people_cannot_be_removed(alice: User, as_alice: APIClient) -> None:
    path = f"/api/groups/{group_with(alice).pk}/members"
    assert as_alice.delete(f"{path}/{MISSING}").status_code == 404


def test_a_consent_shows_on_me_after_it_is_revoked(alice: User, as_alice: APIClient) -> None:
    permit = allow(alice)
    as_alice.delete(f"/api/users/me/profile-consent/{permit.consent_id}")
    me = as_alice.get("/api/users/me").json()
    assert me["consent"]["revoked_at"] is not None
    assert me["onboarding"]["complete"] is True
