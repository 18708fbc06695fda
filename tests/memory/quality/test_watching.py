"""By the clock: budgets are metered, and a burning one is told once an hour."""

from __future__ import annotations

from datetime import timedelta
from math import isnan

import pytest
import time_machine
from prometheus_client import REGISTRY
from pytest_django import Settings

from foundation.accounts.models import User
from foundation.alerts import ALERT_TOPIC
from foundation.database.acting_user import in_role
from foundation.database.roles import WORKER_ROLE
from foundation.outbox.models import OutboxMessage
from memory.quality.budget_alerts import check_budgets
from memory.quality.error_budget import MIN_SAMPLES
from tests.memory.quality.history import DAY, MINUTE, NOW, Turns
from tests.support.erasures import ask_to_forget

pytestmark = pytest.mark.django_db
WATCHED = {
    "injection_quality", "retrieval_latency_p95", "context_overflow_rate", "deletion_timeout_rate",
    "receipt_completeness_rate",
}  # fmt: skip


@pytest.fixture(autouse=True)
def _webhook(settings: Settings) -> None:
    settings.ALERT_WEBHOOK_URL = "http://127.0.0.1:9/"


def _check(after: timedelta = timedelta(0)) -> dict[str, str]:
    with time_machine.travel(NOW + after, tick=False):
        return check_budgets()


def _alerts() -> list[dict[str, str]]:
    with in_role(WORKER_ROLE):
        return [row.payload for row in OutboxMessage.objects.filter(topic=ALERT_TOPIC).order_by("created_at")]


def _slow(alice: User, count: int) -> None:
    turns = Turns(alice)
    for _ in range(count):
        turns.receipt("retrieval", latency_ms=900.0)


def test_a_quiet_installation_calls_nobody(db: None) -> None:
    assert _check() == dict.fromkeys(WATCHED, "quiet")
    assert _alerts() == []


def test_a_budget_that_burns_in_both_windows_pages_once_an_hour(alice: User) -> None:
    _slow(alice, MIN_SAMPLES)

    for minutes in (0, 2, 3):
        levels = _check(minutes * MINUTE)

    assert levels == dict.fromkeys(WATCHED, "quiet") | {"retrieval_latency_p95": "page"}
    (alert,) = _alerts()
    assert alert["level"] == "page"
    assert alert["indicator"] == "retrieval_latency_p95"
    assert "5 min: 20.0" in alert["rates"]
    assert str(alice.pk) not in str(alert)


def test_what_still_burns_after_an_hour_is_told_again(alice: User) -> None:
    _slow(alice, MIN_SAMPLES)
    _check()
    with time_machine.travel(NOW + 62 * MINUTE, tick=False):
        turns = Turns(alice)
    for _ in range(MIN_SAMPLES):
        turns.receipt("retrieval", latency_ms=900.0, age=-60 * MINUTE)
    _check(63 * MINUTE)

    assert [alert["level"] for alert in _alerts()] == ["page", "page"]


def test_too_few_samples_are_observed(alice: User) -> None:
    _slow(alice, MIN_SAMPLES - 1)

    assert _check()["retrieval_latency_p95"] == "observe"
    assert _alerts() == []


def test_one_erasure_past_its_term_is_enough(alice: User) -> None:
    ask_to_forget(alice, NOW - 200 * DAY)

    assert _check()["deletion_timeout_rate"] == "page"
    assert [(alert["indicator"], alert["level"]) for alert in _alerts()] == [("deletion_timeout_rate", "page")]


def test_values_and_rates_are_metered(alice: User) -> None:
    _slow(alice, MIN_SAMPLES)

    _check()

    assert REGISTRY.get_sample_value("memory_quality", {"indicator": "retrieval_latency_p95"}) == 900.0
    rate = REGISTRY.get_sample_value("memory_quality_burn_rate", {"indicator": "retrieval_latency_p95", "window": "5m"})
    assert rate == pytest.approx(20.0)
    levels = ("page", "ticket")
    labels = [{"indicator": "retrieval_latency_p95", "level": level} for level in levels]
    assert [REGISTRY.get_sample_value("memory_quality_alert", label) for label in labels] == [1.0, 0.0]
    on_target = [
        REGISTRY.get_sample_value("memory_quality_on_target", {"indicator": name}) or 0.0
        for name in ("retrieval_latency_p95", "receipt_completeness_rate", "deletion_timeout_rate")
    ]
    assert on_target[:2] == [0.0, 1.0]
    assert isnan(on_target[2])
    unmeasured = REGISTRY.get_sample_value("memory_quality", {"indicator": "injection_quality"})
    assert unmeasured is not None
    assert isnan(unmeasured)
