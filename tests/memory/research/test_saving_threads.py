"""A snapshot is kept as a thread, under a consent in force, with no context but what was allowed (M-3, C-5, C-8)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
import time_machine

from consent.exceptions import ConsentOutdated, ConsentScopeMissing, ProfileConsentRequired
from consent.sensitive.exceptions import SensitiveInput
from consent.services import permit_for, withdraw_consent
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.exceptions import FinClawError, NotFound, ValidationFailed
from foundation.ids import new_id
from foundation.personal_data import ConsentScope
from memory.exceptions import FinancialConfirmationRequired
from memory.models import Snapshot, Thread, ThreadContext, UserContext
from memory.research import threads
from memory.research.contexts import contexts_of_thread, fields_of
from memory.research.profile_context import FINANCIAL
from memory.research.types import ThreadDraft
from memory.research.watch_questions import questions_of
from tests.support.cast import A_MONDAY, allow, allow_nothing
from tests.support.research import reread, snapshot_made, thread_kept


def _revoke(user: User) -> None:
    with acting_as(user.pk):
        consent_id = permit_for(user).consent_id
        assert consent_id is not None
        withdraw_consent(user, consent_id, source="web")


def test_the_thread_holds_the_snapshots_thesis_and_asks_its_questions(alice: User) -> None:
    permit = allow(alice)
    snapshot = snapshot_made(alice, watch_questions=("Do fees hold?", "Who leaves?", "do fees hold? "))
    thread = thread_kept(alice, snapshot, title=" Is SOL worth it? ", refresh_conditions=("A fork", " "))

    assert (thread.title, thread.object_kind, thread.object_name) == ("Is SOL worth it?", "asset", "SOL")
    assert (thread.current_thesis, thread.refresh_conditions) == ("Demand for SOL grows.", ["A fork"])
    assert reread(alice, snapshot).thread_id == thread.pk
    with acting_as(alice.pk):
        questions = list(questions_of(permit, thread))
        assert not ThreadContext.objects.exists()
    assert [question.question for question in questions] == ["Do fees hold?", "Who leaves?"]
    assert [update["state"] for question in questions for update in question.updates] == ["open", "open"]


def test_a_context_is_kept_where_it_is_wanted_and_allowed(alice: User) -> None:
    permit = allow(alice, ConsentScope.SAVE_TO_THREAD)
    said = {"user_focus_reason": "Fees", "research_style": "Numbers", "user_stated_position_context": "2 %"}
    thread = thread_kept(alice, save_user_context=True, fields=said, confirm_financial=True)

    with acting_as(alice.pk):
        assert [fields_of(one) for one in contexts_of_thread(permit, thread)] == [said]
        assert not UserContext.objects.exists()


def test_what_was_not_to_be_saved_is_not(alice: User) -> None:
    allow(alice)
    thread_kept(alice, fields={"user_stated_position_context": "2 % in SOL"})
    with acting_as(alice.pk):
        assert not ThreadContext.objects.exists()


def test_a_grant_with_the_scope_off_allows_a_thread_without_context(alice: User) -> None:
    allow_nothing(alice)
    thread_kept(alice)
    with pytest.raises(ConsentScopeMissing):
        thread_kept(alice, save_user_context=True, fields={"research_style": "Numbers"})


@pytest.mark.parametrize("field", FINANCIAL)
def test_money_needs_a_word_of_its_own(alice: User, field: str) -> None:
    allow(alice)
    snapshot = snapshot_made(alice)
    with pytest.raises(FinancialConfirmationRequired):
        thread_kept(alice, snapshot, save_user_context=True, fields={field: "2 % in SOL"})

    assert reread(alice, snapshot).thread_id is None
    with acting_as(alice.pk):
        assert not Thread.objects.exists()


def test_after_a_revocation_no_thread_begins_until_consent_is_given_anew(alice: User) -> None:
    allow(alice)
    with time_machine.travel(A_MONDAY, tick=False) as clock:
        kept = thread_kept(alice, save_user_context=True, fields={"user_focus_reason": "Fees"})
        snapshot = snapshot_made(alice)
        clock.shift(timedelta(days=3))
        _revoke(alice)
        later = snapshot_made(alice)  # tasks go on
        with pytest.raises(ProfileConsentRequired):
            thread_kept(alice, snapshot)
        clock.shift(timedelta(days=3))
        allow(alice)
        thread_kept(alice, later)

    with acting_as(alice.pk):
        permit = permit_for(alice)
        assert threads.threads_of(permit).count() == 2
        assert [one.consent_blocked for one in contexts_of_thread(permit, kept)] == [True]


def test_who_never_decided_has_nothing_to_save(alice: User) -> None:
    with acting_as(alice.pk):
        permit = permit_for(alice)
        with pytest.raises(ProfileConsentRequired):
            threads.save_as_thread(permit, alice, Snapshot(), ThreadDraft("SOL"), new_id())


def test_another_consent_than_the_one_in_force_saves_nothing(alice: User) -> None:
    first = allow(alice)
    snapshot = snapshot_made(alice)
    _revoke(alice)
    permit = allow(alice)
    assert first.consent_id is not None
    for shown in (first.consent_id, new_id()):
        with pytest.raises(ConsentOutdated), acting_as(alice.pk):
            threads.save_as_thread(permit, alice, snapshot, ThreadDraft("SOL"), shown)


def test_a_consent_changed_since_the_permit_was_read_saves_nothing(alice: User) -> None:
    old = allow(alice)
    snapshot = snapshot_made(alice)
    allow(alice, ConsentScope.SAVE_TO_THREAD)
    assert old.consent_id is not None
    with pytest.raises(ConsentOutdated), acting_as(alice.pk):
        threads.save_as_thread(old, alice, snapshot, ThreadDraft("SOL"), old.consent_id)


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"title": " "}, ValidationFailed),
        ({"title": "\u200b\ufeff"}, ValidationFailed),
        ({"title": "x" * 201}, ValidationFailed),
        ({"title": "Write to eve@example.org"}, SensitiveInput),
        ({"refresh_conditions": ("x",) * 21}, ValidationFailed),
        ({"refresh_conditions": ("x" * 301,)}, ValidationFailed),
        ({"refresh_conditions": ("When eve@example.org writes",)}, SensitiveInput),
        ({"save_user_context": True, "fields": {"shoe_size": "43"}}, ValidationFailed),
    ],
)
def test_what_cannot_be_kept_is_refused(alice: User, fields: dict[str, Any], error: type[FinClawError]) -> None:
    allow(alice)
    with pytest.raises(error):
        thread_kept(alice, **fields)
    with acting_as(alice.pk):
        assert not Thread.objects.exists()


def test_a_snapshot_is_kept_once_and_by_its_owner(alice: User, bob: User) -> None:
    allow(bob)
    allow(alice)
    snapshot = snapshot_made(alice)
    thread_kept(alice, snapshot)
    with pytest.raises(ValidationFailed):
        thread_kept(alice, snapshot)
    with pytest.raises(NotFound):
        thread_kept(bob, snapshot)
