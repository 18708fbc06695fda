"""The permit: what holds now, made by consent alone."""

from __future__ import annotations

import dataclasses

import pytest

from consent.exceptions import ConsentScopeMissing, ProfileConsentRequired
from consent.permit import Permit
from consent.services import permit_for
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.ids import new_id
from foundation.personal_data import ConsentScope
from tests.support.cast import allow


@pytest.mark.parametrize("seal", [None, object(), True, "seal"])
def test_nobody_else_can_make_one(seal: object) -> None:
    with pytest.raises(TypeError, match="permit_for alone"):
        Permit(new_id(), new_id(), 1, frozenset(ConsentScope), False, seal=seal)


@pytest.mark.django_db
def test_one_that_was_given_cannot_be_widened(alice: User) -> None:
    permit = allow(alice, ConsentScope.SAVE_TO_THREAD)

    with pytest.raises(dataclasses.FrozenInstanceError):
        permit.scopes = frozenset(ConsentScope)  # type: ignore[misc]


@pytest.mark.django_db
def test_before_any_decision_it_demands_one(alice: User) -> None:
    with acting_as(alice.pk):
        permit = permit_for(alice)

    assert (permit.version, permit.consent_id, permit.has_decided) == (0, None, False)
    with pytest.raises(ProfileConsentRequired):
        permit.require_decision()


@pytest.mark.django_db
def test_it_names_the_scope_that_is_missing(alice: User) -> None:
    permit = allow(alice, ConsentScope.SAVE_TO_THREAD)

    permit.require(ConsentScope.SAVE_TO_THREAD)
    with pytest.raises(ConsentScopeMissing) as refused:
        permit.require(ConsentScope.MEMORY_LEARNING)
    assert refused.value.details == {"required_scopes": ["memory_learning_allowed"]}


@pytest.mark.django_db
def test_read_outside_the_persons_transaction_it_allows_nothing(alice: User) -> None:
    allow(alice)

    assert permit_for(alice).scopes == frozenset()
