"""Open erasures are metered, warned of once a level, and handed to the operators when their term ends (C-10)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
import time_machine
from prometheus_client import REGISTRY
from pytest_django import Settings

from consent import erasure_deadlines
from consent.erasure import services
from consent.erasure_deadlines import check_erasure_deadlines
from consent.models import Tombstone
from consent.models.erasure_states import ErasureState
from foundation.accounts.models import User
from foundation.alerts import ALERT_TOPIC
from foundation.database.acting_user import in_role
from foundation.database.roles import WORKER_ROLE
from foundation.exceptions import FinClawError
from foundation.outbox.models import OutboxMessage
from tests.support.erasures import ask_to_forget, audited, reread

ASKED = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
QUIET = {"fine": 0, "warn": 0, "critical": 0, "overdue": 0}


@pytest.fixture
def erasure(alice: User, settings: Settings) -> Tombstone:
    """Asked for by Alice, and never worked on."""
    settings.LEGAL_PROFILE = "gdpr"
    settings.ALERT_WEBHOOK_URL = "http://127.0.0.1:9/"
    return ask_to_forget(alice, ASKED)


def _sweep_with(left_pct: float, erasure: Tombstone) -> dict[str, int]:
    term = erasure.due_at - erasure.requested_at
    with time_machine.travel(erasure.due_at - term * left_pct / 100, tick=False):
        return check_erasure_deadlines()


def _alerts() -> list[dict[str, str]]:
    with in_role(WORKER_ROLE):
        return [row.payload for row in OutboxMessage.objects.filter(topic=ALERT_TOPIC).order_by("created_at")]


def test_nothing_open_reads_as_nothing(db: None) -> None:
    assert check_erasure_deadlines() == QUIET


@pytest.mark.parametrize(("left", "level"), [(80, "fine"), (20, "warn"), (5, "critical"), (-1, "overdue")])
def test_the_gauge_tells_every_level(erasure: Tombstone, left: float, level: str) -> None:
    assert _sweep_with(left, erasure) == QUIET | {level: 1}

    gauge = {name: REGISTRY.get_sample_value("erasure_open", {"urgency": name}) for name in QUIET}
    assert gauge == QUIET | {level: 1}


def test_everybodys_are_counted(erasure: Tombstone, bob: User) -> None:
    ask_to_forget(bob, ASKED + timedelta(days=20))

    assert _sweep_with(20, erasure) == QUIET | {"fine": 1, "warn": 1}


def test_each_level_is_warned_of_once_and_written_down(erasure: Tombstone, caplog: pytest.LogCaptureFixture) -> None:
    for left in (80, 20, 15, 5, 4):
        _sweep_with(left, erasure)

    assert audited(erasure) == ["erasure.requested", "erasure.warned", "erasure.critical"]
    assert [alert["level"] for alert in _alerts()] == ["warn", "critical"]
    lines = [record.getMessage() for record in caplog.records if "erasure_due" in record.getMessage()]
    assert ["warn" in lines[0], "critical" in lines[1], len(lines)] == [True, True, 2]
    assert all(str(erasure.pk) in line and str(erasure.user_id) not in line for line in lines)


def test_the_alert_names_the_erasure_and_its_end_and_nobody(erasure: Tombstone) -> None:
    _sweep_with(20, erasure)

    (alert,) = _alerts()
    assert alert == {
        "kind": "erasure", "level": "warn", "tombstone_id": str(erasure.pk), "due_at": erasure.due_at.isoformat(),
    }  # fmt: skip


def test_past_its_term_it_is_an_operators_with_the_reason(erasure: Tombstone) -> None:
    _sweep_with(-1, erasure)
    _sweep_with(-2, erasure)

    row = reread(erasure.pk)
    assert row.state == ErasureState.ESCALATED
    assert [step.reason for step in row.steps.all()][-1] == "sla_exceeded"
    assert sorted(audited(erasure)) == ["erasure.escalated", "erasure.overdue", "erasure.requested"]
    assert [alert["level"] for alert in _alerts()] == ["overdue"]


def test_one_that_cannot_be_seen_to_does_not_keep_the_others_waiting(
    erasure: Tombstone, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = ask_to_forget(bob, ASKED)

    def stumbling(tombstone_id: UUID, user_id: UUID, *, reason: str) -> bool:
        if tombstone_id == erasure.pk:
            raise FinClawError()
        return services.escalate_erasure(tombstone_id, user_id, reason=reason)

    monkeypatch.setattr(erasure_deadlines, "escalate_erasure", stumbling)
    _sweep_with(-1, erasure)

    assert (reread(erasure.pk).state, reread(other.pk).state) == (ErasureState.QUEUED, ErasureState.ESCALATED)
