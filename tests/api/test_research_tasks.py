"""Pieces of research over the API: asked for, previewed, watched, cancelled, and who reaches them (B-9, M-5, B-11)."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
import time_machine
from rest_framework.test import APIClient

from finclaw.brain.boundary import BoundaryRefused
from foundation.accounts.models import Tenant, User
from foundation.database.acting_user import acting_as
from foundation.outbox.tasks import drain
from memory.models import ResearchTask
from memory.research.task_lifecycle import tasks_of
from memory.research.threads import close_thread
from tests.api.test_route_policy import METHODS
from tests.support.api import MISSING, code_of, post, send
from tests.support.cast import allow, allow_nothing
from tests.support.forgetting import ASK, receipt_of
from tests.support.organisation import employ
from tests.support.research import asked, begun, thread_kept
from tests.support.talk import permit_of

TASKS = "/api/tasks"
BODY = {"route": "snapshot", "prompt": "What speaks for SOL? Fees doubled on 3 May 2026. Validators leave."}
NVDA = "Nvidia reported revenue of 46.7 billion dollars on 27 August 2025. Analysts fear that demand falls in 2027."
ORDER = "Place a limit order for 100 shares of NVDA at 50."


def _made(client: APIClient, **body: object) -> str:
    answer = post(client, TASKS, BODY | body)
    assert answer.status_code == 202, answer.json()
    return str(answer.json()["task_id"])


def _count(user: User) -> int:
    with acting_as(user.pk):
        return tasks_of(permit_of(user)).count()


def test_nobody_sees_cancels_or_builds_on_anothers(
    alice: User, bob: User, charlie: User, as_alice: APIClient, as_bob: APIClient, as_charlie: APIClient
) -> None:
    for person in (alice, bob, charlie):
        allow(person)
    thread = str(thread_kept(alice).pk)
    path = f"{TASKS}/{_made(as_alice)}"
    for outsider in (as_bob, as_charlie):
        answers = [
            outsider.get(path),
            outsider.get(f"{path}?stream=true"),
            post(outsider, f"{path}/cancel"),
            post(outsider, TASKS, BODY | {"thread_id": thread}),
            post(outsider, f"{TASKS}/preview", BODY | {"thread_id": thread}),
            post(outsider, ASK, _wish(path, str(outsider.get("/api/users/me").json()["username"]))),
            outsider.get(f"{TASKS}/{MISSING}"),
        ]
        assert [(answer.status_code, code_of(answer)) for answer in answers] == [(404, "not_found")] * 7
        assert outsider.get(TASKS).json()["results"] == outsider.get("/api/erasures").json()["results"] == []
    assert as_alice.get(path).json()["state"] == "pending"


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("tasks", {"GET", "POST"}),
        ("tasks/preview", {"POST"}),
        (f"tasks/{MISSING}", {"GET", "DELETE"}),
        (f"tasks/{MISSING}/cancel", {"POST"}),
        ("skills/recommended", {"GET"}),
    ],
)
def test_other_methods_are_refused(as_alice: APIClient, path: str, allowed: set[str]) -> None:
    answers = [send(as_alice, method, f"/api/{path}", b"") for method in METHODS if method not in allowed]
    assert {(answer.status_code, code_of(answer)) for answer in answers} == {(405, "method_not_allowed")}


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ({"route": "horoscope"}, "route"),
        ({"route": ""}, "route"),
        ({"prompt": ""}, "prompt"),
        ({"prompt": " \n\t"}, "prompt"),
        ({"prompt": ["SOL"]}, "prompt"),
        ({"prompt": "长" * 8_001}, "prompt"),
        ({"thread_id": "sol"}, "thread_id"),
        ({"as_of": "2026-05-01"}, "as_of"),
        ({"as_of": "2026-05-01T00:00:00"}, "as_of"),
        ({"as_of": "1066-10-14T00:00:00Z"}, "as_of"),
        ({"user_context_overrides": "deep"}, "user_context_overrides"),
        ({"user_context_overrides": {"research_depth": "abyssal"}}, "user_context_overrides"),
        ({"user_context_overrides": {"shoe_size": "43"}}, "user_context_overrides"),
        ({"user_context_overrides": {"constraints": "x" * 501}}, "user_context_overrides"),
        ({"route": "thread_refresh"}, "thread_id"),
        ({"depth": "deep"}, "depth"),
    ],
)
def test_a_malformed_task_names_its_field_and_leaves_nothing(
    alice: User, as_alice: APIClient, more: dict[str, object], field: str
) -> None:
    allow(alice)
    answer = post(as_alice, TASKS, BODY | more)
    assert (answer.status_code, code_of(answer), list(answer.json()["details"])) == (400, "validation_error", [field])
    assert _count(alice) == 0


@pytest.mark.parametrize("body", [b"{", b"[]", b"null", b'{"route": "snapshot", "prompt": "a\\u0000b"}', b"\xff"])
def test_a_body_that_is_no_task_is_refused(alice: User, as_alice: APIClient, body: bytes) -> None:
    allow(alice)
    for path in (TASKS, f"{TASKS}/preview"):
        assert send(as_alice, "POST", path, body).status_code == 400
    assert _count(alice) == 0


@pytest.mark.parametrize("query", ["stream=maybe", "stram=true"])
def test_a_query_that_is_not_known_is_refused(alice: User, as_alice: APIClient, query: str) -> None:
    allow(alice)
    assert code_of(as_alice.get(f"{TASKS}/{_made(as_alice)}?{query}")) == "validation_error"


def test_the_same_key_asks_once_and_another_body_under_it_is_a_conflict(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    first, again = (post(as_alice, TASKS, BODY, key="k") for _ in range(2))
    assert (first.status_code, first.json()) == (again.status_code, again.json())
    assert _count(alice) == 1
    other = post(as_alice, TASKS, BODY | {"route": "risk_challenge"}, key="k")
    assert (other.status_code, code_of(other)) == (409, "idempotency_conflict")
    path = f"{TASKS}/{first.json()['task_id']}/cancel"
    cancelled = [post(as_alice, path, key="c") for _ in range(2)]
    assert [(one.status_code, one.json()["state"]) for one in cancelled] == [(200, "cancelled")] * 2


def test_before_any_decision_on_consent_nothing_is_looked_into(alice: User, as_alice: APIClient) -> None:
    for path in (TASKS, f"{TASKS}/preview"):
        answer = post(as_alice, path, BODY)
        assert (answer.status_code, code_of(answer)) == (403, "profile_consent_required")
        assert answer.json()["details"] == {"required_scopes": []}
    assert _count(alice) == 0


def test_after_a_revocation_tasks_still_run_from_a_cold_start(alice: User, as_alice: APIClient) -> None:
    permit = allow(alice)
    assert as_alice.patch("/api/users/me/context", {"language_preference": "zh"}).status_code == 200
    assert as_alice.delete(f"/api/users/me/profile-consent/{permit.consent_id}").status_code == 200
    task = _made(as_alice)
    drain()
    done = as_alice.get(f"{TASKS}/{task}").json()
    assert done["state"] == "completed"
    assert done["context"]["slices_loaded"] == ["S1", "S2", "S3"]
    assert done["context"]["slices_blocked_by_consent"] == []


def test_a_secret_is_refused_and_an_address_masked_in_the_prompt(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    secret = (
        "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ\n-----END PRIVATE KEY-----"
    )
    for body in ({"prompt": f"What is {secret}?"}, {"user_context_overrides": {"user_focus_reason": secret}}):
        answer = post(as_alice, TASKS, BODY | body)
        assert (answer.status_code, code_of(answer)) == (422, "sensitive_input")
        assert "MIIEvQ" not in answer.content.decode()
    assert _count(alice) == 0

    masked = [post(as_alice, TASKS, BODY | {"prompt": "Ask amy@example.com about SOL."}, key="k") for _ in range(2)]
    assert [one.json()["masked"] for one in masked] == [[{"field": "prompt", "kind": "email"}]] * 2
    assert "amy@example.com" not in masked[0].json()["prompt"]


def test_a_financial_field_for_one_task_needs_no_confirmation(alice: User, as_alice: APIClient) -> None:
    allow_nothing(alice)
    stated = {"constraints": "No leverage.", "time_horizon": "Three years", "research_depth": None}
    task = _made(as_alice, route="pre_execution", user_context_overrides=stated)
    assert as_alice.get(f"{TASKS}/{task}").json()["note"] is None
    drain()
    done = as_alice.get(f"{TASKS}/{task}").json()
    assert done["context"]["slices_loaded"] == ["S1", "S2", "S3", "S8"]
    assert done["note"]["text"].splitlines() == [
        "You said: “No leverage”. Does this decision keep to it?",
        "You named a time horizon: “Three years”. Does this decision fit it?",
    ]
    over = datetime.fromisoformat(done["note"]["expires_at"])
    assert over - datetime.fromisoformat(done["ended_at"]) == timedelta(hours=24)
    with time_machine.travel(over):
        assert as_alice.get(f"{TASKS}/{task}").json()["note"] is None


@pytest.mark.parametrize(
    "body",
    [
        BODY | {"prompt": ORDER},
        BODY | {"prompt": "请帮我以市价买入100股茅台。"},
        {"route": "pre_execution", "prompt": "What should I check?", "order_id": "8812"},
        {"route": "pre_execution", "prompt": "What should I check?", "side": "buy", "quantity": 100},
        {"route": "pre_execution", "prompt": "What should I check? limit_price: 50"},
        {"route": "pre_execution", "prompt": "What should I check?", "user_context_overrides": {"account_id": "7"}},
    ],
    ids=["order", "order-zh", "field", "fields-together", "field-in-text", "field-within"],
)
def test_what_asks_to_act_is_refused_in_the_same_words_for_everyone(
    alice: User, bob: User, as_alice: APIClient, as_bob: APIClient, body: dict[str, object]
) -> None:
    allow(alice)
    assert as_alice.patch("/api/users/me/context", {"risk_prompt_preference": "risk_first"}).status_code == 200
    allow_nothing(bob)
    answers = [post(client, path, body) for client in (as_alice, as_bob) for path in (TASKS, f"{TASKS}/preview")]
    assert [answer.status_code for answer in answers] == [422] * 4
    same = {"code": "boundary_refused", "message": BoundaryRefused.default_message, "details": {}}
    assert [answer.json() for answer in answers] == [same] * 4
    assert (_count(alice), _count(bob)) == (0, 0)


def test_a_closed_thread_takes_no_task(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    thread = thread_kept(alice)
    with acting_as(alice.pk):
        close_thread(permit_of(alice), thread)
    answer = post(as_alice, TASKS, BODY | {"thread_id": str(thread.pk)})
    assert (answer.status_code, code_of(answer)) == (409, "thread_closed")


@pytest.mark.parametrize(
    ("route", "kind"),
    [("snapshot", "snapshot"), ("pre_execution", "checkpoint")]
    + [(route, "report") for route in ("risk_challenge", "evidence_audit", "narrative_mapper", "event_impact_reader")],
)
def test_each_route_ends_with_its_result(alice: User, as_alice: APIClient, route: str, kind: str) -> None:
    allow(alice)
    task = _made(as_alice, route=route, prompt=NVDA)
    waiting = as_alice.get(f"{TASKS}/{task}").json()
    assert (waiting["state"], waiting["progress"], waiting["result"], waiting["partial"]) == ("pending", 0, None, [])
    drain()
    done = as_alice.get(f"{TASKS}/{task}").json()
    assert (done["state"], done["progress"], done["result"]["kind"], done["error_code"]) == ("completed", 100, kind, "")
    assert done["advisors"]
    assert done["context"]["total_memory_tokens_estimated"] > 0
    if kind == "report":
        assert done["result"]["id"] == task
        assert done["result"]["sections"]
    else:
        made = as_alice.get(f"/api/{kind}s/{done['result']['id']}").json()
        assert made["task_id"] == task
        assert "46.7 billion" in str(made)


def test_what_is_dated_later_than_it_is_asked_as_of_is_reported(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    prompt = "SOL had 5 million wallets on 3 January 2026. SOL lost its lead on 2 March 2026."
    task = _made(as_alice, prompt=prompt, as_of="2026-02-01T00:00:00+08:00")
    drain()
    done = as_alice.get(f"{TASKS}/{task}").json()
    assert done["as_of"] == "2026-01-31T16:00:00Z"
    assert [one["text"] for one in done["lookahead_warnings"]] == ["SOL lost its lead on 2 March 2026."]
    made = as_alice.get(f"/api/snapshots/{done['result']['id']}").json()
    assert made["as_of"] == done["as_of"]
    assert "2026-01-31" in made["data_quality_note"]


def test_one_that_waits_is_cancelled_at_once_and_one_that_is_over_stays(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    waits = _made(as_alice)
    for _ in range(2):
        assert post(as_alice, f"{TASKS}/{waits}/cancel").json()["state"] == "cancelled"
    over = _made(as_alice)
    drain()
    assert post(as_alice, f"{TASKS}/{over}/cancel").json()["state"] == "completed"
    assert as_alice.get(f"{TASKS}/{waits}").json()["state"] == "cancelled"


def test_one_that_runs_goes_on_until_its_next_step(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    _, task = begun(asked(alice))
    answer = post(as_alice, f"{TASKS}/{task.pk}/cancel").json()
    assert (answer["state"], answer["ended_at"]) == ("running", None)


def test_the_list_is_paged_by_cursor_the_latest_first(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    made = [_made(as_alice) for _ in range(5)]
    seen: list[str] = []
    url: str | None = f"{TASKS}?page_size=2"
    while url:
        page: dict[str, Any] = as_alice.get(url).json()
        seen += [row["task_id"] for row in page["results"]]
        url = page["next"]
    assert seen == made[::-1]
    assert as_alice.get(f"{TASKS}?cursor=nonsense").status_code == 404


def test_one_that_failed_says_why(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    task = _made(as_alice)
    with acting_as(alice.pk):
        ResearchTask.objects.filter(pk=task).update(
            state="failed", error_code="boundary_refused", ended_at="2026-05-01T00:00Z"
        )
    shown = as_alice.get(f"{TASKS}/{task}").json()
    assert (shown["state"], shown["error_code"], shown["result"]) == ("failed", "boundary_refused", None)


def _wish(path: str, confirm: str = "alice") -> dict[str, str]:
    return {"scope": "task", "target_id": path.rpartition("/")[2], "confirm": confirm}


def test_one_is_forgotten_unless_a_thread_keeps_it(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    path, thread = f"{TASKS}/{_made(as_alice)}", thread_kept(alice)
    kept = as_alice.get(TASKS).json()["results"]
    refused = post(as_alice, ASK, _wish(kept[0]["task_id"]))
    assert (refused.status_code, code_of(refused)) == (409, "kept_in_thread")
    assert refused.json()["details"] == {"thread_id": str(thread.pk)}
    receipts = [receipt_of(post(as_alice, ASK, _wish(path), key="k")) for _ in range(2)]
    assert (receipts[0], receipts[0]["item_count"]) == (receipts[1], 1)

    for _ in range(2):  # at once, and when the worker is done
        assert as_alice.get(path).status_code == 404
        assert len(as_alice.get(TASKS).json()["results"]) == len(kept) - 1
        drain()
    shown = as_alice.get(f"/api/erasures/{receipts[0]['tombstone_id']}").json()
    assert (shown["scope"], shown["state"], shown["verification"]["residual"]) == ("task", "completed", 0)


def test_a_kind_of_research_that_an_organisation_does_not_offer_is_forbidden(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    thread = str(thread_kept(alice).pk)
    employ(Tenant.objects.create(name="Acme", settings={"skill_whitelist": ["evidence_audit"]}), alice)
    before = _count(alice)
    answers = [
        post(as_alice, TASKS, BODY),
        post(as_alice, f"{TASKS}/preview", BODY),
        post(as_alice, f"/api/threads/{thread}/refresh", {"user_supplied_context": {}}),
    ]
    assert [(answer.status_code, code_of(answer)) for answer in answers] == [(403, "permission_denied")] * 3
    assert _count(alice) == before
    assert [one["skill"] for one in as_alice.get("/api/skills/recommended").json()["results"]] == ["evidence_audit"]
    _made(as_alice, route="evidence_audit")
