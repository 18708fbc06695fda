"""Withdrawal, whole or by the scope, and what it really does (C-5, C-6)."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from django.utils import timezone

from consent.declarations import models_withdrawn_with
from consent.exceptions import ConsentOutdated
from consent.models import ProfileConsent
from consent.purge import PURGE_TOPIC
from consent.services import grant_consent, permit_for, withdraw_consent
from consent.types import WithdrawalEffects
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.exceptions import NotFound
from foundation.ids import new_id
from foundation.outbox.models import OutboxMessage
from foundation.outbox.services import enqueue
from foundation.outbox.tasks import drain
from foundation.personal_data import ConsentScope, OnWithdrawal
from memory.models import MemoryItem
from memory.research.profile_context import save_profile_context
from memory.services.item_decisions import add_stated
from tests.consent.support import NOTHING_LEARNED, contexts, learned, live_a_little, messages
from tests.support.cast import allow, allow_nothing
from tests.support.research import REOPENED, refreshed, reopened, thread_kept

NO_EFFECTS = WithdrawalEffects(0, 0, 0, 0, None)


def _withdraw(user: User, *scopes: ConsentScope) -> tuple[ProfileConsent, WithdrawalEffects]:
    with acting_as(user.pk):
        consent_id = permit_for(user).consent_id
        assert consent_id is not None
        return withdraw_consent(user, consent_id, scopes, source="web")


def test_one_scope_goes_and_the_others_stay(alice: User) -> None:
    allow(alice)

    consent, _ = _withdraw(alice, ConsentScope.MEMORY_LEARNING)

    assert consent.scopes == set(ConsentScope) - {ConsentScope.MEMORY_LEARNING}
    assert (consent.version, consent.revoked_at) == (2, None)


def test_withdrawing_everything_sets_the_revocation_and_no_scope_holds(alice: User) -> None:
    allow(alice)

    consent, _ = _withdraw(alice)

    assert consent.revoked_at is not None
    with acting_as(alice.pk):
        permit = permit_for(alice)
    assert (permit.has_decided, permit.is_revoked, permit.scopes) == (True, True, frozenset())


def test_switching_the_last_scope_off_is_no_revocation(alice: User) -> None:
    allow(alice, ConsentScope.MEMORY_LEARNING)

    consent, _ = _withdraw(alice, ConsentScope.MEMORY_LEARNING)

    assert (consent.scopes, consent.revoked_at) == (frozenset(), None)


def test_withdrawing_what_never_was_allowed_has_no_effect(alice: User) -> None:
    allow(alice, ConsentScope.SAVE_TO_THREAD)

    _, effects = _withdraw(alice, ConsentScope.MEMORY_LEARNING, ConsentScope.SAVE_TO_PROFILE)

    assert effects == NO_EFFECTS


def test_a_consent_no_longer_in_force_cannot_be_withdrawn_again(alice: User) -> None:
    first = allow(alice)
    assert first.consent_id is not None
    _withdraw(alice)
    with pytest.raises(ConsentOutdated), acting_as(alice.pk):
        withdraw_consent(alice, first.consent_id, source="web")

    allow(alice)
    with pytest.raises(ConsentOutdated), acting_as(alice.pk):
        withdraw_consent(alice, first.consent_id, source="web")


def test_somebody_elses_consent_is_not_found(alice: User, bob: User) -> None:
    allow(alice)
    bobs = allow(bob)
    assert bobs.consent_id is not None

    for consent_id in (bobs.consent_id, new_id()):
        with pytest.raises(NotFound), acting_as(alice.pk):
            withdraw_consent(alice, consent_id, source="web")
    with acting_as(bob.pk):
        assert permit_for(bob).scopes == set(ConsentScope)


def test_who_never_granted_has_nothing_to_withdraw(alice: User) -> None:
    with pytest.raises(NotFound), acting_as(alice.pk):
        withdraw_consent(alice, new_id(), source="web")


def test_profile_contexts_and_their_history_are_gone_at_once_and_counted(alice: User) -> None:
    permit = allow(alice)
    with acting_as(alice.pk):
        save_profile_context(permit, {"research_depth": "deep"})
        save_profile_context(permit, {"research_depth": "quick"})
    assert contexts(alice) == (1, 2)

    _, effects = _withdraw(alice, ConsentScope.SAVE_TO_PROFILE)

    assert contexts(alice) == (0, 0)
    assert effects.purge_due_at is not None  # the drift log goes too
    assert effects == WithdrawalEffects(1, 0, 0, 0, effects.purge_due_at)


def test_each_effect_is_counted_where_everything_is_withdrawn_at_once(alice: User) -> None:
    permit = allow(alice)
    with acting_as(alice.pk):
        save_profile_context(permit, {"research_depth": "deep"})
    thread = thread_kept(alice, save_user_context=True, fields={"user_focus_reason": "Fees"})
    refreshed(alice, thread, "Fees fall.")
    reopened(alice, thread)

    _, effects = _withdraw(alice)

    assert effects.purge_due_at is not None
    assert effects == WithdrawalEffects(1, 1, 3, 1, effects.purge_due_at, {REOPENED: 1})


def test_what_waits_under_the_scope_is_cancelled_and_counted(alice: User) -> None:
    allow(alice)
    with acting_as(alice.pk):
        waiting = enqueue("memory.observe", user_id=alice.pk, payload={}, scope=ConsentScope.MEMORY_LEARNING.value)

    _, effects = _withdraw(alice, ConsentScope.MEMORY_LEARNING)

    assert effects.queued_work_cancelled == 1
    with acting_as(alice.pk):
        assert OutboxMessage.objects.get(pk=waiting.pk).state == OutboxMessage.State.CANCELLED


def test_what_was_learned_is_purged_by_the_task_within_the_promised_time(alice: User) -> None:
    allow(alice)
    live_a_little(alice)
    assert all(learned(alice).values())
    before = timezone.now()

    _, effects = _withdraw(alice, ConsentScope.MEMORY_LEARNING)
    assert effects.purge_due_at is not None
    assert before + timedelta(hours=48) <= effects.purge_due_at <= timezone.now() + timedelta(hours=48)
    drain()

    assert learned(alice) == NOTHING_LEARNED
    assert messages(alice) == 1
    assert contexts(alice)[0] == 1


def test_the_task_reports_what_it_deleted(alice: User) -> None:
    allow(alice)
    live_a_little(alice)
    there = learned(alice)
    _withdraw(alice, ConsentScope.MEMORY_LEARNING)
    drain()

    with acting_as(alice.pk):
        result = OutboxMessage.objects.get(topic=PURGE_TOPIC).result
    assert result is not None
    assert result["deleted"].items() >= {
        "memory.MemoryItem": there["items"], "memory.CognitiveEvent": there["events"],
        "memory.CognitiveJob": there["jobs"], "memory.SearchEntry": there["entries"],
    }.items()  # fmt: skip
    purged = models_withdrawn_with(ConsentScope.MEMORY_LEARNING, OnWithdrawal.PURGE)
    assert set(result["deleted"]) == {one.label for one in purged}


def test_a_purge_touches_nobody_else(alice: User, bob: User) -> None:
    for user in (alice, bob):
        allow(user)
        live_a_little(user)
    bobs = learned(bob)

    _withdraw(alice)
    drain()

    assert learned(alice) == NOTHING_LEARNED
    assert learned(bob) == bobs


def test_granting_again_restores_nothing_and_the_purge_keeps_what_came_later(alice: User) -> None:
    allow(alice)
    live_a_little(alice)
    _withdraw(alice)
    permit = allow(alice)
    with acting_as(alice.pk):
        later = add_stated(permit, "Learned after the second consent.")
    assert contexts(alice) == (0, 0)

    drain()

    with acting_as(alice.pk):
        assert [item.pk for item in MemoryItem.objects.all()] == [later.pk]
    assert learned(alice) == {"items": 1, "events": 0, "jobs": 0, "entries": 1}


def test_switching_a_scope_off_by_a_grant_has_the_same_effects(alice: User) -> None:
    allow(alice)
    live_a_little(alice)
    with acting_as(alice.pk):
        grant_consent(alice, {ConsentScope.SAVE_TO_THREAD}, source="web")
    drain()

    assert contexts(alice) == (0, 0)
    assert learned(alice) == NOTHING_LEARNED


def test_a_purge_names_the_moment_of_the_withdrawal(alice: User) -> None:
    allow(alice)
    before = timezone.now()
    _withdraw(alice, ConsentScope.MEMORY_LEARNING)

    with acting_as(alice.pk):
        payload = OutboxMessage.objects.get(topic=PURGE_TOPIC).payload
    assert payload["scope"] == ConsentScope.MEMORY_LEARNING.value
    assert before <= datetime.fromisoformat(payload["before"]) <= timezone.now()


def test_nothing_to_withdraw_queues_nothing(alice: User) -> None:
    allow_nothing(alice)

    _, effects = _withdraw(alice)

    assert effects == NO_EFFECTS
    with acting_as(alice.pk):
        assert not OutboxMessage.objects.exists()
