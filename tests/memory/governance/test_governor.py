"""The governor: indicators and settings in, work and warnings out."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.test import override_settings
from django.utils import timezone

from foundation.accounts.models import Tenant, User
from foundation.alerts import ALERT_TOPIC
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import WORKER_ROLE
from foundation.outbox.models import OutboxMessage
from foundation.outbox.tasks import drain
from memory.governance import governor
from memory.governance.governor import GOVERN_TOPIC, UpkeepStep, decide_measures
from memory.governance.thresholds import Thresholds
from memory.quality.indicators import IndicatorReading, IndicatorTarget
from memory.services import item_decisions, item_queries
from tests.support.cast import A_MONDAY, allow
from tests.support.talk import permit_of
from tests.support.upkeep import remember, reread

CLEAN_UP, RESOLVE = UpkeepStep.CLEAN_UP, UpkeepStep.RESOLVE


def _reading(name: str, value: float | None, sample: int = 100) -> IndicatorReading:
    numerator = round((value or 0) * sample)
    return IndicatorReading(name, numerator, sample, value, timedelta(days=7), IndicatorTarget("below", 0.15))


def _jobs(topic: str) -> list[OutboxMessage]:
    with in_role(WORKER_ROLE):
        return list(OutboxMessage.objects.filter(topic=topic).order_by("created_at", "id"))


def _in_a_tenant(user: User, **governance: Any) -> Tenant:
    user.tenant = Tenant.objects.create(name=f"{user.username}'s desk", settings={"governance": governance})
    user.save()
    return user.tenant


def _stale(user: User) -> None:
    """Three memories of which two are over: a staleness of two thirds."""
    for place in ("Berlin", "Hamburg"):
        remember(user, f"Was in {place}", "trip", place, invalid_at=A_MONDAY + timedelta(days=1))
    remember(user, "Follows BTC", "follows", "BTC")


@pytest.mark.parametrize(
    ("staleness", "conflict", "steps", "warned"),
    [
        (0.10, 0.05, (), []),
        (None, None, (), []),
        (0.15, 0.05, (), ["staleness_rate"]),
        (0.20, 0.05, (), ["staleness_rate"]),
        (0.21, 0.05, (CLEAN_UP,), ["staleness_rate"]),
        (0.10, 0.10, (), ["conflict_rate"]),
        (0.10, 0.11, (RESOLVE,), ["conflict_rate"]),
        (0.50, 0.50, (RESOLVE, CLEAN_UP), ["conflict_rate", "staleness_rate"]),
    ],
)
def test_the_seeds_governing_rules(
    staleness: float | None, conflict: float | None, steps: tuple[UpkeepStep, ...], warned: list[str]
) -> None:
    found = decide_measures(_reading("staleness_rate", staleness), _reading("conflict_rate", conflict), Thresholds())
    assert found.steps == steps
    assert [reading.name for reading in found.warnings] == warned


def test_a_small_sample_is_seen_to_and_warns_nobody() -> None:
    found = decide_measures(_reading("staleness_rate", 0.9, 29), _reading("conflict_rate", 0.0), Thresholds())
    assert (found.steps, found.warnings) == ((CLEAN_UP,), ())


def test_everybody_with_memories_is_seen_to_once_a_day(alice: User, bob: User, charlie: User) -> None:
    for user in (alice, bob, charlie):
        allow(user)
    remember(alice, "Lives in Berlin")
    remember(bob, "Lives in Berlin")
    with time_machine.travel(A_MONDAY, tick=False):
        assert governor.queue_daily_upkeep() == 2
        assert governor.queue_daily_upkeep() == 0
    with time_machine.travel(A_MONDAY + timedelta(days=1), tick=False):
        assert governor.queue_daily_upkeep() == 2
    jobs = _jobs(GOVERN_TOPIC)
    assert {job.user_id for job in jobs} == {alice.pk, bob.pk}
    assert all(job.payload == {"steps": [step.value for step in UpkeepStep]} for job in jobs)


def test_only_the_people_of_a_tenant_off_target_are_seen_to(alice: User, bob: User) -> None:
    for user in (alice, bob):
        allow(user)
        _in_a_tenant(user)
    _stale(alice)
    remember(bob, "Lives in Berlin")
    assert governor.act_on_indicators() == 1
    [job] = _jobs(GOVERN_TOPIC)
    assert (job.user_id, job.payload) == (alice.pk, {"steps": ["clean_up"]})
    assert governor.act_on_indicators() == 0
    drain()
    with acting_as(alice.pk):
        active = item_queries.items_of(permit_of(alice)).filter(state="active")
        assert [item.content for item in active] == ["Follows BTC"]


def test_a_tenant_may_bear_more(alice: User) -> None:
    allow(alice)
    _in_a_tenant(alice, staleness_rate=0.9)
    _stale(alice)
    assert governor.act_on_indicators() == 0


def test_people_of_no_tenant_are_governed_too(alice: User) -> None:
    allow(alice)
    _stale(alice)
    assert governor.act_on_indicators() == 1


def test_a_chain_of_changed_minds_has_contradictions_resolved(alice: User) -> None:
    allow(alice)
    item = remember(alice, "Lives in Berlin", value="Berlin")
    with acting_as(alice.pk):
        for place in ("Hamburg", "Munich"):
            item = item_decisions.correct(permit_of(alice), item.pk, f"Lives in {place}")
    assert governor.act_on_indicators() == 1
    [job] = _jobs(GOVERN_TOPIC)
    assert "resolve" in job.payload["steps"]


def test_an_objective_missed_is_told_once_a_day(alice: User) -> None:
    allow(alice)
    tenant = _in_a_tenant(alice, smallest_sample=3)
    _stale(alice)
    with override_settings(ALERT_WEBHOOK_URL="http://127.0.0.1:9/alerts"):
        governor.act_on_indicators()
        governor.act_on_indicators()
    [alert] = _jobs(ALERT_TOPIC)
    assert alert.payload == {
        "kind": "memory_governance",
        "level": "ticket",
        "indicator": "staleness_rate",
        "tenant": str(tenant.pk),
        "value": "0.667",
    }


def test_a_full_queue_is_not_made_longer(alice: User) -> None:
    allow(alice)
    remember(alice, "Lives in Berlin")
    with override_settings(OUTBOX_COLD_LIMIT=0):
        assert governor.queue_daily_upkeep() == 0
    assert governor.queue_daily_upkeep() == 1


def test_a_days_upkeep_does_everything_there_is_to_do(alice: User) -> None:
    allow(alice)
    long_ago = timezone.now() - timedelta(days=200)
    for value in ("spicy food", "very spicy food", "spicy food places"):
        remember(alice, f"Likes {value}", "likes", value)
    loser = remember(alice, "Lives in Berlin", value="Berlin")
    remember(alice, "Lives in Hamburg", value="Hamburg", valid_at=A_MONDAY + timedelta(days=1))
    used = remember(alice, "Follows BTC", "follows", "BTC", injection_count=10, positive_count=10)
    old = remember(alice, "Likes sporty styles", "style", "sporty", last_validated_at=long_ago)
    governor.queue_daily_upkeep()
    drain()
    [job] = _jobs(GOVERN_TOPIC)
    assert job.result == {
        "changed": {"consolidate": 1, "resolve": 1, "calibrate": 1, "clean_up": 1},
        "degraded": [],
    }
    assert reread(alice, loser.pk).state == "superseded"
    assert reread(alice, used.pk).confidence == pytest.approx(0.6)
    assert reread(alice, old.pk).epistemic_type == "outdated"
