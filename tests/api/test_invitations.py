"""Invitations through the API: no answer tells whether a name exists, or what became of an invitation declined."""

from __future__ import annotations

import pytest
from django.test import override_settings
from rest_framework.test import APIClient

from consent.models import ErasureScope, Sources
from finclaw.erasure import forget
from foundation.accounts.models import GroupInvitation, User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE
from foundation.outbox.tasks import drain
from tests.consent.export.support import exported, rows_of
from tests.support.api import MISSING, code_of, post
from tests.support.cast import allow, group_with
from tests.support.needles import dump

VARIES = {"invitation_id", "username", "created_at", "expires_at"}


def test_an_outsider_and_a_member_invite_nobody(
    alice: User, bob: User, as_bob: APIClient, as_charlie: APIClient
) -> None:
    path = f"/api/groups/{group_with(alice, [bob]).pk}"
    assert code_of(post(as_charlie, f"{path}/members", {"username": "bob"})) == "not_found"
    assert code_of(post(as_bob, f"{path}/members", {"username": "charlie"})) == "permission_denied"
    assert as_charlie.get(f"{path}/invitations").status_code == 404
    assert as_bob.get(f"{path}/invitations").status_code == 403
    assert as_bob.delete(f"{path}/invitations/{MISSING}").status_code == 403


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"username": ""},
        {"username": "x" * 61},
        {"username": "4111 1111 1111 1111"},
        {"username": "<b>"},
        {"username": "bob", "force": True},
    ],
)
def test_what_is_malformed_is_refused(alice: User, as_alice: APIClient, body: dict[str, object]) -> None:
    path = f"/api/groups/{group_with(alice).pk}/members"
    assert code_of(post(as_alice, path, body)) == "validation_error"


def test_the_answer_tells_no_name_apart(alice: User, bob: User, charlie: User, as_alice: APIClient) -> None:
    User.objects.filter(pk=charlie.pk).update(is_active=False)
    path = f"/api/groups/{group_with(alice).pk}"
    answers = [post(as_alice, f"{path}/members", {"username": name}) for name in ("bob", "nobody", "charlie")]

    assert [answer.status_code for answer in answers] == [202] * 3
    assert [answer.headers["Content-Type"] for answer in answers] == ["application/json"] * 3
    told = [{name: value for name, value in answer.json().items() if name not in VARIES} for answer in answers]
    assert told[0] == told[1] == told[2]
    assert [answer.json()["username"] for answer in answers] == ["bob", "nobody", "charlie"]
    everything = str([answer.json() for answer in answers]) + as_alice.get(f"{path}/invitations").content.decode()
    for word in (str(bob.pk), str(charlie.pk), "Bob", "Charlie"):
        assert word not in everything


def test_who_was_invited_sees_who_asks_and_decides(
    alice: User, bob: User, as_alice: APIClient, as_bob: APIClient, as_charlie: APIClient
) -> None:
    path = f"/api/groups/{group_with(alice).pk}"
    sent = post(as_alice, f"{path}/members", {"username": "bob"}).json()
    [received] = as_bob.get("/api/invitations").json()["results"]
    assert (received["group_name"], received["inviter_name"]) == ("Research desk", "Alice")
    assert received["invitation_id"] == sent["invitation_id"]
    assert as_charlie.get("/api/invitations").json()["results"] == []
    for answer in ("accept", "decline"):
        assert post(as_charlie, f"/api/invitations/{sent['invitation_id']}/{answer}").status_code == 404
    assert as_bob.get(path).status_code == 404

    accepted = post(as_bob, f"/api/invitations/{sent['invitation_id']}/accept", key="once")
    again = post(as_bob, f"/api/invitations/{sent['invitation_id']}/accept", key="once")
    assert accepted.status_code == again.status_code == 200
    assert accepted.json() == again.json() == as_bob.get(path).json()
    assert post(as_bob, f"/api/invitations/{sent['invitation_id']}/accept").status_code == 404


def test_declining_is_not_told(alice: User, bob: User, as_alice: APIClient, as_bob: APIClient) -> None:
    path = f"/api/groups/{group_with(alice).pk}"
    sent = post(as_alice, f"{path}/members", {"username": "bob"}).json()
    before = as_alice.get(f"{path}/invitations").json()
    assert post(as_bob, f"/api/invitations/{sent['invitation_id']}/decline").status_code == 204

    assert as_alice.get(f"{path}/invitations").json() == before
    assert post(as_alice, f"{path}/members", {"username": "bob"}).json() == sent
    assert as_bob.get("/api/invitations").json()["results"] == []
    assert as_alice.delete(f"{path}/invitations/{sent['invitation_id']}").status_code == 204
    assert as_alice.get(f"{path}/invitations").json()["results"] == []


@override_settings(INVITATIONS_PER_DAY=1)
def test_the_limit_is_told_as_one(alice: User, as_alice: APIClient) -> None:
    path = f"/api/groups/{group_with(alice).pk}/members"
    assert post(as_alice, path, {"username": "nobody"}).status_code == 202
    refused = post(as_alice, path, {"username": "bob"})
    assert (refused.status_code, code_of(refused)) == (429, "rate_limited")


def test_an_export_holds_both_sides_and_betrays_neither(
    alice: User, bob: User, as_alice: APIClient, as_bob: APIClient
) -> None:
    allow(alice)
    allow(bob)
    sent = post(as_alice, f"/api/groups/{group_with(alice).pk}/members", {"username": "bob"}).json()
    post(as_bob, f"/api/invitations/{sent['invitation_id']}/decline")

    for user in (alice, bob):
        [row] = rows_of(exported(user), user, "invitations.json")
        assert (row["id"], row["username"]) == (sent["invitation_id"], "bob")
        assert not {"invitee_id", "declined_at"} & set(row)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("who", ["alice", "bob"])
def test_the_erasure_of_either_account_takes_it(
    alice: User, bob: User, as_alice: APIClient, as_bob: APIClient, who: str
) -> None:
    allow(alice)
    allow(bob)
    User.objects.filter(pk=bob.pk).update(username="zqbobzq")
    path = f"/api/groups/{group_with(alice).pk}/members"
    post(as_alice, path, {"username": "zqbobzq"})
    assert len(as_bob.get("/api/invitations").json()["results"]) == 1
    assert dump().count("zqbobzq") >= 2
    gone = alice if who == "alice" else bob

    with acting_as(gone.pk):
        forget(gone, ErasureScope.ACCOUNT, "", Sources.REDACT, source="api")
    if who == "alice":
        assert as_bob.get("/api/invitations").json()["results"] == [], "at once"
    drain()

    with in_role(OPERATOR_ROLE):
        assert not GroupInvitation.objects.exists()
    assert not User.objects.filter(pk=gone.pk).exists()
    if who == "bob":
        assert "zqbobzq" not in dump()


def test_a_links_code_lets_one_person_in(
    alice: User, bob: User, charlie: User, as_alice: APIClient, as_bob: APIClient, as_charlie: APIClient
) -> None:
    group = group_with(alice, [])
    path = f"/api/groups/{group.pk}/invitations"
    assert post(as_charlie, path).status_code == 404
    made = post(as_alice, path).json()
    assert (made["username"], made["state"]) == ("", "pending")
    assert as_alice.get(path).json()["results"][0]["code"] == made["code"]
    for wrong in ({}, {"code": ""}, {"code": "x" * 201}):
        assert code_of(post(as_bob, "/api/invitations/join", wrong)) == "validation_error"
    assert code_of(post(as_bob, "/api/invitations/join", {"code": made["code"] + "x"})) == "not_found"
    joined = post(as_bob, "/api/invitations/join", {"code": made["code"]}).json()
    assert [member["username"] for member in joined["members"]] == ["alice", "bob"]
    assert code_of(post(as_charlie, "/api/invitations/join", {"code": made["code"]})) == "not_found"
    (sent,) = as_alice.get(path).json()["results"]
    assert (sent["state"], sent["code"]) == ("accepted", "")
