"""The tour in the terminal goes on where a running installation's workers took its jobs."""

from __future__ import annotations

import pytest

from finclaw.management.commands import demo
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.models import OutboxMessage
from foundation.outbox.services import enqueue


def test_it_waits_for_a_job_that_a_worker_began(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    with acting_as(alice.pk):
        job = enqueue("memory.observe", user_id=alice.pk, payload={})
        OutboxMessage.objects.filter(pk=job.pk).update(state=OutboxMessage.State.PROCESSING)
    looks: list[float] = []

    def end_job(seconds: float) -> None:
        looks.append(seconds)
        with acting_as(alice.pk):
            OutboxMessage.objects.filter(pk=job.pk).update(state=OutboxMessage.State.DONE)

    monkeypatch.setattr(demo, "sleep", end_job)
    demo.finish_jobs(alice)
    assert looks == [demo.LOOK_SECONDS]
