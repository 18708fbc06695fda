"""Seed A §5.1, row by row: what makes a context, a consent or a drift row be written, through the API (M-3)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from rest_framework.test import APIClient

from drift.models import DriftSignal
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.tasks import drain
from memory.models import TaskContext, ThreadContext, UserContext
from tests.support.api import post
from tests.support.cast import allow
from tests.support.research import snapshot_made
from tests.support.talk import permit_of

EVERYTHING = dict.fromkeys(
    ("save_to_thread", "save_to_profile", "training_use_allowed", "memory_learning_allowed"), True
)
TASK = {"route": "snapshot", "prompt": "What speaks for SOL?"}


def _rows(user: User, model: Any) -> list[Any]:
    with acting_as(user.pk):
        return list(model.objects.order_by("created_at"))


def _kept(user: User, client: APIClient) -> str:
    """A snapshot kept as a thread with its context; answers the thread's address."""
    allow(user)
    snapshot = snapshot_made(user)
    body = {
        "title": "SOL",
        "save_user_context": True,
        "consent_ack": {"consent_id": str(permit_of(user).consent_id)},
        "user_focus_reason": "I follow fees.",
        "research_style": "Numbers first.",
    }
    answer = post(client, f"/api/snapshots/{snapshot.pk}/save-as-thread", body)
    assert answer.status_code == 201, answer.json()
    return f"/api/threads/{answer.json()['thread_id']}"


def test_5_1_onboarding_writes_the_consent_and_the_profile_context(alice: User, as_alice: APIClient) -> None:
    preferences = {"language_preference": "zh", "research_depth": "deep"}
    answer = post(
        as_alice, "/api/users/me/profile-consent", EVERYTHING | {"preferences": preferences, "acknowledged_notice": 1}
    )

    (context,) = _rows(alice, UserContext)
    assert (answer.status_code, context.research_depth) == (201, "deep")


def test_5_1_save_as_thread_writes_a_thread_context_and_no_profile(alice: User, as_alice: APIClient) -> None:
    _kept(alice, as_alice)

    (context,) = _rows(alice, ThreadContext)
    assert (context.user_focus_reason, context.research_style) == ("I follow fees.", "Numbers first.")
    assert not _rows(alice, UserContext)


def test_5_1_refresh_appends_a_thread_context_and_overwrites_none(alice: User, as_alice: APIClient) -> None:
    thread = _kept(alice, as_alice)
    post(as_alice, f"{thread}/refresh", {"user_supplied_context": {"research_style": "Charts first."}})

    assert [one.research_style for one in _rows(alice, ThreadContext)] == ["Numbers first.", "Charts first."]


def test_5_1_an_explicit_review_writes_the_profile_context(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    as_alice.patch("/api/users/me/context", {"research_depth": "quick"}, format="json")

    (context,) = _rows(alice, UserContext)
    assert context.research_depth == "quick"


def test_5_1_feedback_that_turns_round_writes_drift_and_never_the_profile(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    ref = f"snapshot:{snapshot_made(alice).pk}"
    for rating in ("agree", "disagree"):
        post(as_alice, "/api/feedback", {"related_object_ref": ref, "rating": rating})

    assert [one.signal_kind for one in _rows(alice, DriftSignal)] == ["grade_reversal"]
    assert not _rows(alice, UserContext)


@pytest.mark.parametrize("ended_by", ["worker", "cancel"])
def test_5_1_the_end_of_every_task_writes_its_context_for_24_hours(
    alice: User, as_alice: APIClient, ended_by: str
) -> None:
    allow(alice)
    task = post(as_alice, "/api/tasks", TASK | {"user_context_overrides": {"research_depth": "deep"}}).json()
    if ended_by == "worker":
        drain()
    else:
        post(as_alice, f"/api/tasks/{task['task_id']}/cancel")

    (context,) = _rows(alice, TaskContext)
    assert context.research_depth == "deep"
    assert timedelta(hours=23) < context.expires_at - context.created_at <= timedelta(hours=24, seconds=5)
