"""What somebody states and keeps stays out of training once they took that consent back."""

from __future__ import annotations

import pytest

from consent.services import permit_for, withdraw_consent
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.personal_data import ConsentScope
from memory.models import TrainingAssetCandidate, UserContext
from memory.research.profile_context import clear_profile_fields, save_profile_context
from memory.research.types import ResearchStatement, StatementSource
from tests.support.cast import allow
from tests.support.research import checkpoint_made, refreshed, snapshot_made, thread_kept

STATED = (StatementSource("context"),)
TOLD = (ResearchStatement("You hold SOL.", None, STATED),)


def _state(user: User, focus: str = "I save for a house") -> None:
    with acting_as(user.pk):
        save_profile_context(permit_for(user), {"user_focus_reason": focus})


def _withdraw(user: User, *scopes: ConsentScope) -> None:
    with acting_as(user.pk):
        consent_id = permit_for(user).consent_id
        assert consent_id is not None
        withdraw_consent(user, consent_id, scopes, source="web")


def _is_excluded(user: User) -> list[bool]:
    with acting_as(user.pk):
        return list(UserContext.objects.values_list("training_excluded", flat=True))


def _candidates(user: User) -> list[str]:
    with acting_as(user.pk):
        return list(TrainingAssetCandidate.objects.order_by("created_at", "id").values_list("object_ref", flat=True))


def test_it_is_marked_where_only_training_is_withdrawn_and_used_as_before(alice: User, bob: User) -> None:
    for user in (alice, bob):
        allow(user)
        _state(user)

    _withdraw(alice, ConsentScope.TRAINING_USE)

    assert _is_excluded(alice) == [True]
    assert _is_excluded(bob) == [False]
    with acting_as(alice.pk):
        assert UserContext.objects.get().user_focus_reason == "I save for a house"


@pytest.mark.parametrize("scope", [ConsentScope.MEMORY_LEARNING, ConsentScope.SAVE_TO_THREAD])
def test_another_scope_withdrawn_marks_nothing(alice: User, scope: ConsentScope) -> None:
    allow(alice)
    _state(alice)
    _withdraw(alice, scope)
    assert _is_excluded(alice) == [False]


def test_switching_it_off_by_a_smaller_grant_marks_it_too(alice: User) -> None:
    allow(alice)
    _state(alice)
    allow(alice, ConsentScope.SAVE_TO_PROFILE)
    assert _is_excluded(alice) == [True]


def test_research_that_draws_on_it_is_no_candidate_even_after_a_new_grant(alice: User) -> None:
    allow(alice)
    _state(alice)
    _withdraw(alice, ConsentScope.TRAINING_USE)
    allow(alice)
    _state(alice, "I save for a boat")

    first = snapshot_made(alice, told=TOLD)
    refreshed(alice, thread_kept(alice, first), "Fees fall.", thesis_sources=STATED)
    checkpoint_made(alice, told=TOLD)
    assert _candidates(alice) == []

    plain = snapshot_made(alice)
    assert _candidates(alice) == [f"snapshot:{plain.pk}"]


def test_without_the_mark_research_that_draws_on_it_is_a_candidate(alice: User) -> None:
    allow(alice)
    _state(alice)
    made = snapshot_made(alice, told=TOLD)
    assert _candidates(alice) == [f"snapshot:{made.pk}"]


def test_the_mark_goes_with_the_last_of_the_words(alice: User) -> None:
    allow(alice)
    _state(alice)
    with acting_as(alice.pk):
        save_profile_context(permit_for(alice), {"research_depth": "deep"})
    _withdraw(alice, ConsentScope.TRAINING_USE)
    permit = allow(alice)
    with acting_as(alice.pk):
        clear_profile_fields(permit, ["research_depth"])
    assert _is_excluded(alice) == [True]
    with acting_as(alice.pk):
        clear_profile_fields(permit, [])
    assert _is_excluded(alice) == [False]
