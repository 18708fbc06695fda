"""Upkeep touches one person's rows, under the consent that holds when it runs, and never while they erase."""

from __future__ import annotations

from datetime import timedelta

import pytest

from consent.models import ErasureScope, Sources
from consent.services import withdraw_consent
from finclaw.erasure import forget
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import ERASER_ROLE
from foundation.outbox.models import OutboxMessage
from foundation.outbox.tasks import drain
from foundation.personal_data import ConsentScope
from memory.governance.governor import GOVERN_TOPIC
from memory.models import EvolutionEvent, MemoryItem
from tests.support.cast import A_MONDAY, allow
from tests.support.talk import memories
from tests.support.upkeep import book, changes, govern, remember

DONE = ("merged", "resolved", "calibrated", "outdated", "retired", "fused")


def _much_to_do(user: User) -> None:
    for value in ("Berlin", "Berlin, Germany", "old Berlin"):
        remember(user, f"Lives in {value}", value=value)
    remember(user, "Works for Acme", "employer", "Acme")
    remember(user, "Works for Globex", "employer", "Globex", valid_at=A_MONDAY + timedelta(days=1))
    remember(user, "Follows BTC", "follows", "BTC", injection_count=10, positive_count=10)


def _run_booked(user: User) -> None:
    """Run the govern jobs alone, as if the erasure's own were slow."""
    with acting_as(user.pk):
        OutboxMessage.objects.exclude(topic=GOVERN_TOPIC).update(state=OutboxMessage.State.CANCELLED)
    drain()


def test_run_twice_it_does_nothing_new(alice: User) -> None:
    allow(alice)
    _much_to_do(alice)
    assert sum(govern(alice)["changed"].values()) == 3
    before = memories(alice)
    assert sum(govern(alice)["changed"].values()) == 0
    assert memories(alice) == before
    assert len(changes(alice, *DONE)) == 3


def test_another_persons_rows_are_never_touched(alice: User, bob: User) -> None:
    allow(alice)
    allow(bob)
    _much_to_do(alice)
    _much_to_do(bob)
    before = [(one.pk, one.state, one.confidence) for one in memories(bob)]
    govern(alice)
    assert [(one.pk, one.state, one.confidence) for one in memories(bob)] == before
    assert changes(bob, *DONE) == []


def test_after_a_withdrawal_nothing_is_done(alice: User) -> None:
    permit = allow(alice)
    _much_to_do(alice)
    assert permit.consent_id is not None
    with acting_as(alice.pk):
        withdraw_consent(alice, permit.consent_id, [ConsentScope.MEMORY_LEARNING], source="api")
    assert govern(alice) == {}
    assert changes(alice, *DONE) == []


def test_booked_work_is_cancelled_by_a_withdrawal(alice: User) -> None:
    permit = allow(alice)
    remember(alice, "Lives in Berlin")
    job = book(alice)
    assert permit.consent_id is not None
    with acting_as(alice.pk):
        withdraw_consent(alice, permit.consent_id, [ConsentScope.MEMORY_LEARNING], source="api")
        assert OutboxMessage.objects.get(pk=job.pk).state == OutboxMessage.State.CANCELLED


def test_what_was_stored_before_a_withdrawal_is_upheld_no_more_though_granted_again(alice: User) -> None:
    allow(alice)
    _much_to_do(alice)
    allow(alice, ConsentScope.SAVE_TO_PROFILE)
    allow(alice)
    with acting_as(alice.pk):  # the purge has not come by yet
        OutboxMessage.objects.update(state=OutboxMessage.State.CANCELLED)
    assert sum(govern(alice)["changed"].values()) == 0


@pytest.mark.parametrize("scope", [ErasureScope.MEMORIES, ErasureScope.ACCOUNT])
def test_while_everything_is_being_erased_nothing_is_done(alice: User, scope: ErasureScope) -> None:
    allow(alice)
    _much_to_do(alice)
    with acting_as(alice.pk):
        forget(alice, scope, "", Sources.REDACT, source="api")
    job = book(alice)
    _run_booked(alice)
    with acting_as(alice.pk), in_role(ERASER_ROLE):  # which sees what the fence hides from everybody else
        assert OutboxMessage.objects.get(pk=job.pk).state == OutboxMessage.State.DONE
        assert MemoryItem.with_erased.filter(superseded_at=None).count() == 6
        assert not EvolutionEvent.objects.filter(action__in=DONE).exists()


def test_a_memory_that_is_being_forgotten_is_joined_with_nothing(alice: User) -> None:
    allow(alice)
    for value in ("Berlin", "Berlin, Germany"):
        remember(alice, f"Lives in {value}", value=value)
    last = remember(alice, "Lives in old Berlin", value="old Berlin")
    with acting_as(alice.pk):
        forget(alice, ErasureScope.ITEM, str(last.pk), Sources.KEEP, source="api")
    book(alice)
    _run_booked(alice)
    assert changes(alice, "merged") == []
    assert len(memories(alice, superseded_at=None)) == 2
