"""A task's progress through a real WSGI server: it is told while a worker is still at it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from pytest_django.live_server_helper import LiveServer

from consent.services import permit_for
from foundation.accounts.models import User
from foundation.accounts.services import issue_token
from foundation.outbox.tasks import drain
from memory.research import results, task_lifecycle
from memory.research.types import TaskOutcome
from tests.support.api import MISSING
from tests.support.cast import allow
from tests.support.research import MODEL, asked, begun, snapshot_draft

pytestmark = pytest.mark.django_db(transaction=True)
FOUND = [{"part": "evidence", "statements": ["Fees doubled in May."]}]


@pytest.fixture
def http(alice: User, live_server: LiveServer) -> Iterator[httpx.Client]:
    allow(alice)
    headers = {"Authorization": f"Token {issue_token(alice)[1]}", "Accept": "text/event-stream"}
    with httpx.Client(base_url=live_server.url, headers=headers, timeout=20) as client:
        yield client


def _events(lines: Iterator[str]) -> Iterator[tuple[str, Any]]:
    for line in lines:
        if line.startswith("event: "):
            yield line.removeprefix("event: "), json.loads(next(lines).removeprefix("data: "))


def test_each_change_is_told_and_the_end_closes_the_stream(alice: User, http: httpx.Client) -> None:
    task = asked(alice)
    path = f"/api/tasks/{task.pk}"
    with http.stream("GET", path, params={"stream": "true"}) as answer:
        assert answer.headers["Content-Type"] == "text/event-stream"
        assert answer.headers["Cache-Control"] == "no-store"
        lines = answer.iter_lines()
        events = _events(lines)
        name, waits = next(events)
        assert (name, waits["state"], waits["partial"]) == ("progress", "pending", [])
        assert ":" in (next(lines), next(lines))  # nothing is new, and the line is kept

        job, running = begun(task)
        task_lifecycle.report_progress(job, running.pk, 40, "evidence", FOUND)
        name, runs = next(event for event in events if event[1]["progress"])
        assert (name, runs["state"], runs["step"], runs["partial"]) == ("progress", "running", "evidence", FOUND)

        with job.completing():
            permit = permit_for(alice)
            made = results.store_snapshot(permit, running, snapshot_draft())
            task_lifecycle.complete_task(permit, running, TaskOutcome("snapshot", MODEL, made.pk))
        rest = list(events)
    name, done = rest[-1]
    assert [name for name, _ in rest] == ["done"]
    assert (done["state"], done["result"]["id"]) == ("completed", str(made.pk))
    assert done == http.get(path).json()


def test_one_that_is_over_is_told_once(alice: User, http: httpx.Client) -> None:
    path = f"/api/tasks/{asked(alice).pk}"
    drain()
    answer = http.get(path, params={"stream": "true"})
    [(name, done)] = _events(iter(answer.text.splitlines()))
    assert (name, done["state"]) == ("done", "completed")


def test_one_that_is_not_there_is_refused_in_plain_json(http: httpx.Client) -> None:
    answer = http.get(f"/api/tasks/{MISSING}", params={"stream": "true"})
    assert (answer.status_code, answer.headers["Content-Type"]) == (404, "application/json")
    assert answer.json()["code"] == "not_found"
