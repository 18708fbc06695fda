"""Granting, reading and withdrawing consent."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from rest_framework.test import APIClient

from consent.services import permit_for
from foundation.accounts.models import User
from foundation.accounts.notices import NOTICE_VERSION
from foundation.database.acting_user import acting_as
from foundation.outbox.models import OutboxMessage
from foundation.personal_data import ConsentScope
from memory.models import UserContext
from tests.support.api import MISSING, code_of, post
from tests.support.cast import allow
from tests.support.onboarding import counted_steps

PATH = "/api/users/me/profile-consent"


def _scopes(*allowed: ConsentScope) -> dict[str, Any]:
    return {scope.value: scope in allowed for scope in ConsentScope} | {"acknowledged_notice": NOTICE_VERSION}


def test_anothers_consent_is_not_found(alice: User, as_charlie: APIClient) -> None:
    permit = allow(alice)
    path = f"/api/users/{alice.pk}/profile-consent"
    assert as_charlie.get(path).status_code == 404
    assert as_charlie.get(f"{path}/history").status_code == 404
    assert post(as_charlie, path, _scopes()).status_code == 404
    assert as_charlie.delete(f"{path}/{permit.consent_id}").status_code == 404
    assert as_charlie.delete(f"{PATH}/{permit.consent_id}").status_code == 404


@pytest.mark.parametrize("method", ["put", "patch", "delete"])
def test_the_record_has_no_other_methods(as_alice: APIClient, method: str) -> None:
    assert getattr(as_alice, method)(PATH).status_code == 405


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"save_to_profile": True},
        {**_scopes(), "save_to_thread": "perhaps"},
        {**_scopes(), "save_everything": True},
        {**_scopes(), "preferences": {"language_preference": "fr"}},
        {**_scopes(), "preferences": {"constraints": "none"}},
        [],
        None,
    ],
)
def test_every_scope_must_be_decided_and_nothing_else(as_alice: APIClient, body: Any) -> None:
    assert code_of(post(as_alice, PATH, body)) == "validation_error"


def test_never_having_decided_is_not_found(as_alice: APIClient) -> None:
    assert as_alice.get(PATH).status_code == 404


def test_own_id_and_me_are_the_same_person(alice: User, as_alice: APIClient) -> None:
    granted = post(as_alice, f"/api/users/{alice.pk}/profile-consent", _scopes(ConsentScope.SAVE_TO_PROFILE))
    assert granted.status_code == 201
    assert as_alice.get(PATH).json() == granted.json()
    assert granted.json()["source"] == "api"


def test_preferences_are_stored_with_the_consent_that_allows_them(alice: User, as_alice: APIClient) -> None:
    body = {
        **_scopes(ConsentScope.SAVE_TO_PROFILE),
        "preferences": {"language_preference": "zh", "research_depth": "deep"},
    }
    assert post(as_alice, PATH, body).status_code == 201
    assert as_alice.get("/api/users/me/context").json()["language_preference"] == "zh"


def test_preferences_without_their_scope_refuse_the_whole_grant(alice: User, as_alice: APIClient) -> None:
    body = {**_scopes(ConsentScope.MEMORY_LEARNING), "preferences": {"research_depth": "deep"}}
    answer = post(as_alice, PATH, body)
    assert (answer.status_code, code_of(answer)) == (403, "consent_scope_missing")
    assert answer.json()["details"] == {"required_scopes": ["save_to_profile"]}
    with acting_as(alice.pk):
        assert not permit_for(alice).has_decided
        assert not UserContext.objects.exists()


def test_each_change_is_a_version_and_the_history_keeps_them(as_alice: APIClient) -> None:
    post(as_alice, PATH, _scopes())
    post(as_alice, PATH, _scopes(ConsentScope.SAVE_TO_THREAD))
    current = as_alice.get(PATH).json()
    assert (current["version"], current["save_to_thread"]) == (2, True)
    history = as_alice.get(f"{PATH}/history").json()["results"]
    assert [(row["version"], row["save_to_thread"]) for row in history] == [(2, True), (1, False)]
    assert {row["consent_id"] for row in history} == {current["consent_id"]}


def test_withdrawing_one_scope_leaves_the_others(alice: User, as_alice: APIClient) -> None:
    permit = allow(alice)
    answer = as_alice.delete(f"{PATH}/{permit.consent_id}?scope=save_to_thread&scope=memory_learning_allowed")
    consent, effects = answer.json()["consent"], answer.json()["effects"]
    assert answer.status_code == 200
    assert [scope.value for scope in ConsentScope if consent[scope.value]] == [
        "save_to_profile",
        "training_use_allowed",
    ]
    assert consent["revoked_at"] is None
    assert effects["purge_due_at"] is not None


def test_withdrawing_everything_revokes_and_deletes_what_was_stated(alice: User, as_alice: APIClient) -> None:
    permit = allow(alice)
    as_alice.patch("/api/users/me/context", {"research_depth": "deep"})
    answer = as_alice.delete(f"{PATH}/{permit.consent_id}")
    assert answer.json()["consent"]["revoked_at"] is not None
    assert answer.json()["effects"]["profile_contexts_deleted"] == 1
    again = as_alice.delete(f"{PATH}/{permit.consent_id}")
    assert (again.status_code, code_of(again)) == (409, "consent_outdated")


def test_the_effects_are_what_was_really_done_and_the_same_when_asked_again(alice: User, as_alice: APIClient) -> None:
    permit = allow(alice)
    as_alice.patch("/api/users/me/context", {"research_depth": "deep"})
    for text in ("I follow BTC", "I live in Bonn"):
        post(as_alice, "/api/memories", {"text": text, "infer": True})
    path = f"{PATH}/{permit.consent_id}"
    answers = [as_alice.delete(path, headers={"Idempotency-Key": "k"}).json() for _ in range(2)]

    assert answers[0] == answers[1]
    effects = answers[0]["effects"]
    due = datetime.fromisoformat(effects.pop("purge_due_at"))
    revoked = datetime.fromisoformat(answers[0]["consent"]["revoked_at"])
    assert due - revoked == timedelta(hours=48)
    assert effects == {
        "profile_contexts_deleted": 1, "thread_contexts_blocked": 0, "training_candidates_revoked": 0,
        "queued_work_cancelled": 2,
    }  # fmt: skip
    with acting_as(alice.pk):
        assert not UserContext.objects.exists()
        states = OutboxMessage.objects.filter(scope=ConsentScope.MEMORY_LEARNING.value).values_list("state", flat=True)
        assert list(states) == ["cancelled", "cancelled"]


def test_a_scope_that_is_none_cannot_be_withdrawn(alice: User, as_alice: APIClient) -> None:
    permit = allow(alice)
    answer = as_alice.delete(f"{PATH}/{permit.consent_id}?scope=everything")
    assert code_of(answer) == "validation_error"
    misspelt = as_alice.delete(f"{PATH}/{permit.consent_id}?scopes=save_to_thread")
    assert code_of(misspelt) == "validation_error"
    assert as_alice.get(PATH).json()["version"] == 1
    assert as_alice.delete(f"{PATH}/{MISSING}").status_code == 404


@pytest.mark.parametrize("notice", [None, NOTICE_VERSION + 1, -1, "read"])
def test_a_first_decision_needs_the_notice_acknowledged_as_it_reads_now(
    alice: User, as_alice: APIClient, notice: object
) -> None:
    body = _scopes() | {"acknowledged_notice": notice}
    if notice is None:
        del body["acknowledged_notice"]
    answer = post(as_alice, PATH, body)
    assert (code_of(answer), list(answer.json()["details"])) == ("validation_error", ["acknowledged_notice"])
    assert as_alice.get(PATH).status_code == 404
    assert as_alice.get("/api/users/me").json()["onboarding"]["missing"] == ["acknowledgement", "profile_consent"]


def test_the_notice_is_read_acknowledged_once_and_asked_for_no_more(alice: User, as_alice: APIClient) -> None:
    notice = as_alice.get("/api/users/me").json()["notice"]
    assert (notice["version"], notice["acknowledged_at"]) == (NOTICE_VERSION, None)
    assert "investment advice" in " ".join(notice["sentences"])
    body = _scopes(ConsentScope.SAVE_TO_PROFILE)
    assert post(as_alice, PATH, body | {"acknowledged_notice": notice["version"]}).status_code == 201
    del body["acknowledged_notice"]
    assert post(as_alice, PATH, body | {"save_to_thread": True}).status_code == 201
    assert as_alice.get("/api/users/me").json()["notice"]["acknowledged_at"] is not None


def test_the_same_grant_again_makes_no_version(alice: User, as_alice: APIClient) -> None:
    answers = [post(as_alice, PATH, _scopes(ConsentScope.SAVE_TO_PROFILE)) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [201, 201]
    assert answers[0].json() == answers[1].json()
    assert len(as_alice.get(f"{PATH}/history").json()["results"]) == 1


PREFERENCES = {"language_preference": "zh", "user_focus_reason": "A pension in 2040"}


@pytest.mark.parametrize(
    ("preferences", "steps"),
    [
        ({}, {"acknowledgement", "consent"}),
        ({"preferences": PREFERENCES}, {"acknowledgement", "consent", "preferences", "focus_reason"}),
    ],
)
def test_each_step_of_a_first_decision_is_counted_once(
    as_alice: APIClient, django_capture_on_commit_callbacks: Any, preferences: dict[str, Any], steps: set[str]
) -> None:
    before = counted_steps()
    with django_capture_on_commit_callbacks(execute=True):
        for scopes in ((ConsentScope.SAVE_TO_PROFILE,), tuple(ConsentScope)):  # the second decision is none of these
            assert post(as_alice, PATH, _scopes(*scopes) | preferences).status_code == 201
    assert {
        step: count - before[step] for step, count in counted_steps().items() if count > before[step]
    } == dict.fromkeys(steps, 1)


def test_a_refused_decision_counts_no_step(as_alice: APIClient, django_capture_on_commit_callbacks: Any) -> None:
    before = counted_steps()
    ordered = {"preferences": {"user_focus_reason": "Buy 100 NVDA for me right now"}}
    with django_capture_on_commit_callbacks(execute=True):
        assert code_of(post(as_alice, PATH, _scopes() | {"preferences": PREFERENCES})) == "consent_scope_missing"
        answer = post(as_alice, PATH, _scopes(ConsentScope.SAVE_TO_PROFILE) | ordered)
    assert code_of(answer) == "boundary_refused"
    assert as_alice.get(PATH).status_code == 404
    assert counted_steps() == before
