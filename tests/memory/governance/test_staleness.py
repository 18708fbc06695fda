"""What time has passed over is marked; nothing is lost by it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.utils import timezone

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from memory.governance import staleness
from memory.governance.staleness import end_expired, is_outdated, mark_outdated
from memory.governance.thresholds import Thresholds
from memory.models import MemoryItem, SearchEntry
from memory.services import history, items
from tests.support.cast import A_MONDAY, allow
from tests.support.talk import permit_of
from tests.support.upkeep import changes, remember, reread

THRESHOLDS = Thresholds()


def _days_ago(days: int) -> Any:
    return timezone.now() - timedelta(days=days)


def _mark(user: User) -> list[UUID]:
    with acting_as(user.pk):
        return mark_outdated(permit_of(user), THRESHOLDS)


def _end(user: User) -> list[UUID]:
    with acting_as(user.pk):
        return end_expired(permit_of(user))


@pytest.mark.parametrize(
    ("confidence", "days", "misses", "expected"),
    [
        (0.5, 0, 0, False),
        (0.5, 180, 0, False),  # .5 · .6
        (0.5, 181, 0, True),  # .5 · .3
        (0.9, 10_000, 0, False),  # .9 · .3
        (0.15, 0, 0, True),
        (0.5, 180, 19, False),
        (0.5, 180, 20, True),
        (0.9, 181, 20, True),
        (0.9, 180, 20, False),
    ],
)
def test_decay_makes_out_of_date_and_misses_sooner(confidence: float, days: int, misses: int, expected: bool) -> None:
    assert is_outdated(confidence, timedelta(days=days), misses, THRESHOLDS) is expected


def test_what_nobody_confirmed_for_long_is_marked_once(alice: User) -> None:
    allow(alice)
    old = remember(alice, "Likes sporty styles", "style", last_validated_at=_days_ago(200))
    fresh = remember(alice, "Likes running", "likes", last_validated_at=_days_ago(20))
    assert _mark(alice) == [old.pk]
    assert [reread(alice, one.pk).epistemic_type for one in (old, fresh)] == ["outdated", "preference"]
    assert reread(alice, old.pk).state == "active"
    [event] = changes(alice, "outdated")
    assert event.inputs == {"confidence": 0.5, "days_since_validated": 200, "misses": 0}
    assert _mark(alice) == []


def test_an_undo_gives_back_its_kind_for_good(alice: User) -> None:
    allow(alice)
    item = remember(alice, "Is a nurse", "job", epistemic_type="fact", last_validated_at=_days_ago(200))
    _mark(alice)
    with acting_as(alice.pk):
        history.undo(permit_of(alice), item.pk)
    assert reread(alice, item.pk).epistemic_type == "fact"
    assert _mark(alice) == []


@pytest.mark.parametrize("slot", ["allergy", "diet.avoids", "constraint.avoid"])
def test_what_guards_its_person_never_goes_out_of_date(alice: User, slot: str) -> None:
    allow(alice)
    remember(alice, "Peanuts are bad for me", slot, last_validated_at=_days_ago(2_000), miss_count=99)
    assert _mark(alice) == []


def _renew(user: User) -> list[UUID]:
    with acting_as(user.pk):
        return staleness.remove_outdated_marks(permit_of(user), THRESHOLDS)


def test_what_is_welcomed_since_is_out_of_date_no_more(alice: User) -> None:
    allow(alice)
    item = remember(alice, "Is a nurse", "job", epistemic_type="fact", last_validated_at=_days_ago(200))
    _mark(alice)
    assert _renew(alice) == []
    with acting_as(alice.pk):
        MemoryItem.objects.filter(pk=item.pk).update(last_validated_at=timezone.now())
    assert _renew(alice) == [item.pk]
    assert reread(alice, item.pk).epistemic_type == "fact"
    assert (_renew(alice), _mark(alice)) == ([], [])


def test_what_was_learned_as_a_thing_of_the_past_stays_one(alice: User) -> None:
    allow(alice)
    remember(alice, "Used to smoke", "habit", epistemic_type="outdated")
    assert _renew(alice) == []


def test_what_its_person_confirms_is_what_it_was_before_the_mark(alice: User) -> None:
    allow(alice)
    item = remember(alice, "Is a nurse", "job", epistemic_type="fact", last_validated_at=_days_ago(200))
    _mark(alice)
    with acting_as(alice.pk):
        assert items.confirm(permit_of(alice), item.pk).epistemic_type == "fact"


def test_what_was_true_for_a_time_ends_when_it_is_over_and_an_undo_lasts(alice: User) -> None:
    allow(alice)
    over = remember(alice, "In Paris this week", "place", invalid_at=A_MONDAY + timedelta(days=7))
    still = remember(alice, "In Rome this year", "plan", invalid_at=timezone.now() + timedelta(days=7))
    assert _end(alice) == [over.pk]
    assert (reread(alice, over.pk).state, reread(alice, still.pk).state) == ("invalid", "active")
    with acting_as(alice.pk):
        assert not SearchEntry.objects.get(pk=over.pk).live
        history.undo(permit_of(alice), over.pk)
    assert reread(alice, over.pk).state == "active"
    assert _end(alice) == []


def test_another_persons_memories_are_not_marked(alice: User, bob: User) -> None:
    allow(alice)
    allow(bob)
    theirs = remember(bob, "Likes sporty styles", "style", last_validated_at=_days_ago(200))
    assert _mark(alice) == []
    assert reread(bob, theirs.pk).epistemic_type == "preference"


def test_what_is_too_much_for_one_run_is_left_for_the_next(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(staleness, "MOST_AT_ONCE", 2)
    allow(alice)
    for number in range(3):
        remember(alice, f"Likes style {number}", "style", last_validated_at=_days_ago(200))
        remember(alice, f"Was in place {number}", "trip", invalid_at=A_MONDAY + timedelta(days=7))
    assert (len(_end(alice)), len(_mark(alice))) == (2, 2)
    assert (len(_end(alice)), len(_mark(alice))) == (1, 1)
