"""What is stated for a thread: appended, used while its scope holds, blocked with it for good (M-3, C-5, C-6, C-8)."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from consent.exceptions import ConsentOutdated, ConsentScopeMissing
from consent.sensitive.exceptions import SensitiveInput
from consent.services import permit_for, withdraw_consent
from consent.types import WithdrawalEffects
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.exceptions import ValidationFailed
from foundation.personal_data import ConsentScope
from memory.exceptions import FinancialConfirmationRequired
from memory.models import Thread, ThreadContext, UserContext
from memory.research import contexts, task_lifecycle
from memory.research.contexts import add_thread_context, effective_thread_context
from memory.research.profile_context import FINANCIAL
from tests.support.cast import A_MONDAY, allow, allow_nothing
from tests.support.research import asked, begun, refreshed, thread_kept

SAID = st.dictionaries(
    st.sampled_from(["user_focus_reason", "research_style"]), st.sampled_from(["", "Fees", "Yield", "风险"])
)


def _state(user: User, thread: Thread, **values: str) -> None:
    with acting_as(user.pk):
        add_thread_context(permit_for(user), thread, values, confirm_financial=True)


def _effective(user: User, thread: Thread) -> dict[str, str]:
    with acting_as(user.pk):
        return dict(effective_thread_context(permit_for(user), thread))


def _all(user: User, thread: Thread) -> list[ThreadContext]:
    with acting_as(user.pk):
        return list(contexts.contexts_of_thread(permit_for(user), thread))


def _withdraw(user: User, *scopes: ConsentScope) -> WithdrawalEffects:
    with acting_as(user.pk):
        consent_id = permit_for(user).consent_id
        assert consent_id is not None
        return withdraw_consent(user, consent_id, scopes, source="web")[1]


@given(said=st.lists(SAID, max_size=5))
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_latest_word_on_each_field_counts_and_the_earlier_ones_stay(
    alice: User, said: list[dict[str, str]]
) -> None:
    allow(alice)
    thread = thread_kept(alice)
    for values in said:
        _state(alice, thread, **values)

    stated = [{name: value for name, value in values.items() if value} for values in said]
    kept = [contexts.fields_of(context) for context in _all(alice, thread)]
    assert kept == [values for values in stated if values]
    assert _effective(alice, thread) == {name: value for values in stated for name, value in values.items()}


def test_what_a_refresh_brings_is_appended_and_overwrites_nothing(alice: User) -> None:
    permit = allow(alice)
    thread = thread_kept(alice, save_user_context=True, fields={"user_focus_reason": "Fees"})
    first = _all(alice, thread)[0]
    with acting_as(alice.pk):
        task_lifecycle.request_refresh(permit, alice, thread, {"user_focus_reason": "Validators"})

    assert [context.user_focus_reason for context in _all(alice, thread)] == ["Fees", "Validators"]
    assert _all(alice, thread)[0].created_at == first.created_at
    with acting_as(alice.pk):
        assert not UserContext.objects.exists()  # nothing leads from a thread to the profile


@pytest.mark.parametrize("runs", [False, True])
def test_what_came_with_a_refresh_that_its_person_cancels_is_taken_back(alice: User, runs: bool) -> None:
    permit = allow(alice)
    thread = thread_kept(alice, save_user_context=True, fields={"user_focus_reason": "Fees"})
    with acting_as(alice.pk):
        task = task_lifecycle.request_refresh(permit, alice, thread, {"user_focus_reason": "Validators"})
    running = begun(task)[1] if runs else None
    with acting_as(alice.pk):
        task_lifecycle.request_cancel(permit, task.pk)
        if running:
            task_lifecycle.cancel_now(permit, running)

    assert [context.user_focus_reason for context in _all(alice, thread)] == ["Fees"]


def test_without_the_scope_it_holds_for_the_one_task(alice: User) -> None:
    permit = allow_nothing(alice)
    thread = thread_kept(alice)
    with acting_as(alice.pk):
        task = task_lifecycle.request_refresh(permit, alice, thread, {"constraints": "No debt"}, said="Fees fell.")
        with pytest.raises(ConsentScopeMissing):
            add_thread_context(permit, thread, {"research_style": "Numbers"})

    assert (task.prompt, task.overrides, _all(alice, thread)) == ("Fees fell.", {"constraints": "No debt"}, [])


@pytest.mark.parametrize("field", FINANCIAL)
def test_money_is_kept_for_a_thread_only_when_that_is_confirmed(alice: User, field: str) -> None:
    permit = allow(alice)
    thread = thread_kept(alice)
    with pytest.raises(FinancialConfirmationRequired), acting_as(alice.pk):
        task_lifecycle.request_refresh(permit, alice, thread, {field: "2 % in SOL"})
    with acting_as(alice.pk):
        assert task_lifecycle.tasks_of(permit).count() == 1  # that of the snapshot
        assert asked(alice, overrides={field: "2 % in SOL"}).overrides
        add_thread_context(permit, thread, {field: "2 % in SOL"}, confirm_financial=True)

    assert _effective(alice, thread) == {field: "2 % in SOL"}


def test_what_cannot_be_kept_is_refused_and_nothing_of_it_stored(alice: User) -> None:
    permit = allow(alice)
    thread = thread_kept(alice)
    refused = {ValidationFailed: {"shoe_size": "43"}, SensitiveInput: {"research_style": "Card 4111 1111 1111 1111"}}
    for error, values in refused.items():
        with pytest.raises(error), acting_as(alice.pk):
            add_thread_context(permit, thread, values)
    allow_nothing(alice)
    with pytest.raises(ConsentOutdated), acting_as(alice.pk):
        add_thread_context(permit, thread, {"research_style": "Numbers"})
    assert _all(alice, thread) == []


def test_a_withdrawal_blocks_them_at_once_and_no_grant_brings_them_back(alice: User, bob: User) -> None:
    for user in (alice, bob):
        allow(user)
    bobs = thread_kept(bob, save_user_context=True, fields={"user_focus_reason": "Yield"})
    with time_machine.travel(A_MONDAY, tick=False) as clock:
        thread = thread_kept(alice, save_user_context=True, fields={"user_focus_reason": "Fees"})
        _state(alice, thread, research_style="Numbers")
        clock.shift(timedelta(days=30))
        effects = _withdraw(alice, ConsentScope.SAVE_TO_THREAD)

        assert effects.thread_contexts_blocked == 2
        assert [context.consent_blocked for context in _all(alice, thread)] == [True, True]  # and readable
        assert _effective(alice, thread) == {}
        clock.shift(timedelta(days=1))
        allow(alice)
        assert _effective(alice, thread) == {}
        _state(alice, thread, constraints="No debt")
        assert _effective(alice, thread) == {"constraints": "No debt"}

    assert _effective(bob, bobs) == {"user_focus_reason": "Yield"}


def test_a_withdrawal_that_is_undone_leaves_nothing_half_blocked(alice: User) -> None:
    allow(alice)
    thread = thread_kept(alice, save_user_context=True, fields={"user_focus_reason": "Fees"})
    with transaction.atomic():
        _withdraw(alice)
        assert _effective(alice, thread) == {}
        transaction.set_rollback(True)

    assert [context.consent_blocked for context in _all(alice, thread)] == [False]
    assert _effective(alice, thread) == {"user_focus_reason": "Fees"}


def test_what_was_stated_before_the_scope_was_granted_anew_is_not_used_even_unblocked(alice: User) -> None:
    allow(alice)
    thread = thread_kept(alice, save_user_context=True, fields={"user_focus_reason": "Fees"})
    _withdraw(alice, ConsentScope.SAVE_TO_THREAD)
    with acting_as(alice.pk):
        ThreadContext.objects.update(consent_blocked=False)
    allow(alice)

    assert _effective(alice, thread) == {}


def test_forgetting_a_threads_preferences_blocks_what_was_stated_so_far(alice: User) -> None:
    permit = allow(alice)
    thread = thread_kept(alice, save_user_context=True, fields={"user_focus_reason": "Fees"})
    other = thread_kept(alice, save_user_context=True, fields={"user_focus_reason": "Yield"})
    with acting_as(alice.pk):
        assert contexts.block_thread_contexts(permit, thread) == 1
        assert contexts.block_thread_contexts(permit, thread) == 0
    refreshed(alice, thread, "Fees fall.")

    assert (_effective(alice, thread), _effective(alice, other)) == ({}, {"user_focus_reason": "Yield"})
