"""Threads over the API: read, renamed, closed, refreshed, their questions resolved and reopened (M-2, M-3)."""

from __future__ import annotations

from typing import Any

import pytest
from rest_framework.test import APIClient

from finclaw.brain.boundary import BoundaryRefused
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.tasks import drain
from memory.models import Thread, ThreadContext
from memory.research.task_lifecycle import tasks_of
from tests.api.test_route_policy import METHODS
from tests.support.api import MISSING, code_of, post, send
from tests.support.cast import allow, allow_nothing
from tests.support.research import refreshed, thread_kept
from tests.support.talk import permit_of

THREADS = "/api/threads"
EMAIL = "amy@example.com"


@pytest.fixture
def thread(alice: User) -> Thread:
    allow(alice)
    return thread_kept(alice)


@pytest.fixture
def path(thread: Thread) -> str:
    return f"{THREADS}/{thread.pk}"


def _question(client: APIClient, path: str) -> dict[str, Any]:
    return dict(client.get(path).json()["watch_questions"][0])


def _tasks(user: User) -> int:
    with acting_as(user.pk):
        return tasks_of(permit_of(user)).filter(route="thread_refresh").count()


def _contexts(user: User) -> list[tuple[str, str]]:
    """What was stated for threads: why, and within which constraints."""
    with acting_as(user.pk):
        return list(ThreadContext.objects.values_list("user_focus_reason", "constraints"))


def test_nobody_reads_or_changes_anothers(
    bob: User, charlie: User, as_alice: APIClient, as_bob: APIClient, as_charlie: APIClient, path: str
) -> None:
    question = f"{path}/watch-questions/{_question(as_alice, path)['question_id']}"
    before = as_alice.get(path).json()
    allow(bob)
    own = thread_kept(bob)
    allow(charlie)
    for outsider in (as_bob, as_charlie):
        answers = [
            outsider.get(path),
            outsider.patch(path, {"title": "Mine now"}),
            outsider.patch(path, {"state": "closed"}),
            post(outsider, f"{path}/refresh", {}),
            outsider.get(f"{path}/refreshes"),
            post(outsider, f"{question}/resolve"),
            post(outsider, f"{question}/reopen"),
            post(outsider, f"{THREADS}/{own.pk}/{question.split('/', 4)[-1]}/resolve"),
            outsider.get(f"{THREADS}/{MISSING}"),
            post(outsider, "/api/sessions", {"thread_id": str(before["thread_id"])}),
        ]
        assert [(answer.status_code, code_of(answer)) for answer in answers] == [(404, "not_found")] * 10
    assert as_charlie.get(THREADS).json()["results"] == []
    assert as_alice.get(path).json() == before


@pytest.mark.parametrize(
    ("tail", "allowed"),
    [
        ("", {"GET"}),
        (f"/{MISSING}", {"GET", "PATCH", "DELETE"}),
        (f"/{MISSING}/refresh", {"POST"}),
        (f"/{MISSING}/refreshes", {"GET"}),
        (f"/{MISSING}/watch-questions/{MISSING}/resolve", {"POST"}),
        (f"/{MISSING}/watch-questions/{MISSING}/reopen", {"POST"}),
    ],
)
def test_other_methods_are_refused(as_alice: APIClient, tail: str, allowed: set[str]) -> None:
    answers = [send(as_alice, method, f"{THREADS}{tail}", b"") for method in METHODS if method not in allowed]
    assert {(answer.status_code, code_of(answer)) for answer in answers} == {(405, "method_not_allowed")}


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"title": ""}, "title"),
        ({"title": "x" * 201}, "title"),
        ({"title": None}, "title"),
        ({"state": "open"}, "state"),
        ({"state": "asleep"}, "state"),
        ({"consent_blocked": False}, "consent_blocked"),
        ({"consent_blocked": "perhaps"}, "consent_blocked"),
        ({"refresh_conditions": "Weekly"}, "refresh_conditions"),
        ({"refresh_conditions": ["x" * 301]}, "refresh_conditions"),
        ({"refresh_conditions": ["Weekly."] * 21}, "refresh_conditions"),
        ({"current_thesis": "Up."}, "current_thesis"),
    ],
)
def test_a_malformed_change_names_its_field_and_changes_nothing(
    as_alice: APIClient, path: str, body: dict[str, object], field: str
) -> None:
    before = as_alice.get(path).json()
    answer = as_alice.patch(path, body)
    assert (answer.status_code, code_of(answer), list(answer.json()["details"])) == (400, "validation_error", [field])
    assert as_alice.get(path).json() == before


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"user_supplied_context": "Fees fell."}, "user_supplied_context"),
        ({"user_supplied_context": {"text": "x" * 8_001}}, "user_supplied_context"),
        ({"user_supplied_context": {"shoe_size": "43"}}, "user_supplied_context"),
        ({"confirm_financial": "perhaps"}, "confirm_financial"),
        ({"question": "What is new?"}, "question"),
    ],
)
def test_a_malformed_refresh_names_its_field(
    alice: User, as_alice: APIClient, path: str, body: dict[str, object], field: str
) -> None:
    answer = post(as_alice, f"{path}/refresh", body)
    assert (code_of(answer), list(answer.json()["details"])) == ("validation_error", [field])
    assert _tasks(alice) == 0


def test_it_is_renamed_and_its_conditions_are_set_once_under_a_key(as_alice: APIClient, path: str) -> None:
    body = {"title": "SOL 值得吗？", "refresh_conditions": ["每周一次。"]}
    first, again = (as_alice.patch(path, body, headers={"Idempotency-Key": "k"}) for _ in range(2))
    assert first.json() == again.json() == as_alice.get(path).json()
    assert (first.json()["title"], first.json()["refresh_conditions"]) == ("SOL 值得吗？", ["每周一次。"])
    other = as_alice.patch(path, {"title": "Another"}, headers={"Idempotency-Key": "k"})
    assert (other.status_code, code_of(other)) == (409, "idempotency_conflict")


@pytest.mark.parametrize("body", [{"title": f"Ask {EMAIL}"}, {"refresh_conditions": ["Weekly.", f"Ask {EMAIL}"]}])
def test_an_address_is_no_title_and_no_condition(as_alice: APIClient, path: str, body: dict[str, object]) -> None:
    answer = as_alice.patch(path, body)
    assert (answer.status_code, code_of(answer)) == (422, "sensitive_input")
    assert EMAIL not in answer.content.decode() + as_alice.get(path).content.decode()


def test_closed_it_is_read_only_for_good(alice: User, as_alice: APIClient, path: str) -> None:
    question = f"{path}/watch-questions/{_question(as_alice, path)['question_id']}"
    closed = as_alice.patch(path, {"state": "closed"}).json()
    assert (closed["state"], closed["closed_at"] is None) == ("closed", False)
    refused = [
        as_alice.patch(path, {"title": "Another"}),
        as_alice.patch(path, {"state": "closed"}),
        post(as_alice, f"{path}/refresh", {}),
        post(as_alice, f"{question}/resolve"),
        post(as_alice, f"{question}/reopen"),
    ]
    assert [(answer.status_code, code_of(answer)) for answer in refused] == [(409, "thread_closed")] * 5
    assert as_alice.patch(path, {"state": "open"}).status_code == 400
    assert as_alice.patch(path, {"consent_blocked": True}).status_code == 200
    assert as_alice.get(path).json()["title"] == closed["title"]
    assert _tasks(alice) == 0


def test_a_refresh_leads_to_a_thesis_and_is_listed(alice: User, as_alice: APIClient, path: str) -> None:
    body = {"user_supplied_context": {"text": "Fees fell by 40 % on 3 June 2026.", "user_focus_reason": "Fees"}}
    first, again = (post(as_alice, f"{path}/refresh", body, key="k") for _ in range(2))
    assert (first.status_code, first.json()) == (again.status_code, again.json())
    assert (first.status_code, first.json()["state"]) == (202, "pending")
    drain()
    assert _tasks(alice) == 1
    task = as_alice.get(f"/api/tasks/{first.json()['task_id']}").json()
    [refresh] = as_alice.get(f"{path}/refreshes").json()["results"]
    thread = as_alice.get(path).json()
    assert (task["state"], task["result"]["kind"], task["result"]["id"]) == (
        "completed", "refresh", refresh["refresh_id"],
    )  # fmt: skip
    assert (refresh["thread_id"], refresh["task_id"]) == (thread["thread_id"], task["task_id"])
    assert (refresh["thesis_before"], refresh["thesis_after"]) == ("Demand for SOL grows.", thread["current_thesis"])
    made = as_alice.get(f"/api/snapshots/{refresh['snapshot_id']}").json()
    assert "40 %" in str(made["evidence"])
    assert _contexts(alice) == [("Fees", "")]


def test_its_refreshes_and_the_threads_are_paged_by_cursor(alice: User, as_alice: APIClient, thread: Thread) -> None:
    made = [str(refreshed(alice, thread, f"Thesis {number}.").pk) for number in range(3)]
    threads = [str(thread_kept(alice).pk) for _ in range(2)]
    assert _walk(as_alice, f"{THREADS}/{thread.pk}/refreshes", "refresh_id") == made[::-1]
    assert _walk(as_alice, THREADS, "thread_id") == [*threads[::-1], str(thread.pk)]


def _walk(client: APIClient, path: str, key: str) -> list[str]:
    seen: list[str] = []
    url: str | None = f"{path}?page_size=2"
    while url:
        page: dict[str, Any] = client.get(url).json()
        assert len(page["results"]) <= 2
        seen += [row[key] for row in page["results"]]
        url = page["next"]
    return seen


def test_what_is_stated_for_it_is_kept_only_where_that_was_granted(alice: User, as_alice: APIClient, path: str) -> None:
    allow_nothing(alice)
    body = {"user_supplied_context": {"user_focus_reason": "Fees", "constraints": "No leverage."}}
    assert post(as_alice, f"{path}/refresh", body).status_code == 202  # for this one task, which needs no word for it
    assert _contexts(alice) == []


def test_a_position_to_be_kept_needs_a_word_for_it(alice: User, as_alice: APIClient, path: str) -> None:
    body = {"user_supplied_context": {"constraints": "No leverage."}}
    answer = post(as_alice, f"{path}/refresh", body)
    assert (answer.status_code, code_of(answer)) == (422, "financial_confirmation_required")
    assert answer.json()["details"] == {"fields": ["constraints"]}
    assert (_tasks(alice), _contexts(alice)) == (0, [])
    assert post(as_alice, f"{path}/refresh", body | {"confirm_financial": True}).status_code == 202
    assert _contexts(alice) == [("", "No leverage.")]


def test_an_address_is_masked_in_what_is_new_and_refused_in_a_field(
    alice: User, as_alice: APIClient, path: str
) -> None:
    masked = post(as_alice, f"{path}/refresh", {"user_supplied_context": {"text": f"Ask {EMAIL} of fees."}})
    assert masked.json()["masked"] == [{"field": "prompt", "kind": "email"}]
    assert EMAIL not in as_alice.get(f"/api/tasks/{masked.json()['task_id']}").content.decode()
    refused = post(as_alice, f"{path}/refresh", {"user_supplied_context": {"research_style": f"Ask {EMAIL}"}})
    assert (refused.status_code, code_of(refused)) == (422, "sensitive_input")
    assert (_tasks(alice), _contexts(alice)) == (1, [])


@pytest.mark.parametrize("said", [{"text": "Sell 50 shares for me right now."}, {"constraints": "帮我把全部SOL卖掉。"}])
def test_a_refresh_that_asks_to_act_is_refused(
    alice: User, as_alice: APIClient, path: str, said: dict[str, str]
) -> None:
    answer = post(as_alice, f"{path}/refresh", {"user_supplied_context": said, "confirm_financial": True})
    assert (answer.status_code, code_of(answer)) == (422, "boundary_refused")
    assert answer.json()["message"] == BoundaryRefused.default_message
    assert (_tasks(alice), _contexts(alice)) == (0, [])


def test_what_is_new_may_stand_in_the_prompt_and_is_screened_alike(alice: User, as_alice: APIClient, path: str) -> None:
    answer = post(as_alice, f"{path}/refresh", {"prompt": f"Fees rose 5% on 2026-11-20. Write to {EMAIL}."})
    assert answer.status_code == 202
    assert answer.json()["masked"] == [{"field": "prompt", "kind": "email"}]
    with acting_as(alice.pk):
        assert tasks_of(permit_of(alice))[0].prompt.startswith("Fees rose 5% on 2026-11-20. Write to [redacted:")
    assert code_of(post(as_alice, f"{path}/refresh", {"prompt": "Sell all my SOL now"})) == "boundary_refused"
    assert post(as_alice, f"{path}/refresh", {"prompt": "x" * 8_001}).status_code == 400


def test_a_question_is_resolved_and_asked_again(as_alice: APIClient, path: str) -> None:
    question = _question(as_alice, path)
    assert (question["question"], question["state"], question["resolved_at"]) == ("Do fees hold?", "open", None)
    address = f"{path}/watch-questions/{question['question_id']}"
    assert post(as_alice, f"{address}/reopen").json() == question  # one that is open stays so
    resolved = [post(as_alice, f"{address}/resolve", key=key).json() for key in ("a", "a", "b")]
    assert {one["state"] for one in resolved} == {"resolved"}
    assert len({one["resolved_at"] for one in resolved}) == 1
    again = post(as_alice, f"{address}/reopen")
    assert (again.status_code, again.json()["state"]) == (200, "reopened")
    assert _question(as_alice, path) == again.json()
    assert post(as_alice, f"{path}/watch-questions/{MISSING}/resolve").status_code == 404


def test_what_was_stated_is_blocked_for_good(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    kept = thread_kept(alice, save_user_context=True, fields={"user_focus_reason": "Fees"})
    path = f"{THREADS}/{kept.pk}"
    assert as_alice.get(path).json()["consent_blocked"] is False
    assert as_alice.patch(path, {"consent_blocked": True}).json()["consent_blocked"] is True
    preview = {"route": "thread_refresh", "prompt": "What is new?", "thread_id": str(kept.pk)}
    assert "S4" not in post(as_alice, "/api/tasks/preview", preview).json()["slices"]["loaded"]


def test_a_conversation_is_linked_to_a_thread_of_ones_own(as_alice: APIClient, thread: Thread) -> None:
    made = post(as_alice, "/api/sessions", {"thread_id": str(thread.pk)})
    assert (made.status_code, made.json()["thread_id"]) == (201, str(thread.pk))
    assert post(as_alice, "/api/sessions", {"thread_id": None}).json()["thread_id"] is None


def test_an_erased_thread_is_gone_with_what_hangs_on_it(
    alice: User, as_alice: APIClient, as_charlie: APIClient, charlie: User, thread: Thread
) -> None:
    allow(charlie)
    path = f"{THREADS}/{thread.pk}"
    refresh = refreshed(alice, thread, "Demand for SOL falls.")
    session = post(as_alice, "/api/sessions", {"thread_id": str(thread.pk)}).json()["session_id"]
    body = {"scope": "thread", "target_id": str(thread.pk)}
    foreign = post(as_charlie, "/api/users/me/erasure", body | {"confirm": "charlie"})
    assert (foreign.status_code, code_of(foreign)) == (404, "not_found")
    receipts = [post(as_alice, "/api/users/me/erasure", body | {"confirm": "alice"}, key="k") for _ in range(2)]
    assert [one.status_code for one in receipts] == [202, 202]
    assert receipts[0].json()["tombstone_id"] == receipts[1].json()["tombstone_id"]

    for _ in range(2):  # at once, and when the worker is done
        gone = [path, f"{path}/refreshes", f"/api/snapshots/{refresh.snapshot_id}"]
        assert [as_alice.get(one).status_code for one in gone] == [404] * 3
        assert as_alice.get(THREADS).json()["results"] == []
        assert as_alice.get(f"/api/sessions/{session}").json()["thread_id"] is None
        drain()
    shown = as_alice.get(f"/api/erasures/{receipts[0].json()['tombstone_id']}").json()
    assert (shown["state"], shown["verification"]["residual"]) == ("completed", 0)
