"""A job's model calls count as background work, also where another thread makes them."""

from __future__ import annotations

import pytest

from foundation.accounts.models import User
from foundation.call_priority import CallPriority, current_priority
from foundation.coroutines import call_in_thread
from foundation.outbox.jobs import Handler, Job
from foundation.outbox.tasks import drain
from tests.foundation.outbox.support import TOPIC, enqueue_for

pytestmark = pytest.mark.django_db


def test_what_a_job_asks_a_model_takes_nothing_from_turns(alice: User, handlers: dict[str, Handler]) -> None:
    seen: list[CallPriority] = []

    def work(job: Job) -> None:
        seen.append(current_priority())
        seen.append(call_in_thread(current_priority))
        with job.completing():
            pass

    handlers[TOPIC] = work
    enqueue_for(alice)

    assert drain() == 1

    assert seen == ["background", "background"]
    assert current_priority() == "turn"
