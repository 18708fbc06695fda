"""Operators are warned of much drift at once, and of comments that contradict each other for ever (seed A §9.4)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
import structlog
from django.forms.models import model_to_dict
from pytest_django import Settings

from foundation.accounts.models import Tenant, User
from foundation.database.acting_user import acting_as
from memory.models import UserContext
from memory.research.profile_context import save_profile_context
from tests.drift.support import alerts, kinds, log_of, rate, turn_round
from tests.support.cast import A_MONDAY, allow
from tests.support.organisation import employ
from tests.support.research import snapshot_made
from tests.support.talk import permit_of

EIGHT_HOURS = timedelta(hours=8)


@pytest.fixture(autouse=True)
def _webhook(settings: Settings) -> None:
    settings.ALERT_WEBHOOK_URL = "http://127.0.0.1:9/"


@pytest.fixture
def ref(alice: User) -> str:
    allow(alice)
    return f"snapshot:{snapshot_made(alice).pk}"


def _warned(lines: list[Any], what: str) -> list[int]:
    said = [line for line in lines if line["event"] == "persona_drift_accumulates" and line["what"] == what]
    assert {line["log_level"] for line in said} <= {"warning"}
    return [line["signals"] for line in said]


def test_two_signals_within_a_day_warn_nobody(alice: User, ref: str) -> None:
    with structlog.testing.capture_logs() as lines:
        turn_round(alice, ref, times=2)

    assert _warned(lines, "burst") == []
    assert alerts() == []


def test_9_4_a_single_grade_reversal_is_recorded_and_changes_nothing(alice: User, ref: str) -> None:
    with acting_as(alice.pk):
        stated = save_profile_context(
            permit_of(alice), {"research_depth": "deep", "risk_prompt_preference": "risk_first"}
        )
    with structlog.testing.capture_logs() as lines:
        turn_round(alice, ref)

    assert kinds(alice) == ["grade_reversal"]
    assert {line["log_level"] for line in lines} <= {"info"}
    with acting_as(alice.pk):
        assert model_to_dict(UserContext.objects.get()) == model_to_dict(stated)


def test_9_4_three_drifts_within_24_hours_are_warned_of_and_told_once(alice: User, ref: str) -> None:
    with structlog.testing.capture_logs() as lines:
        turn_round(alice, ref, times=4)

    third = log_of(alice)[2]
    assert _warned(lines, "burst") == [3, 4]
    (alert,) = alerts()
    assert alert == {
        "kind": "drift", "level": "warn", "what": "burst", "drift_id": third.drift_id,
        "at": third.created_at.isoformat(),
    }  # fmt: skip
    assert str(alice.pk) not in str(lines)


def test_the_first_of_three_is_just_within_a_day(alice: User, ref: str) -> None:
    turn_round(alice, ref, times=3, apart=timedelta(hours=12) - timedelta(seconds=1))

    assert [alert["what"] for alert in alerts()] == ["burst"]


def test_the_first_of_three_is_a_day_away(alice: User, ref: str) -> None:
    turn_round(alice, ref, times=3, apart=timedelta(hours=12))

    assert alerts() == []


def test_another_burst_is_told_anew(alice: User, ref: str) -> None:
    turn_round(alice, ref, times=3)
    turn_round(alice, ref, times=3, at=A_MONDAY + timedelta(days=3))

    assert [alert["what"] for alert in alerts()] == ["burst", "burst"]


def test_signals_of_two_people_are_no_burst(alice: User, bob: User, ref: str) -> None:
    allow(bob)
    turn_round(alice, ref, times=2)
    turn_round(bob, f"snapshot:{snapshot_made(bob).pk}", times=2)

    assert alerts() == []


def test_9_4_five_feedback_conflicts_in_all_are_warned_of_however_far_apart(alice: User, ref: str) -> None:
    with structlog.testing.capture_logs() as lines:
        for number in range(8):
            comment = ("I agree.", "这个结论错了。")[number % 2]
            rate(alice, ref, "helpful", comment, at=A_MONDAY + number * timedelta(days=40))

    assert kinds(alice) == ["feedback_conflict"] * 6
    assert _warned(lines, "conflicts") == [5, 6]
    assert [(alert["what"], alert["drift_id"]) for alert in alerts()] == [("conflicts", log_of(alice)[4].drift_id)]


def test_an_organisation_sets_its_own_limits(alice: User, ref: str) -> None:
    employ(Tenant.objects.create(name="Nervous", settings={"drift": {"burst_signals": 2}}), alice)

    turn_round(alice, ref, times=2)

    assert [alert["what"] for alert in alerts()] == ["burst"]
