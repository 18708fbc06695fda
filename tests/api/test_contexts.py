"""The stated context (M-1), and the confirmation that financial fields need (C-8)."""

from __future__ import annotations

import pytest
from rest_framework.test import APIClient

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.personal_data import ConsentScope
from memory.models import UserContext
from tests.support.api import code_of
from tests.support.cast import allow, allow_nothing

PATH = "/api/users/me/context"


def test_anothers_context_is_not_found(alice: User, as_charlie: APIClient) -> None:
    allow(alice)
    path = f"/api/users/{alice.pk}/context"
    answers = [as_charlie.get(path), as_charlie.patch(path, {"research_depth": "deep"}), as_charlie.delete(path)]
    assert [answer.status_code for answer in answers] == [404, 404, 404]


@pytest.mark.parametrize("method", ["post", "put"])
def test_it_has_no_other_methods(as_alice: APIClient, method: str) -> None:
    assert getattr(as_alice, method)(PATH).status_code == 405


@pytest.mark.parametrize(
    "body", [{"research_depth": "bottomless"}, {"mood": "good"}, {"time_horizon": "x" * 201}, {"constraints": ["a"]}]
)
def test_values_that_cannot_be_are_named(alice: User, as_alice: APIClient, body: dict[str, object]) -> None:
    allow(alice)
    answer = as_alice.patch(PATH, {**body, "confirm_financial": True})
    assert (code_of(answer), list(answer.json()["details"])) == ("validation_error", list(body))


def test_fields_are_stated_one_by_one_and_cleared(alice: User, as_alice: APIClient) -> None:
    allow(alice, ConsentScope.SAVE_TO_PROFILE)
    as_alice.patch(PATH, {"research_depth": "deep", "user_focus_reason": "长期投资"})
    stated = as_alice.patch(PATH, {"language_preference": "zh"}).json()
    assert (stated["research_depth"], stated["user_focus_reason"], stated["language_preference"]) == (
        "deep",
        "长期投资",
        "zh",
    )
    assert stated["risk_prompt_preference"] is None
    assert as_alice.patch(PATH, {"research_depth": None}).json()["research_depth"] is None
    left = as_alice.delete(f"{PATH}?field=user_focus_reason").json()
    assert (left["user_focus_reason"], left["language_preference"]) == (None, "zh")
    assert as_alice.delete(PATH).json()["language_preference"] is None
    assert code_of(as_alice.delete(f"{PATH}?field=everything")) == "validation_error"


@pytest.mark.parametrize("field", ["user_stated_position_context", "time_horizon", "constraints"])
def test_financial_fields_need_their_own_yes(alice: User, as_alice: APIClient, field: str) -> None:
    allow(alice)
    refused = as_alice.patch(PATH, {field: "ten years", "research_depth": "deep"})
    assert (refused.status_code, code_of(refused)) == (422, "financial_confirmation_required")
    assert "ten years" not in refused.content.decode()
    assert as_alice.get(PATH).json()["research_depth"] is None
    assert as_alice.patch(PATH, {field: "ten years", "confirm_financial": True}).json()[field] == "ten years"


@pytest.mark.parametrize("field", ["user_stated_position_context", "time_horizon", "constraints"])
def test_one_financial_field_is_removed_alone_and_from_every_version(
    alice: User, as_alice: APIClient, field: str
) -> None:
    allow(alice)
    stated = {"user_stated_position_context": "half in BTC", "time_horizon": "ten years", "constraints": "no options"}
    as_alice.patch(PATH, stated | {"confirm_financial": True})
    as_alice.patch(PATH, {"research_depth": "deep"})

    left = as_alice.delete(f"{PATH}?field={field}").json()

    assert {name for name in stated if left[name]} == set(stated) - {field}
    assert left["research_depth"] == "deep"
    with acting_as(alice.pk):
        assert stated[field] not in str(list(UserContext.history.values()))
        assert set(UserContext.history.values_list(field, flat=True)) == {""}


@pytest.mark.parametrize("value", ["", None])
def test_emptying_a_financial_field_needs_no_yes(alice: User, as_alice: APIClient, value: str | None) -> None:
    allow(alice)
    as_alice.patch(PATH, {"time_horizon": "ten years", "confirm_financial": True})
    assert as_alice.patch(PATH, {"time_horizon": value}).json()["time_horizon"] is None


@pytest.mark.parametrize("confirmation", ["perhaps", 2, None, [True]])
def test_a_yes_that_is_none_is_refused(alice: User, as_alice: APIClient, confirmation: object) -> None:
    allow(alice)
    answer = as_alice.patch(PATH, {"time_horizon": "ten years", "confirm_financial": confirmation})
    assert (code_of(answer), list(answer.json()["details"])) == ("validation_error", ["confirm_financial"])
    assert as_alice.get(PATH).json()["time_horizon"] is None


def test_financial_fields_need_the_scope_even_with_a_yes(alice: User, as_alice: APIClient) -> None:
    allow(alice, ConsentScope.SAVE_TO_THREAD, ConsentScope.MEMORY_LEARNING, ConsentScope.TRAINING_USE)
    refused = as_alice.patch(PATH, {"constraints": "no options", "confirm_financial": True})
    assert (refused.status_code, code_of(refused)) == (403, "consent_scope_missing")


def test_without_the_scope_nothing_is_stored_and_nothing_shown(alice: User, as_alice: APIClient) -> None:
    allow_nothing(alice)
    refused = as_alice.patch(PATH, {"research_depth": "deep"})
    assert (refused.status_code, code_of(refused)) == (403, "consent_scope_missing")
    shown = as_alice.get(PATH)
    assert shown.status_code == 200
    assert set(shown.json().values()) == {None}
