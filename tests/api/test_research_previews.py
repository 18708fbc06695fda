"""What a task would be, what is recommended, and the hint at a first task's end (M-5, M-7)."""

from __future__ import annotations

import pytest
from rest_framework.test import APIClient

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.tasks import drain
from memory.models import ResearchTask, Route
from memory.research.threads import close_thread
from tests.brain.research.told import revoke
from tests.support.api import post
from tests.support.cast import allow, allow_nothing
from tests.support.research import thread_kept

TASKS = "/api/tasks"
PROMPT = "What speaks for SOL? Fees doubled on 3 May 2026. Validators leave."


def _made(client: APIClient, **body: object) -> str:
    answer = post(client, TASKS, {"route": "snapshot", "prompt": PROMPT} | body)
    assert answer.status_code == 202, answer.json()
    return str(answer.json()["task_id"])


def _count(user: User) -> int:
    with acting_as(user.pk):
        return ResearchTask.objects.count()


@pytest.mark.parametrize(
    ("prompt", "route"),
    [
        ("What could go wrong with SOL?", Route.RISK_CHALLENGE),
        ("这些证据可靠吗？", Route.EVIDENCE_AUDIT),
        ("What speaks for SOL?", Route.SNAPSHOT),
    ],
)
def test_a_preview_proposes_a_route_and_stores_nothing(
    alice: User, as_alice: APIClient, prompt: str, route: Route
) -> None:
    allow_nothing(alice)
    seen = post(as_alice, f"{TASKS}/preview", {"prompt": prompt})
    assert (seen.status_code, seen.json()["route"]) == (200, route)
    assert set(seen.json()["slices"]) == {"loaded", "skipped_missing", "blocked_by_consent", "read_from"}
    assert _count(alice) == 0
    task = _made(as_alice, prompt=prompt, route=route)
    drain()
    done = as_alice.get(f"{TASKS}/{task}").json()
    assert done["context"]["slices_loaded"] == seen.json()["slices"]["loaded"]
    assert done["advisors"] == seen.json()["advisors"]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"route": "thread_refresh"}, "validation_error"),
        ({"route": "thread_refresh", "thread": "open", "as_of": "2026-01-01T00:00:00Z"}, "validation_error"),
        ({"route": "thread_refresh", "thread": "closed"}, "thread_closed"),
        ({"prompt": "What speaks for SOL? My card is 4111 1111 1111 1111."}, "sensitive_input"),
        ({"prompt": "SOL怎么样？我的卡号是 4111 1111 1111 1111。"}, "sensitive_input"),
        ({"prompt": "\u200b\u200b"}, "validation_error"),
        ({"as_of": "2199-01-01T00:00:00Z"}, "validation_error"),
        ({"as_of": "٢٠٢٦-01-01T00:00:00Z"}, "validation_error"),
        ({"user_context_overrides": {"research_depth": "bottomless"}}, "validation_error"),
    ],
)
def test_a_preview_refuses_what_creation_refuses(
    alice: User, as_alice: APIClient, body: dict[str, str], code: str
) -> None:
    permit = allow(alice)
    if "thread" in body:
        thread = thread_kept(alice)
        if body["thread"] == "closed":
            with acting_as(alice.pk):
                close_thread(permit, thread)
        body = {name: value for name, value in body.items() if name != "thread"} | {"thread_id": str(thread.pk)}
    sent, before = {"route": "snapshot", "prompt": PROMPT} | body, _count(alice)

    answers = [post(as_alice, path, sent) for path in (f"{TASKS}/preview", TASKS)]

    assert [answer.json()["code"] for answer in answers] == [code] * 2
    assert answers[0].json()["details"] == answers[1].json()["details"]
    assert _count(alice) == before


def test_a_preview_says_what_consent_keeps_back(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    thread = thread_kept(alice, save_user_context=True, fields={"user_focus_reason": "Fees"})
    body = {"route": "thread_refresh", "prompt": "What is new?", "thread_id": str(thread.pk)}
    assert "S4" in post(as_alice, f"{TASKS}/preview", body).json()["slices"]["loaded"]
    allow_nothing(alice)
    slices = post(as_alice, f"{TASKS}/preview", body).json()["slices"]
    assert "S4" in slices["blocked_by_consent"]
    named = [*slices["loaded"], *slices["skipped_missing"], *slices["blocked_by_consent"]]
    assert len(named) == len(set(named))


def test_what_is_recommended_speaks_the_persons_language_and_knows_their_threads(
    alice: User, as_alice: APIClient, bob: User, as_bob: APIClient
) -> None:
    allow(alice)
    allow(bob)
    thread_kept(alice)
    assert as_alice.patch("/api/users/me/context", {"language_preference": "zh"}).status_code == 200
    hers, his = (client.get("/api/skills/recommended").json()["results"] for client in (as_alice, as_bob))
    assert {row["skill"] for row in hers} == {row["skill"] for row in his} == set(Route.values)
    assert (hers[0]["skill"], hers[0]["reason"]) == ("thread_refresh", "close to a thread")
    assert "SOL" in hers[0]["example"]
    assert all("\u4e00" <= row["example"][-2] <= "\u9fff" or "SOL" in row["example"] for row in hers)
    assert "SOL" not in str(his)


def test_the_routes_taken_last_change_what_is_recommended(
    alice: User, as_alice: APIClient, bob: User, as_bob: APIClient
) -> None:
    allow(alice)
    allow(bob)
    usual = _recommended(as_alice)
    assert [skill for skill, _ in usual[:3]] == ["snapshot", "thread_refresh", "risk_challenge"]
    for route in ("evidence_audit", "narrative_mapper", "evidence_audit"):
        _made(as_alice, route=route, prompt="What of Palantir?")
    session = post(as_alice, "/api/sessions", {}).json()["session_id"]
    post(as_alice, f"/api/sessions/{session}/messages", {"content": "Run a pre-execution check on Palantir."})

    lately = [(skill, "used lately") for skill in ("pre_execution", "evidence_audit", "narrative_mapper")]

    assert _recommended(as_alice)[:3] == lately
    assert {skill for skill, _ in _recommended(as_alice)} == {skill for skill, _ in usual}
    assert _recommended(as_bob) == usual


def _recommended(client: APIClient) -> list[tuple[str, str]]:
    rows = client.get("/api/skills/recommended").json()["results"]
    return [(row["skill"], row["reason"]) for row in rows]


def test_the_first_task_of_somebody_without_preferences_ends_with_the_tip(alice: User, as_alice: APIClient) -> None:
    allow_nothing(alice)
    first = _made(as_alice)
    drain()
    second = _made(as_alice)
    drain()
    assert [as_alice.get(f"{TASKS}/{task}").json()["tip"] for task in (first, second)] == ["set_preferences", None]


def test_8_5_who_withdrew_everything_hears_that_nothing_was_personal(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    _made(as_alice)
    drain()
    revoke(alice)
    later = [_made(as_alice), _made(as_alice, route="evidence_audit")]
    drain()
    assert [as_alice.get(f"{TASKS}/{task}").json()["tip"] for task in later] == ["personalization_off"] * 2
