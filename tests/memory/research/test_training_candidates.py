"""What is named as a training candidate, and how it is revoked: with its scope, or one by one."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine

from consent.services import permit_for, withdraw_consent
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as, on_behalf_of
from foundation.exceptions import NotFound, ValidationFailed
from foundation.ids import new_id
from foundation.personal_data import ConsentScope
from memory.models import TrainingAssetCandidate
from memory.research import training_candidates
from tests.support.cast import A_MONDAY, allow
from tests.support.research import checkpoint_made, refreshed, snapshot_made, thread_kept

OPERATOR = new_id()


def _candidates(user: User) -> list[TrainingAssetCandidate]:
    with acting_as(user.pk):
        return list(TrainingAssetCandidate.objects.order_by("created_at", "id"))


def _withdraw(user: User, *scopes: ConsentScope) -> int:
    with acting_as(user.pk):
        consent_id = permit_for(user).consent_id
        assert consent_id is not None
        return withdraw_consent(user, consent_id, scopes, source="web")[1].training_candidates_revoked


def test_snapshots_refreshes_and_checkpoints_are_named_and_wait(alice: User) -> None:
    allow(alice, ConsentScope.TRAINING_USE)
    first = snapshot_made(alice)
    refresh = refreshed(alice, thread_kept(alice, first), "Fees fall.")
    checkpoint = checkpoint_made(alice)

    found = _candidates(alice)
    assert [one.object_ref for one in found] == [
        f"snapshot:{first.pk}", f"snapshot:{refresh.snapshot_id}", f"refresh:{refresh.pk}",
        f"checkpoint:{checkpoint.pk}",
    ]  # fmt: skip
    assert {(one.status, one.withdrawal_status, one.consent_version) for one in found} == {("pending", "none", 1)}


def test_nothing_is_named_without_the_scope(alice: User) -> None:
    allow(alice, *(set(ConsentScope) - {ConsentScope.TRAINING_USE}))
    refreshed(alice, thread_kept(alice), "Fees fall.")
    checkpoint_made(alice)

    assert _candidates(alice) == []


def test_a_withdrawal_revokes_them_at_once_and_no_grant_takes_that_back(alice: User, bob: User) -> None:
    for user in (alice, bob):
        allow(user)
        snapshot_made(user)
    with time_machine.travel(A_MONDAY, tick=False) as clock:
        checkpoint_made(alice)
        clock.shift(timedelta(days=2))
        assert _withdraw(alice, ConsentScope.TRAINING_USE) == 2
        assert {one.withdrawal_status for one in _candidates(alice)} == {"revoked"}
        clock.shift(timedelta(days=2))
        permit = allow(alice)
        for one in _candidates(alice):
            with acting_as(alice.pk):
                made = training_candidates.named_object(one)
                assert made is not None
                training_candidates.nominate_object(permit, made)
        assert {one.withdrawal_status for one in _candidates(alice)} == {"revoked"}
        assert _withdraw(alice) == 0

    assert [one.withdrawal_status for one in _candidates(bob)] == ["none"]


@pytest.mark.parametrize(
    "kept", [{ConsentScope.SAVE_TO_THREAD}, {ConsentScope.SAVE_TO_PROFILE, ConsentScope.MEMORY_LEARNING}]
)
def test_another_scope_withdrawn_leaves_them(alice: User, kept: set[ConsentScope]) -> None:
    allow(alice)
    snapshot_made(alice)
    assert _withdraw(alice, *kept) == 0
    assert [one.withdrawal_status for one in _candidates(alice)] == ["none"]


def test_an_operator_decides_and_a_revoked_one_is_nobodys_to_decide(alice: User) -> None:
    allow(alice)
    snapshot_made(alice)
    (candidate,) = _candidates(alice)
    with on_behalf_of(alice.pk):
        accepted = training_candidates.review_candidate(alice.pk, candidate.pk, "accepted", OPERATOR)
        with pytest.raises(ValidationFailed):
            training_candidates.review_candidate(alice.pk, candidate.pk, "pending", OPERATOR)
        with pytest.raises(NotFound):
            training_candidates.review_candidate(alice.pk, new_id(), "accepted", OPERATOR)
    assert (accepted.status, accepted.reviewed_by) == ("accepted", OPERATOR)
    _withdraw(alice)
    with pytest.raises(ValidationFailed), on_behalf_of(alice.pk):
        training_candidates.review_candidate(alice.pk, candidate.pk, "rejected", OPERATOR)


def test_one_is_taken_back_for_good_and_the_others_stay(alice: User, bob: User) -> None:
    permit = allow(alice)
    first, second = (snapshot_made(alice) for _ in range(2))
    one, other = _candidates(alice)
    with acting_as(bob.pk), pytest.raises(NotFound):
        training_candidates.revoke_candidate(allow(bob), one.pk)
    with acting_as(alice.pk):
        for _ in range(2):  # again changes nothing
            revoked = training_candidates.revoke_candidate(permit, one.pk)
        training_candidates.nominate_object(permit, first)
    assert (revoked.object_ref, revoked.withdrawal_status) == (f"snapshot:{first.pk}", "revoked")
    assert [(row.object_ref, row.withdrawal_status) for row in _candidates(alice)] == [
        (one.object_ref, "revoked"), (f"snapshot:{second.pk}", "none"),
    ]  # fmt: skip
    with pytest.raises(ValidationFailed), on_behalf_of(alice.pk):
        training_candidates.review_candidate(alice.pk, one.pk, "accepted", OPERATOR)
    assert other.withdrawal_status == "none"
