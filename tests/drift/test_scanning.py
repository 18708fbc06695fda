"""A scan of all feedback finds what was found as it came in, of those alone who allow it (seed A §9.1)."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from pathlib import Path

from pytest_django import Settings

from drift.feedback_scan import scan_feedback
from foundation.accounts.models import Tenant, User
from tests.drift.support import kinds, log_of, rate, turn_round
from tests.support.cast import A_MONDAY, allow, allow_nothing
from tests.support.organisation import employ
from tests.support.research import snapshot_made

COMMENTS = ("I agree.", "这个结论错了。", "看好", "", "My earlier view was wrong.", "Convincing.")


def _talkative(user: User) -> str:
    allow(user)
    ref = f"snapshot:{snapshot_made(user).pk}"
    for number, comment in enumerate(COMMENTS):
        rate(user, ref, ("helpful", "not_helpful", "agree")[number % 3], comment, A_MONDAY + number * timedelta(days=9))
    return ref


def test_it_finds_what_was_found_as_it_came_in(alice: User, bob: User) -> None:
    _talkative(alice)
    _talkative(bob)

    scan = scan_feedback()

    assert scan.signals == Counter(kinds(alice)) + Counter(kinds(bob))
    assert scan.signals["feedback_conflict"] > 0 < scan.signals["grade_reversal"]
    assert (scan.people, scan.feedback) == (2, 2 * len(COMMENTS))


def test_it_writes_nothing(alice: User) -> None:
    _talkative(alice)
    before = log_of(alice)

    scan_feedback()

    assert log_of(alice) == before


def test_who_does_not_allow_the_log_is_not_read(alice: User) -> None:
    _talkative(alice)
    allow_nothing(alice)

    assert scan_feedback().people == 0


def test_what_came_in_before_the_scope_was_granted_again_is_not_read(alice: User) -> None:
    ref = _talkative(alice)
    allow_nothing(alice)
    allow(alice)
    rate(alice, ref, "disagree")

    assert (scan_feedback().feedback, scan_feedback().signals) == (1, Counter())


def test_other_thresholds_find_something_else(alice: User, bob: User, settings: Settings, tmp_path: Path) -> None:
    for person in (alice, bob):
        allow(person)
        turn_round(person, f"snapshot:{snapshot_made(person).pk}", apart=timedelta(days=10))
    employ(Tenant.objects.create(name="Slow", settings={"drift": {"grade_reversal_days": 30}}), bob)
    shorter = tmp_path / "thresholds.yaml"
    shorter.write_text("grade_reversal_days: 5\n")
    settings.DRIFT_THRESHOLDS_FILE = str(shorter)

    assert scan_feedback().signals == {"grade_reversal": 1}
