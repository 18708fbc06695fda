"""DELETE of a task and of a thread: its user's alone, invisible at once, with a receipt that leads to the erasure."""

from __future__ import annotations

import pytest
from rest_framework.test import APIClient

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.tasks import drain
from memory.models import Snapshot
from tests.support.api import MISSING, code_of
from tests.support.cast import allow
from tests.support.research import snapshot_made, thread_kept


@pytest.fixture
def thread(alice: User) -> str:
    allow(alice)
    return str(thread_kept(alice).pk)


@pytest.mark.parametrize("kind", ["threads", "tasks"])
def test_nobody_forgets_anothers(alice: User, as_alice: APIClient, as_charlie: APIClient, kind: str) -> None:
    allow(alice)
    made = {"threads": thread_kept(alice).pk, "tasks": snapshot_made(alice).task_id}[kind]
    assert as_charlie.delete(f"/api/{kind}/{made}").status_code == 404
    assert as_alice.delete(f"/api/{kind}/{MISSING}").status_code == 404
    assert as_alice.get(f"/api/{kind}/{made}").status_code == 200


def test_a_thread_is_forgotten_with_its_questions(as_alice: APIClient, thread: str) -> None:
    answer = as_alice.delete(f"/api/threads/{thread}", headers={"Idempotency-Key": "k"})
    assert (answer.status_code, answer.json()["item_count"]) == (202, 1)
    assert as_alice.get(f"/api/threads/{thread}").status_code == 404
    again = as_alice.delete(f"/api/threads/{thread}", headers={"Idempotency-Key": "k"})
    assert (again.json()["tombstone_id"], again["Idempotency-Replayed"]) == (answer.json()["tombstone_id"], "true")
    drain()
    assert as_alice.get(answer["Location"]).json()["state"] == "completed"


def test_a_task_is_forgotten_with_its_snapshot(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    snapshot = snapshot_made(alice)
    answer = as_alice.delete(f"/api/tasks/{snapshot.task_id}")
    assert (answer.status_code, answer.json()["item_count"]) == (202, 1)
    assert as_alice.get(f"/api/tasks/{snapshot.task_id}").status_code == 404
    assert as_alice.get(f"/api/snapshots/{snapshot.pk}").status_code == 404
    drain()
    assert as_alice.get(answer["Location"]).json()["state"] == "completed"


def test_a_task_whose_result_a_thread_keeps_goes_with_the_thread(alice: User, as_alice: APIClient, thread: str) -> None:
    with acting_as(alice.pk):
        task_id = Snapshot.objects.filter(thread_id=thread).values_list("task_id", flat=True).get()
    answer = as_alice.delete(f"/api/tasks/{task_id}")
    assert (answer.status_code, code_of(answer)) == (409, "kept_in_thread")
    assert as_alice.get(f"/api/threads/{thread}").status_code == 200
