"""What leads to wrong answers is held back until its person decides."""

from __future__ import annotations

from uuid import UUID

import pytest

from consent.exceptions import ConsentScopeMissing
from consent.services import withdraw_consent
from foundation.accounts.models import Tenant, User
from foundation.database.acting_user import acting_as
from foundation.personal_data import ConsentScope
from memory.governance.fuse import is_tripped, trip_if_needed
from memory.governance.thresholds import Thresholds
from memory.governance.usage_figures import UsageFigures
from memory.models import MemoryItem, SearchEntry
from memory.services import history
from tests.support.cast import allow
from tests.support.talk import permit_of
from tests.support.upkeep import changes, remember, reread


def _trip(user: User, *items: MemoryItem) -> list[UUID]:
    with acting_as(user.pk):
        return trip_if_needed(permit_of(user), [item.pk for item in items])


def _is_live(user: User, item: MemoryItem) -> bool:
    with acting_as(user.pk):
        return SearchEntry.objects.get(pk=item.pk).live


def _count(user: User, item: MemoryItem, injections: int, corrections: int) -> None:
    with acting_as(user.pk):
        MemoryItem.objects.filter(pk=item.pk).update(injection_count=injections, correction_count=corrections)


@pytest.mark.parametrize(
    ("injections", "corrections", "expected"),
    [(0, 0, False), (1, 1, False), (2, 2, True), (0, 2, True), (6, 2, True), (7, 2, False), (10, 3, True)],
)
def test_it_trips_on_the_second_correction_and_enough_of_the_uses(
    injections: int, corrections: int, expected: bool
) -> None:
    assert is_tripped(UsageFigures(injections, 0, corrections), Thresholds()) is expected


def test_a_tripped_memory_is_set_aside_and_not_recalled(alice: User) -> None:
    allow(alice)
    wrong = remember(alice, "Lives in Berlin", injection_count=3, correction_count=2)
    right = remember(alice, "Follows BTC", "follows", injection_count=3, correction_count=1)
    assert _trip(alice, wrong, right) == [wrong.pk]
    assert (reread(alice, wrong.pk).state, reread(alice, right.pk).state) == ("quarantined", "active")
    assert (_is_live(alice, wrong), _is_live(alice, right)) == (False, True)
    [event] = changes(alice, "fused")
    assert event.inputs == {"injections": 3, "positives": 0, "corrections": 2}
    assert _trip(alice, wrong, right) == []


def test_an_undo_brings_it_back_and_old_figures_do_not_trip_it_again(alice: User) -> None:
    allow(alice)
    item = remember(alice, "Lives in Berlin", injection_count=3, correction_count=2)
    _trip(alice, item)
    with acting_as(alice.pk):
        history.undo(permit_of(alice), item.pk)
    assert reread(alice, item.pk).state == "active"
    assert _is_live(alice, item)
    _count(alice, item, 4, 3)
    assert _trip(alice, item) == []
    _count(alice, item, 5, 4)
    assert _trip(alice, item) == [item.pk]


def test_a_tenants_threshold_counts(alice: User) -> None:
    allow(alice)
    alice.tenant = Tenant.objects.create(name="Desk", settings={"governance": {"fuse_corrections": 1}})
    alice.save()
    item = remember(alice, "Lives in Berlin", injection_count=1, correction_count=1)
    assert _trip(alice, item) == [item.pk]


def test_another_persons_memory_is_not_reached(alice: User, bob: User) -> None:
    allow(alice)
    allow(bob)
    theirs = remember(bob, "Lives in Berlin", injection_count=3, correction_count=3)
    assert _trip(alice, theirs) == []
    assert reread(bob, theirs.pk).state == "active"


def test_without_the_scope_it_refuses(alice: User) -> None:
    permit = allow(alice)
    item = remember(alice, "Lives in Berlin", injection_count=3, correction_count=3)
    assert permit.consent_id is not None
    with acting_as(alice.pk):
        withdraw_consent(alice, permit.consent_id, [ConsentScope.MEMORY_LEARNING], source="api")
    with pytest.raises(ConsentScopeMissing):
        _trip(alice, item)
