"""The drift log: seed A's fields, written once, changed by nobody, told to operators without a word of anybody's."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
import structlog
from django.db import ProgrammingError, connection, transaction
from prometheus_client import REGISTRY

from consent.exceptions import ConsentScopeMissing
from drift.configuration import configured_thresholds
from drift.models import DriftSignal
from drift.signal_log import record_signals
from drift.types import Reversal, ReversalSide
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.personal_data import ConsentScope
from tests.drift.support import kinds, log_of, rate, turn_round
from tests.support.cast import A_MONDAY, allow
from tests.support.research import snapshot_made
from tests.support.talk import permit_of

SIGNAL = Reversal(
    "grade_reversal",
    "snapshot:1",
    None,
    ReversalSide("agree", A_MONDAY, "snapshot:1"),
    ReversalSide("disagree", A_MONDAY + timedelta(days=1), "snapshot:1"),
    "2026-03-02 agree, 2026-03-03 disagree",
)


@pytest.fixture
def observed(alice: User) -> DriftSignal:
    """Alice rated a snapshot helpful on Monday, and not helpful twelve days later."""
    allow(alice)
    ref = f"snapshot:{snapshot_made(alice).pk}"
    rate(alice, ref, "helpful", at=A_MONDAY)
    rate(alice, ref, "not_helpful", at=A_MONDAY + timedelta(days=12))
    (signal,) = log_of(alice)
    return signal


@pytest.mark.parametrize(
    ("apart", "found"), [(timedelta(days=14), ["grade_reversal"]), (timedelta(days=14, seconds=1), [])]
)
def test_9_1_grade_reversal_is_the_opposite_rating_within_fourteen_days(
    alice: User, apart: timedelta, found: list[str]
) -> None:
    allow(alice)
    turn_round(alice, f"snapshot:{snapshot_made(alice).pk}", at=A_MONDAY, apart=apart)

    assert kinds(alice) == found


@pytest.mark.parametrize(
    "comments",
    [("I agree.", "It's hard to agree.", "I agree after all."), ("同意。", "无法认同。", "帮助不小，我同意。")],
)
def test_9_1_feedback_conflict_is_the_second_comment_that_contradicts(alice: User, comments: tuple[str, ...]) -> None:
    allow(alice)
    ref = f"snapshot:{snapshot_made(alice).pk}"
    found = []
    for comment in comments:
        rate(alice, ref, "helpful", comment)
        found.append(kinds(alice))

    assert found == [[], [], ["feedback_conflict"]]


def test_9_3_a_signal_lands_in_the_log_with_the_fields_of_3_3_1(observed: DriftSignal) -> None:
    assert re.fullmatch(r"drift_20260314T093000Z_[0-9a-f]{6}", observed.drift_id)
    assert observed.object_ref.startswith("snapshot:")
    assert observed.cognition_object == {"kind": "asset", "name": "SOL"}
    assert observed.signal_kind == "grade_reversal"
    assert observed.prior_signal == {
        "value": "helpful",
        "captured_at": "2026-03-02T09:30:00+00:00",
        "captured_in_object_ref": observed.object_ref,
    }
    assert observed.current_signal["value"] == "not_helpful"
    assert observed.delta_summary == "2026-03-02 graded SOL as helpful, 2026-03-14 graded SOL as not_helpful"
    assert observed.triggers_alert
    assert observed.schema_version == "1.0"


@pytest.mark.parametrize(
    "act", ["UPDATE drift_driftsignal SET triggers_alert = false", "DELETE FROM drift_driftsignal"]
)
def test_the_database_refuses_the_application_any_change(act: str, observed: DriftSignal, alice: User) -> None:
    with acting_as(alice.pk), connection.cursor() as cursor:
        cursor.execute("SELECT current_user")
        assert cursor.fetchone() == ("finclaw_app",)
        with pytest.raises(ProgrammingError, match="permission denied"), transaction.atomic():
            cursor.execute(act)

    assert log_of(alice) == [observed]


def test_the_orm_is_refused_as_well(observed: DriftSignal, alice: User) -> None:
    observed.delta_summary = "never happened"
    for change in (observed.save, observed.delete):
        with acting_as(alice.pk), pytest.raises(ProgrammingError, match="permission denied"), transaction.atomic():
            change()

    assert [row.delta_summary for row in log_of(alice)] != ["never happened"]


def test_nobody_else_reads_it(observed: DriftSignal, bob: User) -> None:
    assert log_of(bob) == []


def test_the_same_signal_found_again_is_not_written_again(alice: User) -> None:
    allow(alice)
    with acting_as(alice.pk):
        first = record_signals(permit_of(alice), [SIGNAL], configured_thresholds())
        again = record_signals(permit_of(alice), [SIGNAL, SIGNAL], configured_thresholds())

    assert (len(first), again) == (1, [])
    assert kinds(alice) == ["grade_reversal"]


def test_without_the_scope_nothing_can_be_written(alice: User) -> None:
    permit = allow(alice, ConsentScope.MEMORY_LEARNING)

    with acting_as(alice.pk), pytest.raises(ConsentScopeMissing):
        record_signals(permit, [SIGNAL], configured_thresholds())


def _metered(kind: str, alert: str) -> float:
    labels = {"signal_kind": kind, "triggers_alert": alert}
    return REGISTRY.get_sample_value("persona_drift_total", labels) or 0.0


def test_9_3_it_is_metered_by_kind_and_told_by_its_own_name_alone(alice: User) -> None:
    allow(alice)
    ref = f"snapshot:{snapshot_made(alice).pk}"
    before = _metered("grade_reversal", "true"), _metered("feedback_conflict", "false")

    with structlog.testing.capture_logs() as lines:
        rate(alice, ref, "agree", "I agree, like my neighbour Zebedee.")
        rate(alice, ref, "agree", "This is wrong, as Zebedee says.")
        rate(alice, ref, "disagree", "Zebedee is right.")

    signals = log_of(alice)
    assert {signal.signal_kind for signal in signals} == {"grade_reversal", "feedback_conflict"}
    assert (_metered("grade_reversal", "true"), _metered("feedback_conflict", "false")) == (
        before[0] + 1,
        before[1] + 1,
    )
    told = [line for line in lines if line["event"] == "persona_drift_detected"]
    assert {line["drift_id"] for line in told} == {signal.drift_id for signal in signals}
    assert "Zebedee" not in str(lines)
    assert str(alice.pk) not in str(lines)


def test_a_comments_own_words_never_reach_the_log(alice: User) -> None:
    allow(alice)
    ref = f"snapshot:{snapshot_made(alice).pk}"
    for comment in ("I agree with Zebedee.", "Zebedee is wrong.", "认同 Zebedee"):
        rate(alice, ref, "agree", comment)

    (signal,) = log_of(alice)
    assert signal.signal_kind == "feedback_conflict"
    assert (signal.prior_signal["value"], signal.current_signal["value"]) == ("wrong", "认同")
    assert "Zebedee" not in str(vars(signal))


def test_what_was_found_before_is_not_written_down_anew_with_the_next_feedback(alice: User) -> None:
    allow(alice)
    ref = f"snapshot:{snapshot_made(alice).pk}"
    turn_round(alice, ref, times=3)
    turn_round(alice, f"snapshot:{snapshot_made(alice).pk}", times=0, at=A_MONDAY + timedelta(days=1))

    assert kinds(alice) == ["grade_reversal"] * 3
