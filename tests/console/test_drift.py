"""Operators see how minds changed: counts by kind and week, and people who change theirs very often (D-4)."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine
from django.test import Client
from django.urls import reverse

from drift.models import DriftSignal
from finclaw.console.charts import ChartBar
from finclaw.console.drift import drift_page
from foundation.accounts.models import User
from foundation.database.acting_user import in_role
from foundation.database.roles import OPERATOR_ROLE
from tests.drift.support import rate, turn_round
from tests.support.cast import A_MONDAY, allow
from tests.support.operators import sign_in_operator
from tests.support.research import SOL, snapshot_made

PAGE, INDEX = reverse("admin:drift"), reverse("admin:index")
LOG = reverse("admin:drift_driftsignal_changelist")
WEEK = timedelta(days=7)


@pytest.fixture
def ref(alice: User) -> str:
    allow(alice)
    return f"snapshot:{snapshot_made(alice).pk}"


def _get(client: Client, address: str, days: float = 1) -> str:
    """The page as it reads that many days after the Monday."""
    with time_machine.travel(A_MONDAY + timedelta(days=days), tick=False):
        page = client.get(address)
    assert page.status_code == 200  # signed in still
    return page.content.decode()


@pytest.fixture
def as_operator(client: Client, operator: User) -> Client:
    """Signed in on the Monday, for two weeks."""
    with time_machine.travel(A_MONDAY, tick=False):
        sign_in_operator(client, operator)
    return client


def test_somebody_who_is_not_staff_is_asked_to_sign_in(client: Client, alice: User) -> None:
    client.force_login(alice, backend="django.contrib.auth.backends.ModelBackend")

    assert client.get(PAGE).status_code == 302


def test_a_week_without_a_signal_says_so(as_operator: Client) -> None:
    page = _get(as_operator, PAGE)

    assert "Nobody changed their mind unusually often." in page
    assert page.count("Nothing to draw yet.") == 2


def test_signals_are_counted_by_kind_beside_the_week_before_and_drawn_by_week(
    as_operator: Client, alice: User, bob: User, ref: str
) -> None:
    allow(bob)
    turn_round(alice, ref, times=1, at=A_MONDAY - WEEK)
    turn_round(bob, f"snapshot:{snapshot_made(bob).pk}", times=1)

    with time_machine.travel(A_MONDAY + timedelta(days=1), tick=False):
        page = as_operator.get(PAGE)
    shown = page.context["drift"]
    content = page.content.decode()

    counts = {row.key: (row.counts.signals, row.counts.alerting, row.counts.before) for row in shown.kinds}
    assert set(counts) == set(DriftSignal.Kind.values)
    assert counts["grade_reversal"] == (1, 1, 1)
    assert shown.week.people == 1
    weekly, daily = shown.charts
    assert [bar.title.split(": ")[1] for bar in weekly.bars] == ["1", "1"]
    assert [bar.title.split(" · ")[0] for bar in daily.bars] == ["23 Feb", "02 Mar"]
    assert len(weekly.legend) == 4
    assert content.count("<svg") >= 2
    assert SOL.name not in content
    assert "alice" not in content


def test_every_signal_is_drawn_in_exactly_one_week(alice: User, ref: str) -> None:
    """The reversal of the Monday, in the newest of the eight weeks at first and then in an older one."""
    turn_round(alice, ref, times=1)

    for days in (0.5, 6, 7, 8, 20, 48, 55):
        assert [bar.title.split(": ")[1] for bar in _weekly(days)] == ["1"], days
    assert _weekly(56) == ()


def _weekly(days: float) -> tuple[ChartBar, ...]:
    with in_role(OPERATOR_ROLE):
        return drift_page(A_MONDAY + timedelta(days=days)).charts[0].bars


def test_three_signals_within_a_day_warn_on_the_page_and_on_today_for_a_week(
    as_operator: Client, alice: User, ref: str
) -> None:
    turn_round(alice, ref, times=3, at=A_MONDAY + timedelta(hours=3))

    assert "changed their mind very often" not in _get(as_operator, INDEX, days=0) + _get(as_operator, PAGE, days=0)
    assert "1 person changed their mind very often within a short time this week" in _get(as_operator, INDEX)
    assert "1 person changed their mind very often" in _get(as_operator, PAGE)
    assert "changed their mind very often" not in _get(as_operator, INDEX, days=9)


def test_the_fifth_contradiction_warns_on_today_for_a_week_and_is_counted_on_the_page_for_good(
    as_operator: Client, alice: User, ref: str
) -> None:
    """The second change of sides is the first signal, so seven comments make five, one a day."""
    for number in range(7):
        words = ("Convincing.", "Misleading.")[number % 2]
        rate(alice, ref, "helpful", words, at=A_MONDAY + timedelta(days=number))
    warning = "1 person has come to contradict their own comments again and again this week"
    counted = "1 person contradicted their own comments again and again."

    assert warning not in _get(as_operator, INDEX, days=5.5)
    assert counted not in _get(as_operator, PAGE, days=5.5)
    assert warning in _get(as_operator, INDEX, days=6.5)
    assert warning not in _get(as_operator, INDEX, days=13.5)
    assert counted in _get(as_operator, PAGE, days=13.5)


def test_the_log_narrows_by_kind_alert_and_date_and_names_no_object(as_operator: Client, alice: User, ref: str) -> None:
    turn_round(alice, ref, times=1)
    narrowed = [
        ({"signal_kind__exact": "grade_reversal"}, 1),
        ({"signal_kind__exact": "feedback_conflict"}, 0),
        ({"triggers_alert__exact": "1"}, 1),
        ({"triggers_alert__exact": "0"}, 0),
        ({"created_at__year": "2026", "created_at__month": "3"}, 1),
        ({"created_at__year": "2025"}, 0),
        ({"q": "alice"}, 1),
        ({"q": SOL.name}, 0),
    ]
    with time_machine.travel(A_MONDAY + timedelta(hours=1), tick=False):
        for query, found in narrowed:
            assert as_operator.get(LOG, query).context["cl"].result_count == found, query
    listed = _get(as_operator, LOG)
    assert "thumbs_up → thumbs_down" in listed
    assert SOL.name not in listed
