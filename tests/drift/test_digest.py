"""The weekly digest: counts by kind beside the week before, never a person, never a word (D-4)."""

from __future__ import annotations

import json
from datetime import timedelta
from io import StringIO
from pathlib import Path

import pytest
import time_machine
from django.core.management import call_command

from drift.digest import KindCounts, count_drift, daily_counts
from foundation.accounts.models import User
from foundation.database.acting_user import in_role
from foundation.database.roles import OPERATOR_ROLE
from tests.drift.support import rate, turn_round
from tests.support.cast import A_MONDAY, allow
from tests.support.research import snapshot_made

WEEK = timedelta(days=7)
SUNDAY_AFTER = A_MONDAY + timedelta(days=6)


@pytest.fixture
def week(alice: User, bob: User) -> None:
    """Alice turned four times within minutes on Monday, Bob once on Tuesday; Alice once the week before."""
    refs = {}
    for person in (alice, bob):
        allow(person)
        refs[person] = f"snapshot:{snapshot_made(person).pk}"
    turn_round(alice, refs[alice], times=1, at=A_MONDAY - timedelta(days=5))
    turn_round(alice, refs[alice], times=4)
    turn_round(bob, refs[bob], times=1, at=A_MONDAY + timedelta(days=1))


@pytest.mark.usefixtures("week")
def test_9_4_a_week_with_its_bursts_is_counted_by_kind_beside_the_one_before() -> None:
    found = count_drift(SUNDAY_AFTER, WEEK)

    # On Monday she began where she had stopped: thumbs down, then up, so five times.
    assert found.kinds["grade_reversal"] == KindCounts(signals=6, alerting=6, before=1)
    assert found.kinds["feedback_conflict"] == KindCounts(0, 0, 0)
    assert (found.people, found.bursts, found.contradicting) == (2, 1, 0)


@pytest.mark.usefixtures("week")
def test_a_day_without_a_signal_is_left_out() -> None:
    with in_role(OPERATOR_ROLE):
        found = daily_counts(SUNDAY_AFTER - WEEK, SUNDAY_AFTER)

    assert found["grade_reversal"] == {A_MONDAY.date(): 5, A_MONDAY.date() + timedelta(days=1): 1}
    assert found["refresh_stance_flip"] == {}


def test_an_empty_log_is_told_as_such(db: None) -> None:
    found = count_drift(SUNDAY_AFTER, WEEK)

    assert (found.people, found.bursts, found.contradicting) == (0, 0, 0)
    assert {counts.signals for counts in found.kinds.values()} == {0}


def test_a_burst_that_ended_before_the_week_is_not_of_it(alice: User) -> None:
    allow(alice)
    turn_round(alice, f"snapshot:{snapshot_made(alice).pk}", times=3, at=SUNDAY_AFTER - WEEK - timedelta(hours=1))

    assert count_drift(SUNDAY_AFTER, WEEK).bursts == 0


def test_who_contradicts_themselves_again_and_again_is_counted_whenever_it_was(alice: User) -> None:
    allow(alice)
    ref = f"snapshot:{snapshot_made(alice).pk}"
    for number in range(7):
        comment = ("I agree.", "This is wrong.")[number % 2]
        rate(alice, ref, "helpful", comment, at=A_MONDAY - timedelta(days=300 - number))

    assert count_drift(SUNDAY_AFTER, WEEK).contradicting == 1


@pytest.mark.usefixtures("week")
def test_the_command_prints_counts_and_nobody(alice: User, bob: User, tmp_path: Path) -> None:
    printed, file = StringIO(), tmp_path / "digest.json"
    with time_machine.travel(SUNDAY_AFTER, tick=False):
        call_command("digest", "--rescan", "--json", str(file), stdout=printed)

    said = printed.getvalue()
    assert "A rating turned round" in said
    assert "Of 2 people. Very many at once: of 1." in said
    assert "grade_reversal 7" in said
    written = json.loads(file.read_text())
    assert written["kinds"]["grade_reversal"] == {"signals": 6, "alerting": 6, "before": 1}
    assert written["rescan"]["signals"] == {"grade_reversal": 7}
    for person in (alice, bob):
        assert str(person.pk) not in said + file.read_text()
        assert person.username not in said.lower() + file.read_text()


@pytest.mark.usefixtures("week")
def test_a_shorter_span_counts_less() -> None:
    printed = StringIO()
    with time_machine.travel(A_MONDAY + timedelta(days=1, hours=1), tick=False):
        call_command("digest", "--days", "1", stdout=printed)

    assert "Of 1 people." in printed.getvalue()
