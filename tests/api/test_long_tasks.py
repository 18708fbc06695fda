"""Long tasks of every kind over the API: listed, watched, their results so far, cancelled with a receipt."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from pytest_django import Settings
from rest_framework.test import APIClient

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.tasks import drain
from foundation.webhooks.models import Webhook, WebhookDelivery, WebhookEvent
from memory.importing.file_imports import request_import
from memory.research import task_lifecycle
from tests.api.test_route_policy import METHODS
from tests.support.api import MISSING, code_of, post, send
from tests.support.cast import allow
from tests.support.research import asked, begun

ALL = "/api/tasks/all"
QUESTION = "I think NVDA will grow. Revenue rose 20% on 2026-02-01, said the filing. But rivals are catching up."
CHAT = [{"uuid": "c1", "name": "Wine", "chat_messages": [{"uuid": "m1", "sender": "human", "text": "I own vines."}]}]


@pytest.fixture(autouse=True)
def _folders(tmp_path: Path, settings: Settings) -> None:
    settings.EXPORT_DIR = tmp_path / "exports"
    settings.IMPORT_DIR = tmp_path / "imports"


def _listed(client: APIClient) -> dict[str, dict[str, Any]]:
    return {task["kind"]: task for task in client.get(ALL).json()["results"]}


def _exported(client: APIClient) -> str:
    return str(post(client, "/api/users/me/export").json()["export_id"])


def test_nobody_sees_or_cancels_anothers(
    alice: User, charlie: User, as_alice: APIClient, as_bob: APIClient, as_charlie: APIClient
) -> None:
    for person in (alice, charlie):
        allow(person)
    keys = [str(asked(alice).pk), _exported(as_alice)]
    for outsider in (as_bob, as_charlie):
        assert outsider.get(ALL).json()["results"] == []
        for key in keys:
            answers = [outsider.get(f"/api/tasks/{key}/{what}") for what in ("status", "result")]
            answers.append(post(outsider, f"/api/tasks/{key}/cancellation"))
            assert [(answer.status_code, code_of(answer)) for answer in answers] == [(404, "not_found")] * 3
    assert {task["state"] for task in _listed(as_alice).values()} == {"pending"}


@pytest.mark.parametrize("method", [method for method in METHODS if method != "GET"])
def test_other_methods_are_refused(as_alice: APIClient, method: str) -> None:
    answer = send(as_alice, method, ALL, b"")
    assert (answer.status_code, code_of(answer)) == (405, "method_not_allowed")


def test_a_key_that_is_none_or_nobodys_is_not_found(as_alice: APIClient) -> None:
    for key in (MISSING, "nonsense", "1"):
        assert as_alice.get(f"/api/tasks/{key}/status").status_code == 404


@pytest.mark.django_db(transaction=True)
def test_every_kind_is_in_one_list_and_says_how_it_ended(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    asked(alice, QUESTION)
    _exported(as_alice)
    request_import(alice, io.BytesIO(json.dumps(CHAT).encode()), origin="api")
    waiting = _listed(as_alice)
    assert {(kind, task["state"], task["progress"]) for kind, task in waiting.items()} == {
        ("research", "pending", 0), ("export", "pending", 0), ("import", "pending", 0)
    }  # fmt: skip

    drain()

    for kind, task in _listed(as_alice).items():
        assert (task["state"], task["progress"], task["is_unseen"], task["error_code"]) == ("completed", 100, True, "")
        assert task["ended_at"], kind
        result = as_alice.get(f"/api/tasks/{task['task_id']}/result").json()
        assert (result["is_whole"], result["kind"]) == (True, kind)
        assert as_alice.get(result["url"]).status_code == 200, kind


def test_what_was_found_so_far_is_a_result_that_is_not_whole(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    job, task = begun(asked(alice, QUESTION))
    found = [{"part": "evidence", "statements": ["Revenue rose 20%."]}]
    task_lifecycle.report_progress(job, task.pk, 35, "counter_thesis", found)

    status = as_alice.get(f"/api/tasks/{task.pk}/status").json()
    assert (status["state"], status["progress"], status["step"]) == ("running", 35, "counter_thesis")
    result = as_alice.get(f"/api/tasks/{task.pk}/result").json()
    assert (result["is_whole"], result["parts"], result["url"]) == (False, found, None)


def test_a_cancellation_is_answered_with_a_receipt(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    _, running = begun(asked(alice, QUESTION))
    waiting = asked(alice, QUESTION)
    outcomes = []
    for key in (waiting.pk, running.pk, waiting.pk):
        answer = post(as_alice, f"/api/tasks/{key}/cancellation").json()
        outcomes.append((answer["outcome"], answer["state"], answer["cancelled_at"] is None))
    assert outcomes == [
        ("cancelled", "cancelled", False), ("stopping", "running", True), ("over", "cancelled", False)
    ]  # fmt: skip
    assert as_alice.get(f"/api/tasks/{running.pk}/status").json()["is_stopping"]


def test_a_repeated_cancellation_with_one_key_is_answered_as_the_first(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    path = f"/api/tasks/{asked(alice).pk}/cancellation"
    first, again = (post(as_alice, path, key="once").json() for _ in range(2))
    assert first == again
    assert first["outcome"] == "cancelled"


@pytest.mark.django_db(transaction=True)
def test_a_cancelled_export_leaves_no_file_and_another_may_be_asked_for(
    alice: User, as_alice: APIClient, tmp_path: Path
) -> None:
    allow(alice)
    key = _exported(as_alice)
    assert post(as_alice, f"/api/tasks/{key}/cancellation").json()["outcome"] == "cancelled"
    drain()
    assert as_alice.get(f"/api/exports/{key}").json()["state"] == "cancelled"
    assert not list(tmp_path.rglob("*.zip"))
    assert _exported(as_alice) != key


@pytest.mark.django_db(transaction=True)
def test_a_cancelled_import_brings_nothing_more_and_keeps_no_file(
    alice: User, as_alice: APIClient, tmp_path: Path
) -> None:
    allow(alice)
    key = request_import(alice, io.BytesIO(json.dumps(CHAT).encode()), origin="api").pk
    assert post(as_alice, f"/api/tasks/{key}/cancellation").json()["outcome"] == "cancelled"
    drain()
    told = as_alice.get(f"/api/imports/{key}").json()
    assert (told["state"], told["recorded"]) == ("cancelled", 0)
    assert as_alice.get("/api/sessions").json()["results"] == []
    assert not [file for file in tmp_path.rglob("*") if file.is_file()]
    request_import(alice, io.BytesIO(json.dumps(CHAT).encode()), origin="api")  # the next one may begin


def test_a_task_that_is_forgotten_while_it_runs_is_in_no_list(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    _, running = begun(asked(alice, QUESTION))
    assert as_alice.delete(f"/api/tasks/{running.pk}").status_code == 202
    assert _listed(as_alice) == {}
    for what in ("status", "result"):
        assert as_alice.get(f"/api/tasks/{running.pk}/{what}").status_code == 404
    assert post(as_alice, f"/api/tasks/{running.pk}/cancellation").status_code == 404


@pytest.mark.parametrize("kind", ["research", "export"])
def test_a_webhook_is_told_once_of_each_end(alice: User, as_alice: APIClient, kind: str) -> None:
    allow(alice)
    with acting_as(alice.pk):
        Webhook.objects.create(user=alice, url="https://example.com/", events=[WebhookEvent.TASK_DONE])
    key = str(asked(alice).pk) if kind == "research" else _exported(as_alice)
    for _ in range(2):
        post(as_alice, f"/api/tasks/{key}/cancellation")
    with acting_as(alice.pk):
        assert [str(told.subject_id) for told in WebhookDelivery.objects.all()] == [key]
