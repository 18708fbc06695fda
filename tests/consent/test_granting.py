"""One current consent, a version for every change, and a history that is never rewritten (C-1)."""

from __future__ import annotations

import threading
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from consent.models import ProfileConsent
from consent.services import grant_consent, permit_for, withdraw_consent
from consent.types import WithdrawalEffects
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.personal_data import ConsentScope
from foundation.telemetry.metrics import CONSENT_GRANTED
from tests.support.cast import allow, allow_nothing


def _history(user: User) -> list[tuple[Any, ...]]:
    with acting_as(user.pk):
        rows = ProfileConsent.history.order_by("history_id").values_list(
            "history_id",
            "id",
            "version",
            *(scope.value for scope in ConsentScope),
            "source",
            "changed_at",
            "revoked_at",
        )
        return list(rows)


def test_a_first_grant_says_what_when_and_from_where(alice: User) -> None:
    before = timezone.now()
    with acting_as(alice.pk):
        consent = grant_consent(alice, {ConsentScope.SAVE_TO_PROFILE}, source="web")

    assert (consent.version, consent.scopes, consent.source) == (1, frozenset({ConsentScope.SAVE_TO_PROFILE}), "web")
    assert before <= consent.granted_at == consent.changed_at <= timezone.now()
    assert consent.revoked_at is None


def test_a_change_is_a_new_version_of_the_same_consent(alice: User) -> None:
    first = allow(alice, ConsentScope.SAVE_TO_PROFILE)
    second = allow(alice, ConsentScope.SAVE_TO_PROFILE, ConsentScope.MEMORY_LEARNING)

    assert second.consent_id == first.consent_id
    assert (first.version, second.version) == (1, 2)
    assert second.scopes == {ConsentScope.SAVE_TO_PROFILE, ConsentScope.MEMORY_LEARNING}


def test_history_only_ever_grows(alice: User) -> None:
    allow(alice)
    snapshots = [_history(alice)]
    with acting_as(alice.pk):
        permit = permit_for(alice)
        assert permit.consent_id is not None
        withdraw_consent(alice, permit.consent_id, {ConsentScope.TRAINING_USE}, source="api")
    snapshots.append(_history(alice))
    with acting_as(alice.pk):
        withdraw_consent(alice, permit.consent_id, source="web")
    snapshots.append(_history(alice))
    allow(alice)
    snapshots.append(_history(alice))

    assert [len(snapshot) for snapshot in snapshots] == [1, 2, 3, 4]
    assert all(later[: len(earlier)] == earlier for earlier, later in pairwise(snapshots))
    assert [row[2] for row in snapshots[-1]] == [1, 2, 3, 4]


def test_decide_later_is_a_consent_with_every_scope_off(alice: User) -> None:
    permit = allow_nothing(alice)

    assert permit.has_decided
    assert not permit.is_revoked
    assert permit.scopes == frozenset()
    permit.require_decision()


def test_granting_after_a_revocation_makes_a_new_consent_and_counts_on(alice: User) -> None:
    old = allow(alice)
    assert old.consent_id is not None
    with acting_as(alice.pk):
        revoked, _ = withdraw_consent(alice, old.consent_id, source="web")
    new = allow(alice)

    assert new.consent_id != old.consent_id
    assert new.version == 3
    with acting_as(alice.pk):
        kept = ProfileConsent.objects.get(pk=old.consent_id)
        assert (kept.version, kept.revoked_at, kept.scopes) == (2, revoked.revoked_at, frozenset())
        assert ProfileConsent.objects.filter(revoked_at=None).count() == 1


def test_withdrawing_what_does_not_hold_makes_no_version(alice: User) -> None:
    permit = allow(alice, ConsentScope.SAVE_TO_THREAD)
    assert permit.consent_id is not None
    before = _history(alice)
    with acting_as(alice.pk):
        consent, effects = withdraw_consent(alice, permit.consent_id, {ConsentScope.TRAINING_USE}, source="api")
    assert (consent.version, consent.scopes) == (1, frozenset({ConsentScope.SAVE_TO_THREAD}))
    assert effects == WithdrawalEffects(0, 0, 0, 0, None)
    assert _history(alice) == before


def test_only_a_new_consent_counts_as_granted(alice: User, django_capture_on_commit_callbacks: Any) -> None:
    before = CONSENT_GRANTED._value.get()
    with django_capture_on_commit_callbacks(execute=True):
        allow(alice)
        allow(alice, ConsentScope.SAVE_TO_THREAD)
        allow_nothing(alice)

    assert CONSENT_GRANTED._value.get() == before + 1


def _grant_and_fail(user: User) -> None:
    with acting_as(user.pk):
        grant_consent(user, tuple(ConsentScope), source="api")
        raise ValueError("something that failed later in the request")


def test_a_grant_that_is_rolled_back_counts_for_nothing(alice: User, django_capture_on_commit_callbacks: Any) -> None:
    before = CONSENT_GRANTED._value.get()
    with django_capture_on_commit_callbacks(execute=True), pytest.raises(ValueError, match="later"):
        _grant_and_fail(alice)

    assert CONSENT_GRANTED._value.get() == before
    assert _history(alice) == []


def test_the_same_scopes_again_are_no_new_version_until_they_were_revoked(alice: User) -> None:
    first = allow(alice, ConsentScope.SAVE_TO_THREAD)
    again = allow(alice, ConsentScope.SAVE_TO_THREAD)
    assert (again.consent_id, again.version, len(_history(alice))) == (first.consent_id, 1, 1)
    allow_nothing(alice)
    assert (allow_nothing(alice).version, len(_history(alice))) == (2, 2)
    with acting_as(alice.pk):
        assert first.consent_id is not None
        withdraw_consent(alice, first.consent_id, source="web")
    assert allow_nothing(alice).version == 4


def test_the_current_consent_is_one_query_by_the_index(alice: User) -> None:
    asked: list[tuple[str, Any]] = []

    def note(execute: Callable[..., Any], sql: str, params: Any, *rest: Any) -> Any:
        asked.append((sql, params))
        return execute(sql, params, *rest)

    allow(alice)
    with acting_as(alice.pk):
        with connection.execute_wrapper(note):
            permit_for(alice)
        ((sql, params),) = asked
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL enable_seqscan = off")
            cursor.execute(f"EXPLAIN {sql}", params)
            assert "latest_consent" in "".join(row[0] for row in cursor.fetchall())


@pytest.mark.django_db(transaction=True)
def test_two_changes_at_once_leave_one_current_consent_and_two_versions(alice: User) -> None:
    barrier = threading.Barrier(2)
    failures: list[Exception] = []

    def change(scope: ConsentScope) -> None:
        try:
            barrier.wait(timeout=30)
            with acting_as(alice.pk):
                grant_consent(alice, {scope}, source="api")
        except Exception as error:  # noqa: BLE001  shown by the assertion below
            failures.append(error)
        finally:
            connection.close()

    threads = [
        threading.Thread(target=change, args=(scope,))
        for scope in (ConsentScope.SAVE_TO_PROFILE, ConsentScope.SAVE_TO_THREAD)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert failures == []
    with acting_as(alice.pk):
        assert ProfileConsent.objects.get().version == 2
    assert [row[2] for row in _history(alice)] == [1, 2]
