"""Confidence follows what became of a memory's uses (seed B §2.3.2.5)."""

from __future__ import annotations

from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from memory.confidence import PROVENANCE_CAPS
from memory.governance.calibration import calibrate, calibrate_confidence
from memory.governance.consolidation import consolidate
from memory.governance.thresholds import Thresholds
from memory.governance.usage_figures import UsageFigures
from memory.models import MemoryItem, SearchEntry
from memory.services import history
from tests.support.cast import allow
from tests.support.talk import permit_of
from tests.support.upkeep import changes, remember, reread

counts = st.integers(0, 100)


def _calibrate(user: User) -> list[UUID]:
    with acting_as(user.pk):
        return calibrate(permit_of(user))


@pytest.mark.parametrize(
    ("confidence", "seen", "expected", "rules"),
    [
        (0.5, UsageFigures(10, 9, 1), 0.6, ("reliable",)),
        (0.75, UsageFigures(10, 9, 0), 0.8, ("reliable",)),  # the cap
        (0.5, UsageFigures(9, 9, 0), 0.5, ()),  # too few uses
        (0.5, UsageFigures(10, 8, 2), 0.35, ("corrected",)),  # .8 is not above .8
        (0.5, UsageFigures(20, 18, 2), 0.45, ("reliable", "corrected")),
        (0.5, UsageFigures(5, 2, 2), 0.35, ("corrected",)),
        (0.5, UsageFigures(4, 0, 4), 0.5, ()),
        (0.5, UsageFigures(5, 0, 1), 0.3, ("unhelpful",)),
        (0.7, UsageFigures(5, 0, 2), 0.35, ("corrected", "unhelpful")),
        (0.2, UsageFigures(5, 0, 1), 0.1, ("unhelpful",)),  # the floor
        (0.05, UsageFigures(5, 0, 1), 0.05, ("unhelpful",)),  # the floor lifts nothing
        (0.5, UsageFigures(50, 0, 0), 0.5, ()),  # silence says nothing
    ],
)
def test_the_seeds_rules(confidence: float, seen: UsageFigures, expected: float, rules: tuple[str, ...]) -> None:
    found = calibrate_confidence(confidence, 0.8, seen)
    assert found.confidence == pytest.approx(expected)
    assert found.rules == rules


@pytest.mark.parametrize(
    ("confidence", "seen", "expected"),
    [(0.35, UsageFigures(5, 0, 1), True), (0.5, UsageFigures(5, 0, 1), False), (0.3, UsageFigures(5, 2, 2), False)],
)
def test_below_two_tenths_by_unhelpful_uses_it_becomes_a_candidate(
    confidence: float, seen: UsageFigures, expected: bool
) -> None:
    assert calibrate_confidence(confidence, 0.8, seen).quarantines is expected


@given(st.sampled_from(sorted(PROVENANCE_CAPS)), st.floats(0, 1), counts, counts, counts)
def test_confidence_stays_between_nothing_and_its_cap(
    provenance: str, share: float, injections: int, positives: int, corrections: int
) -> None:
    ceiling = PROVENANCE_CAPS[provenance]
    found = calibrate_confidence(ceiling * share, ceiling, UsageFigures(injections, positives, corrections))
    assert 0 <= found.confidence <= ceiling


def test_figures_count_once(alice: User) -> None:
    allow(alice)
    item = remember(alice, "Lives in Berlin", injection_count=10, positive_count=9)
    assert _calibrate(alice) == [item.pk]
    assert reread(alice, item.pk).confidence == pytest.approx(0.6)
    with acting_as(alice.pk):
        MemoryItem.objects.update(injection_count=19, positive_count=9, correction_count=1)
    assert _calibrate(alice) == [item.pk]  # nine new uses, one of them wrong
    assert reread(alice, item.pk).confidence == pytest.approx(0.4)
    assert _calibrate(alice) == []
    assert [event.rule for event in changes(alice, "calibrated")] == ["calibration.reliable", "calibration.unhelpful"]


def test_what_would_change_nothing_is_not_written_down(alice: User) -> None:
    allow(alice)
    remember(alice, "Lives in Berlin", confidence=0.6, injection_count=10, positive_count=10)
    assert _calibrate(alice) == []
    assert changes(alice, "calibrated") == []


def test_an_undo_gives_back_the_confidence_and_it_is_not_taken_again(alice: User) -> None:
    allow(alice)
    item = remember(alice, "Lives in Berlin", confidence=0.3, injection_count=5, correction_count=1)
    assert _calibrate(alice) == [item.pk]
    low = reread(alice, item.pk)
    assert low.confidence == pytest.approx(0.1)
    assert low.state == "quarantined"
    with acting_as(alice.pk):
        assert not SearchEntry.objects.get(pk=item.pk).live
        history.undo(permit_of(alice), item.pk)
        assert SearchEntry.objects.get(pk=item.pk).live
    again = reread(alice, item.pk)
    assert (again.confidence, again.state) == (0.3, "active")
    assert _calibrate(alice) == []


def test_what_a_merged_memory_brings_along_counts_no_second_time(alice: User) -> None:
    allow(alice)
    for value in ("Berlin", "Berlin, Germany", "old Berlin"):
        remember(alice, f"Lives in {value}", value=value, injection_count=5, correction_count=1)
    with acting_as(alice.pk):
        [merged] = consolidate(permit_of(alice), Thresholds())
    assert _calibrate(alice) == []
    with acting_as(alice.pk):
        MemoryItem.objects.filter(pk=merged).update(injection_count=20, correction_count=4)
    assert _calibrate(alice) == [merged]


def test_another_persons_uses_count_for_nobody(alice: User, bob: User) -> None:
    allow(alice)
    allow(bob)
    theirs = remember(bob, "Lives in Berlin", injection_count=10, positive_count=10)
    assert _calibrate(alice) == []
    assert reread(bob, theirs.pk).confidence == 0.5
