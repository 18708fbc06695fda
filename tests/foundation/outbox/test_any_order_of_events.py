"""Whatever happens in whatever order: no row is lost, none has two effects, none exceeds its attempts."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

import pytest
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from foundation.accounts.models import User
from foundation.database.acting_user import in_role
from foundation.database.roles import WORKER_ROLE
from foundation.outbox import leases, services
from foundation.outbox.exceptions import LostLease
from foundation.outbox.jobs import Job
from foundation.outbox.models import OutboxMessage
from tests.foundation.outbox.support import enqueue_for

State = OutboxMessage.State
STEPS = ("enqueue", "claim", "complete", "fail", "die", "reclaim", "wait", "retry")


class World:
    """The queue, the workers' claims that were never answered, and how often each job had its effect."""

    def __init__(self, user: User) -> None:
        self.user = user
        self.queued: set[UUID] = set()
        self.claims: list[OutboxMessage] = []
        self.effects: dict[UUID, int] = {}

    def enqueue(self) -> None:
        self.queued.add(enqueue_for(self.user).pk)

    def claim(self) -> None:
        if (claimed := leases.claim()) is not None:
            self.claims.append(claimed)

    def complete(self) -> None:
        if not self.claims:
            return
        job = Job(self.claims.pop(0))
        try:
            with job.completing():
                pass
        except LostLease:
            return
        self.effects[job.id] = self.effects.get(job.id, 0) + 1

    def fail(self) -> None:
        if self.claims:
            services.fail(self.claims.pop(), ValueError())

    def die(self) -> None:
        """Every lease runs out; the workers may still wake up later and try to complete."""
        self._update(OutboxMessage.objects.filter(state=State.PROCESSING), leased_until=timezone.now())

    def reclaim(self) -> None:
        services.reclaim()

    def wait(self) -> None:
        self._update(OutboxMessage.objects.all(), available_at=timezone.now() - timedelta(seconds=1))

    def retry(self) -> None:
        with in_role(WORKER_ROLE):
            services.retry_failed(list(OutboxMessage.objects.values_list("pk", flat=True)))

    def _update(self, rows: object, **fields: object) -> None:
        with in_role(WORKER_ROLE):
            rows.update(**fields)  # type: ignore[attr-defined]

    def check(self) -> None:
        with in_role(WORKER_ROLE):
            rows = list(OutboxMessage.objects.filter(pk__in=self.queued))
        assert {row.pk for row in rows} == self.queued
        for row in rows:
            assert row.attempts <= row.max_attempts
            assert self.effects.get(row.pk, 0) == (row.state == State.DONE)
            assert (row.leased_until is not None) == (row.state == State.PROCESSING)


@pytest.mark.django_db
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(st.sampled_from(STEPS), min_size=5, max_size=40))
def test_nothing_is_lost_or_doubled(alice: User, steps: list[str]) -> None:
    world = World(alice)
    for step in steps:
        getattr(world, step)()
        world.check()
    with in_role(WORKER_ROLE):
        OutboxMessage.objects.all().delete()
