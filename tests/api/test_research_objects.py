"""Snapshots and checkpoints over the API, and keeping a snapshot as a thread (M-2, M-7, C-5, C-8)."""

from __future__ import annotations

from typing import Any

import pytest
from rest_framework.test import APIClient

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.personal_data import ConsentScope
from memory.models import Snapshot, Thread, ThreadContext
from tests.api.test_route_policy import METHODS
from tests.support.api import MISSING, code_of, post, send
from tests.support.cast import allow, allow_nothing
from tests.support.research import checkpoint_made, snapshot_made


@pytest.fixture
def snapshot(alice: User) -> Snapshot:
    allow(alice)
    return snapshot_made(alice)


@pytest.fixture
def path(snapshot: Snapshot) -> str:
    return f"/api/snapshots/{snapshot.pk}/save-as-thread"


def _body(client: APIClient, **more: object) -> dict[str, Any]:
    """A thread as it is asked for, under the consent that is shown."""
    consent = client.get("/api/users/me/profile-consent").json()
    return {
        "title": "Is SOL worth it?", "save_user_context": False, "consent_ack": {"consent_id": consent["consent_id"]},
    } | more  # fmt: skip


def _kept(user: User) -> tuple[int, int]:
    """How many threads and stated contexts there are."""
    with acting_as(user.pk):
        return Thread.objects.count(), ThreadContext.objects.count()


def test_nobody_reads_or_keeps_anothers(
    alice: User, bob: User, charlie: User, as_alice: APIClient, as_bob: APIClient, as_charlie: APIClient,
    snapshot: Snapshot,
) -> None:  # fmt: skip
    checkpoint = f"/api/checkpoints/{checkpoint_made(alice).pk}"
    own = f"/api/snapshots/{snapshot.pk}"
    for outsider, person in ((as_bob, bob), (as_charlie, charlie)):
        allow(person)
        answers = [
            outsider.get(own),
            outsider.get(checkpoint),
            post(outsider, f"{own}/save-as-thread", _body(outsider)),
            outsider.get(f"/api/snapshots/{MISSING}"),
            outsider.get(f"/api/checkpoints/{snapshot.pk}"),
        ]
        assert [(answer.status_code, code_of(answer)) for answer in answers] == [(404, "not_found")] * 5
        mine = f"/api/snapshots/{snapshot_made(person).pk}/save-as-thread"
        assert code_of(post(outsider, mine, _body(as_alice))) == "consent_outdated"  # a consent of alice's
        assert _kept(person) == (0, 0)
    assert [as_alice.get(one).status_code for one in (own, checkpoint)] == [200, 200]


@pytest.mark.parametrize(
    ("tail", "allowed"),
    [("snapshots/{}", "GET"), ("checkpoints/{}", "GET"), ("snapshots/{}/save-as-thread", "POST")],
)
def test_other_methods_are_refused(as_alice: APIClient, tail: str, allowed: str) -> None:
    path = f"/api/{tail.format(MISSING)}"
    answers = [send(as_alice, method, path, b"") for method in METHODS if method != allowed]
    assert [(answer.status_code, code_of(answer)) for answer in answers] == [(405, "method_not_allowed")] * 4


def test_a_snapshot_shows_what_it_stands_on(as_alice: APIClient, snapshot: Snapshot) -> None:
    shown = as_alice.get(f"/api/snapshots/{snapshot.pk}").json()
    assert set(shown) == {
        "snapshot_id", "task_id", "thread_id", "open_threads", "cognition_object", "main_thesis", "evidence",
        "counter_thesis", "invalidators", "told", "watch_questions", "data_quality_note", "model_id", "as_of",
        "created_at",
    }  # fmt: skip
    assert shown["cognition_object"] == {"kind": "asset", "name": "SOL", "id": "asset:SOL", "alias": ""}
    assert shown["evidence"] == [{"text": "Fees doubled in May.", "dated_at": None, "sources": []}]
    assert (shown["main_thesis"], shown["watch_questions"]) == ("Demand for SOL grows.", ["Do fees hold?"])


def test_a_checkpoint_shows_what_to_weigh(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    shown = as_alice.get(f"/api/checkpoints/{checkpoint_made(alice).pk}").json()
    assert set(shown) == {
        "checkpoint_id", "task_id", "thread_id", "decision", "conditions", "risks", "invalidators", "told",
        "data_quality_note", "model_id", "as_of", "created_at",
    }  # fmt: skip
    assert shown["decision"] == "Whether to buy more."
    assert [one["text"] for one in shown["conditions"]] == ["Fees hold."]


def test_a_kept_snapshot_is_a_thread_once_under_a_key(
    alice: User, as_alice: APIClient, snapshot: Snapshot, path: str
) -> None:
    body = _body(as_alice, save_user_context=True, user_focus_reason="Fees")
    first, again = (post(as_alice, path, body, key="k") for _ in range(2))
    assert (first.status_code, first.json()) == (again.status_code, again.json())
    thread = first.json()
    assert (first.status_code, thread["title"], thread["state"]) == (201, "Is SOL worth it?", "open")
    assert thread == as_alice.get(f"/api/threads/{thread['thread_id']}").json()
    assert thread["current_thesis"] == "Demand for SOL grows."
    assert [one["question"] for one in thread["watch_questions"]] == ["Do fees hold?"]
    assert as_alice.get(f"/api/snapshots/{snapshot.pk}").json()["thread_id"] == thread["thread_id"]
    assert _kept(alice) == (1, 1)
    other = post(as_alice, path, body | {"title": "Another"}, key="k")
    assert (other.status_code, code_of(other)) == (409, "idempotency_conflict")
    assert code_of(post(as_alice, path, body)) == "validation_error"  # it belongs to a thread already


@pytest.mark.parametrize(("note", "is_chinese"), [("由您自己的话整理而成。", True), ("Made of your own words.", False)])
def test_conditions_that_nobody_chose_follow_from_what_it_is_about_in_the_snapshots_language(
    alice: User, as_alice: APIClient, note: str, is_chinese: bool
) -> None:
    allow(alice)
    path = f"/api/snapshots/{snapshot_made(alice, data_quality_note=note).pk}/save-as-thread"
    conditions = post(as_alice, path, _body(as_alice)).json()["refresh_conditions"]
    assert any("SOL" in one for one in conditions)
    assert all(any("\u4e00" <= letter <= "\u9fff" for letter in one) is is_chinese for one in conditions)
    chosen = f"/api/snapshots/{snapshot_made(alice).pk}/save-as-thread"
    assert post(as_alice, chosen, _body(as_alice, refresh_conditions=[])).json()["refresh_conditions"] == []


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ({"title": ""}, "title"),
        ({"title": "x" * 201}, "title"),
        ({"save_user_context": "perhaps"}, "save_user_context"),
        ({"consent_ack": "yes"}, "consent_ack"),
        ({"consent_ack": {}}, "consent_ack"),
        ({"consent_ack": {"consent_id": "mine"}}, "consent_ack"),
        ({"user_focus_reason": "x" * 501}, "user_focus_reason"),
        ({"confirm_financial": "perhaps"}, "confirm_financial"),
        ({"refresh_conditions": ["x" * 301]}, "refresh_conditions"),
        ({"time_horizon": "A year"}, "time_horizon"),
    ],
)
def test_a_malformed_thread_names_its_field(
    alice: User, as_alice: APIClient, path: str, more: dict[str, object], field: str
) -> None:
    answer = post(as_alice, path, _body(as_alice) | more)
    assert (answer.status_code, code_of(answer), list(answer.json()["details"])) == (400, "validation_error", [field])
    assert _kept(alice) == (0, 0)


@pytest.mark.parametrize("missing", ["title", "save_user_context", "consent_ack"])
def test_what_must_be_said_is_asked_for(as_alice: APIClient, path: str, missing: str) -> None:
    body = _body(as_alice)
    del body[missing]
    assert list(post(as_alice, path, body).json()["details"]) == [missing]


def test_another_consent_than_the_one_in_force_is_outdated(alice: User, as_alice: APIClient, path: str) -> None:
    answer = post(as_alice, path, _body(as_alice, consent_ack={"consent_id": MISSING}))
    assert (answer.status_code, code_of(answer)) == (409, "consent_outdated")
    assert _kept(alice) == (0, 0)


def test_after_a_revocation_no_thread_begins_until_consent_is_given_again(
    alice: User, as_alice: APIClient, path: str
) -> None:
    body = _body(as_alice)
    consent = body["consent_ack"]["consent_id"]
    assert as_alice.delete(f"/api/users/me/profile-consent/{consent}").status_code == 200
    answer = post(as_alice, path, body)
    assert (answer.status_code, code_of(answer)) == (403, "profile_consent_required")
    allow_nothing(alice)
    assert code_of(post(as_alice, path, body)) == "consent_outdated"  # the new grant is another
    assert post(as_alice, path, _body(as_alice)).status_code == 201


def test_a_context_is_kept_only_with_its_scope(alice: User, as_alice: APIClient, path: str) -> None:
    allow(alice, ConsentScope.SAVE_TO_PROFILE)
    answer = post(as_alice, path, _body(as_alice, save_user_context=True, user_focus_reason="Fees"))
    assert (answer.status_code, code_of(answer)) == (403, "consent_scope_missing")
    assert answer.json()["details"] == {"required_scopes": ["save_to_thread"]}
    assert _kept(alice) == (0, 0)
    assert post(as_alice, path, _body(as_alice, user_focus_reason="Fees")).status_code == 201
    assert _kept(alice) == (1, 0)


def test_a_position_is_kept_only_with_a_word_for_it(alice: User, as_alice: APIClient, path: str) -> None:
    body = _body(as_alice, save_user_context=True, user_stated_position_context="Long since March")
    answer = post(as_alice, path, body)
    assert (answer.status_code, code_of(answer)) == (422, "financial_confirmation_required")
    assert answer.json()["details"] == {"fields": ["user_stated_position_context"]}
    assert _kept(alice) == (0, 0)
    assert post(as_alice, path, body | {"confirm_financial": True}).status_code == 201
    assert _kept(alice) == (1, 1)


@pytest.mark.parametrize("field", ["title", "user_focus_reason", "research_style"])
def test_an_address_is_refused_wherever_a_few_words_are_asked_for(
    alice: User, as_alice: APIClient, path: str, field: str
) -> None:
    answer = post(as_alice, path, _body(as_alice, save_user_context=True) | {field: "Ask amy@example.com"})
    assert (answer.status_code, code_of(answer), answer.json()["details"]["field"]) == (422, "sensitive_input", field)
    assert "amy@example.com" not in answer.content.decode()
    assert _kept(alice) == (0, 0)
