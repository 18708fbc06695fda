"""What somebody stated about how they work: written by them alone, under its own scope."""

from __future__ import annotations

import pytest

from consent.exceptions import ConsentOutdated, ConsentScopeMissing
from consent.services import withdraw_consent
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.exceptions import ValidationFailed
from foundation.personal_data import ConsentScope
from memory.exceptions import FinancialConfirmationRequired
from memory.models import UserContext
from memory.research import profile_context
from tests.support.cast import allow
from tests.support.talk import permit_of


def test_without_the_profile_scope_nothing_is_stated_or_read(alice: User) -> None:
    permit = allow(alice, ConsentScope.MEMORY_LEARNING)
    with acting_as(alice.pk):
        with pytest.raises(ConsentScopeMissing):
            profile_context.save_profile_context(permit, {"language_preference": "zh"})
        assert profile_context.profile_context(permit) is None


def test_naming_one_field_leaves_the_others(alice: User) -> None:
    permit = allow(alice)
    with acting_as(alice.pk):
        profile_context.save_profile_context(permit, {"language_preference": "zh"})
        context = profile_context.save_profile_context(permit, {"research_depth": "deep"})
        assert (context.language_preference, context.research_depth) == ("zh", "deep")
        assert UserContext.objects.count() == 1
        assert context.history.count() == 2


def test_an_unknown_field_is_refused(alice: User) -> None:
    permit = allow(alice)
    with acting_as(alice.pk), pytest.raises(ValidationFailed):
        profile_context.save_profile_context(permit, {"shoe_size": "43"})


@pytest.mark.parametrize("field", profile_context.FINANCIAL)
def test_financial_context_needs_its_confirmation(alice: User, field: str) -> None:
    permit = allow(alice)
    with acting_as(alice.pk):
        with pytest.raises(FinancialConfirmationRequired):
            profile_context.save_profile_context(permit, {field: "long BTC since January"})
        assert profile_context.profile_context(permit) is None
        profile_context.save_profile_context(permit, {field: "long BTC since January"}, confirm_financial=True)


def test_clearing_a_field_needs_no_confirmation(alice: User) -> None:
    permit = allow(alice)
    with acting_as(alice.pk):
        values = {"time_horizon": "ten years", "language_preference": "en"}
        profile_context.save_profile_context(permit, values, confirm_financial=True)
        context = profile_context.clear_profile_fields(permit, ["time_horizon"])
        assert context is not None
        assert (context.time_horizon, context.language_preference) == ("", "en")


def test_withdrawing_the_scope_deletes_it_with_its_history_at_once(alice: User) -> None:
    permit = allow(alice)
    with acting_as(alice.pk):
        profile_context.save_profile_context(permit, {"language_preference": "zh"})
        assert permit.consent_id is not None
        _, effects = withdraw_consent(alice, permit.consent_id, [ConsentScope.SAVE_TO_PROFILE], source="api")
        assert effects.profile_contexts_deleted == 1
        assert not UserContext.objects.exists()
        assert not UserContext.history.model.objects.exists()
        assert profile_context.profile_context(permit_of(alice)) is None


def test_under_a_consent_that_has_changed_since_nothing_is_stated(alice: User) -> None:
    stale = allow(alice)
    allow(alice, ConsentScope.SAVE_TO_THREAD)
    with acting_as(alice.pk):
        with pytest.raises(ConsentOutdated):
            profile_context.save_profile_context(stale, {"research_depth": "deep"})
        assert not UserContext.objects.exists()


def test_what_is_emptied_is_emptied_in_every_version_and_nothing_else_is(alice: User) -> None:
    permit = allow(alice)
    with acting_as(alice.pk):
        profile_context.save_profile_context(permit, {"user_focus_reason": "长期投资", "research_depth": "deep"})
        profile_context.save_profile_context(permit, {"research_depth": "quick"})
        profile_context.clear_profile_fields(permit, ["user_focus_reason"])
        versions = UserContext.history.order_by("history_id").values_list("user_focus_reason", "research_depth")
        assert list(versions) == [("", "deep"), ("", "quick"), ("", "quick")]
