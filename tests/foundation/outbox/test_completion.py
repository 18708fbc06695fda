"""Effects and completion stand or fall together; a lease that ran out takes both back."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox import leases, services
from foundation.outbox.abandoned_rows import take_back_abandoned
from foundation.outbox.exceptions import LostLease
from foundation.outbox.job_run import run
from foundation.outbox.jobs import Handler, Job
from foundation.outbox.models import OutboxMessage
from foundation.outbox.tasks import KEEP_FINISHED, drain, sweep
from tests.foundation.outbox.support import TOPIC, change, enqueue_for, row

State = OutboxMessage.State


def _leave_effect(job: Job) -> None:
    """An effect under row-level security: another row of the same user."""
    services.enqueue("test.effect", user_id=job.user_id, payload={}, delay=timedelta(days=1))


def _effects(user: User) -> int:
    with acting_as(user.pk):
        return OutboxMessage.objects.filter(topic="test.effect").count()


def _complete_with_effect(job: Job) -> None:
    with job.completing():
        _leave_effect(job)
        job.result["answer"] = 42


def _claimed(user: User) -> OutboxMessage:
    enqueue_for(user)
    claimed = leases.claim()
    assert claimed is not None
    return claimed


def test_a_job_that_completes_is_done_with_its_result(alice: User, handlers: dict[str, Handler]) -> None:
    handlers[TOPIC] = _complete_with_effect
    message = enqueue_for(alice)

    assert drain() == 1

    done = row(message.pk)
    assert (done.state, done.result, done.leased_until) == (State.DONE, {"answer": 42}, None)
    assert done.finished_at is not None
    assert _effects(alice) == 1


def test_a_handler_works_as_the_jobs_user(alice: User, bob: User, handlers: dict[str, Handler]) -> None:
    seen: list[set[object]] = []

    def look(job: Job) -> None:
        with job.completing():
            seen.append(set(OutboxMessage.objects.values_list("user_id", flat=True)))

    handlers[TOPIC] = look
    enqueue_for(alice)
    enqueue_for(bob)
    drain()

    assert seen == [{alice.pk}, {bob.pk}]


def test_a_failure_inside_completing_leaves_no_effect(alice: User, handlers: dict[str, Handler]) -> None:
    def fail_late(job: Job) -> None:
        with job.completing():
            _leave_effect(job)
            raise ValueError("something a user wrote")

    handlers[TOPIC] = fail_late
    message = enqueue_for(alice)
    drain()

    assert _effects(alice) == 0
    assert row(message.pk).state == State.PENDING


def test_whoever_lost_the_lease_writes_nothing(alice: User) -> None:
    slow = _claimed(alice)
    change(slow.pk, leased_until=timezone.now() - timedelta(seconds=1))
    services.reclaim()
    quick = leases.claim()
    assert quick is not None

    with pytest.raises(LostLease):
        _complete_with_effect(Job(slow))

    assert _effects(alice) == 0
    assert row(slow.pk).state == State.PROCESSING
    _complete_with_effect(Job(quick))
    assert _effects(alice) == 1
    assert row(slow.pk).state == State.DONE


def test_losing_the_lease_is_no_failure_of_the_job(alice: User, handlers: dict[str, Handler]) -> None:
    handlers[TOPIC] = _complete_with_effect
    slow = _claimed(alice)
    change(slow.pk, attempts=2)

    run(slow)

    after = row(slow.pk)
    assert (after.state, after.attempts, after.error_class) == (State.PROCESSING, 2, "")


def test_completing_twice_is_refused(alice: User) -> None:
    claimed = _claimed(alice)
    _complete_with_effect(Job(claimed))

    with pytest.raises(LostLease):
        _complete_with_effect(Job(claimed))

    assert _effects(alice) == 1


def test_cancelled_while_running_leaves_no_effect(alice: User) -> None:
    claimed = _claimed(alice)
    change(claimed.pk, state=State.CANCELLED)

    with pytest.raises(LostLease):
        _complete_with_effect(Job(claimed))

    assert _effects(alice) == 0


def test_work_of_nobody_has_no_user_to_ask_for(db: None, handlers: dict[str, Handler]) -> None:
    message = services.enqueue(TOPIC, user_id=None, payload={})

    with pytest.raises(ValueError, match="nobody"):
        _ = Job(message).user_id


def test_a_sweep_forgets_what_ended_long_ago_and_keeps_dead_letters(alice: User, handlers: dict[str, Handler]) -> None:
    long_ago = timezone.now() - KEEP_FINISHED - timedelta(minutes=1)
    old = {
        state: enqueue_for(alice, delay=timedelta(days=1)).pk for state in (State.DONE, State.CANCELLED, State.FAILED)
    }
    for state, message_id in old.items():
        change(message_id, state=state, finished_at=long_ago)
    recent = enqueue_for(alice, delay=timedelta(days=1)).pk
    change(recent, state=State.DONE, finished_at=long_ago + timedelta(minutes=2))

    sweep()

    with acting_as(alice.pk):
        kept = set(OutboxMessage.objects.values_list("pk", flat=True))
    assert kept == {old[State.FAILED], recent}


def test_what_a_dead_worker_held_has_its_effect_once(alice: User, handlers: dict[str, Handler]) -> None:
    handlers[TOPIC] = _complete_with_effect
    held = _claimed(alice)
    change(held.pk, leased_until=timezone.now() - timedelta(seconds=1))

    take_back_abandoned()
    drain()
    with pytest.raises(LostLease):  # the dead one wakes up
        _complete_with_effect(Job(held))

    done = row(held.pk)
    assert (done.state, done.attempts) == (State.DONE, 2)
    assert _effects(alice) == 1
