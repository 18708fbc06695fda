"""The same write under the same Idempotency-Key happens once."""

from __future__ import annotations

import threading
from datetime import timedelta
from typing import Any

import pytest
from django.db import connections
from django.utils import timezone
from rest_framework.test import APIClient

from consent.retention import delete_outdated_rows
from finclaw.api.models import IdempotencyKey
from foundation.accounts.models import ChatGroup, User
from foundation.database.acting_user import acting_as
from memory.models import MemoryItem
from tests.support.api import code_of, post, signed_in
from tests.support.cast import allow


@pytest.mark.parametrize(
    ("key", "kind"),
    [
        ("4111-1111-1111-1111", "bank_card"),
        ("alice@example.com", "email"),
        ("+8613800138000", "phone"),
        ("sk-abcdefghijklmnopqrstuvwxyz012345", "api_key"),
    ],
)
def test_a_key_that_holds_what_is_never_kept_is_refused_and_stored_nowhere(
    as_alice: APIClient, key: str, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    answer = post(as_alice, "/api/groups", {"name": "Desk"}, key=key)
    assert (answer.status_code, code_of(answer)) == (422, "sensitive_input")
    assert (answer.json()["details"]["field"], answer.json()["details"]["kinds"]) == ("Idempotency-Key", [kind])
    assert not ChatGroup.objects.exists()
    assert not IdempotencyKey.objects.exists()
    assert key not in answer.content.decode() + caplog.text


@pytest.mark.parametrize("key", ["8e03978e-40d5-43dd-bc93-6894a57f9324", '"8e03978e"', "order/17:2026-11-23", "a=b+c"])
def test_usual_keys_are_taken(as_alice: APIClient, key: str) -> None:
    assert post(as_alice, "/api/groups", {"name": "Desk"}, key=key).status_code == 201


def test_two_people_may_choose_the_same_key(as_alice: APIClient, as_charlie: APIClient) -> None:
    mine = post(as_alice, "/api/groups", {"name": "Desk"}, key="one").json()
    theirs = post(as_charlie, "/api/groups", {"name": "Desk"}, key="one").json()
    assert mine["group_id"] != theirs["group_id"]


@pytest.mark.parametrize("key", ["x" * 201, "schlüssel", "4111 1111 1111 1111", "a{b}", "<b>", "a\tb", "a,b"])
def test_a_key_that_cannot_be_one_is_refused(as_alice: APIClient, key: str) -> None:
    answer = post(as_alice, "/api/groups", {"name": "Desk"}, key=key)
    assert code_of(answer) == "validation_error"
    assert not ChatGroup.objects.exists()


def test_the_same_key_and_body_answer_the_same_thing_again(as_alice: APIClient) -> None:
    first, again = (post(as_alice, "/api/groups", {"name": "Desk"}, key="k") for _ in range(2))
    assert (again.status_code, again.json()) == (201, first.json())
    assert ChatGroup.objects.count() == 1


@pytest.mark.parametrize(("path", "body"), [("/api/groups", {"name": "Other"}), ("/api/sessions", {"title": "Desk"})])
def test_the_same_key_for_another_request_conflicts(as_alice: APIClient, path: str, body: dict[str, Any]) -> None:
    post(as_alice, "/api/groups", {"name": "Desk"}, key="k")
    answer = post(as_alice, path, body, key="k")
    assert (answer.status_code, code_of(answer)) == (409, "idempotency_conflict")


def test_a_failed_write_leaves_no_key(alice: User, as_alice: APIClient) -> None:
    assert post(as_alice, "/api/sessions", {}, key="k").status_code == 403
    allow(alice)
    assert post(as_alice, "/api/sessions", {}, key="k").status_code == 201


def test_an_answer_without_a_body_is_repeated_without_one(as_alice: APIClient, alice: User) -> None:
    group = post(as_alice, "/api/groups", {"name": "Desk"}).json()["group_id"]
    path = f"/api/groups/{group}/members/{alice.pk}"
    answers = [as_alice.delete(path, headers={"Idempotency-Key": "leave"}) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [204, 204]


def test_consent_is_granted_once_and_answered_as_it_was(as_alice: APIClient) -> None:
    path = "/api/users/me/profile-consent"
    scopes = dict.fromkeys(
        ["save_to_thread", "save_to_profile", "training_use_allowed", "memory_learning_allowed"], True
    ) | {"acknowledged_notice": 1}
    first = post(as_alice, path, scopes, key="k").json()
    post(as_alice, path, scopes | {"save_to_thread": False})
    assert post(as_alice, path, scopes, key="k").json() == first
    assert as_alice.get(path).json()["version"] == 2


def test_neither_request_nor_answer_is_stored(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    post(as_alice, "/api/memories", {"text": "I own a vineyard.", "infer": False}, key="k")
    with acting_as(alice.pk):
        row = IdempotencyKey.objects.get()
        item = MemoryItem.objects.get()
    [receipt] = row.reference["receipts"]
    assert set(row.reference) == {"receipts"}
    assert set(receipt) == {"receipt_id", "memory_id", "written_at", "status"}
    assert (receipt["memory_id"], receipt["status"]) == (str(item.pk), "accepted")
    assert "vineyard" not in str(vars(row))


def test_after_a_day_a_key_is_new_again_and_the_sweep_takes_it(alice: User, as_alice: APIClient) -> None:
    post(as_alice, "/api/groups", {"name": "Desk"}, key="old")
    post(as_alice, "/api/groups", {"name": "Desk"}, key="young")
    with acting_as(alice.pk):
        IdempotencyKey.objects.filter(key="old").update(created_at=timezone.now() - timedelta(hours=25))
    assert delete_outdated_rows() == 1
    assert post(as_alice, "/api/groups", {"name": "New desk"}, key="old").status_code == 201
    with acting_as(alice.pk):
        IdempotencyKey.objects.filter(key="young").update(created_at=timezone.now() - timedelta(hours=25))
    assert post(as_alice, "/api/groups", {"name": "New desk"}, key="young").status_code == 201


@pytest.mark.django_db(transaction=True)
def test_the_same_key_at_the_same_time_writes_once(alice: User) -> None:
    clients = [signed_in(alice) for _ in range(4)]
    ready = threading.Barrier(len(clients))
    answers: list[Any] = []

    def ask(client: APIClient) -> None:
        ready.wait()
        answers.append(post(client, "/api/groups", {"name": "Desk"}, key="k"))
        connections.close_all()

    threads = [threading.Thread(target=ask, args=(client,)) for client in clients]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [answer.status_code for answer in answers] == [201] * 4
    assert len({answer.json()["group_id"] for answer in answers}) == 1
    assert ChatGroup.objects.count() == 1
