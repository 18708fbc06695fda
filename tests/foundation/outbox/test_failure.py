"""Failures wait longer each time, end as dead letters, and keep a class instead of words."""

from __future__ import annotations

import logging
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks, Settings

from foundation.accounts.models import User
from foundation.database.acting_user import in_role
from foundation.database.roles import OPERATOR_ROLE, WORKER_ROLE
from foundation.outbox import leases, services
from foundation.outbox.exceptions import LostLease
from foundation.outbox.jobs import Handler, Job
from foundation.outbox.models import OutboxMessage
from foundation.outbox.tasks import drain
from tests.foundation.outbox.support import TOPIC, change, enqueue_for, row

State = OutboxMessage.State
SECRET = "My grandmother hid 40,000 in the piano"


def _raise(job: Job) -> None:
    raise ValueError(SECRET)


def _let_time_pass(message: OutboxMessage) -> None:
    change(message.pk, available_at=timezone.now() - timedelta(seconds=1))


def _tried(message: OutboxMessage, times: int) -> None:
    for _ in range(times):
        _let_time_pass(message)
        drain()


@pytest.mark.parametrize(("attempt", "seconds"), [(1, 2), (2, 4), (3, 8), (4, 16)])
def test_the_pause_doubles_with_each_attempt(
    alice: User, handlers: dict[str, Handler], attempt: int, seconds: int
) -> None:
    handlers[TOPIC] = _raise
    message = enqueue_for(alice)

    _tried(message, attempt - 1)
    _let_time_pass(message)
    before = timezone.now()
    drain()
    after = timezone.now()

    failed = row(message.pk)
    assert (failed.state, failed.attempts, failed.leased_until) == (State.PENDING, attempt, None)
    assert before + timedelta(seconds=seconds) <= failed.available_at <= after + timedelta(seconds=seconds)


def test_used_up_attempts_make_a_dead_letter_that_nobody_claims(
    alice: User, handlers: dict[str, Handler], settings: Settings
) -> None:
    settings.OUTBOX_MAX_ATTEMPTS = 3
    handlers[TOPIC] = _raise
    message = enqueue_for(alice)

    _tried(message, 5)

    dead = row(message.pk)
    assert (dead.state, dead.attempts, dead.error_class) == (State.FAILED, 3, "ValueError")
    assert dead.finished_at is not None


def test_a_failure_keeps_its_class_and_sqlstate_and_none_of_its_words(
    alice: User, handlers: dict[str, Handler], caplog: pytest.LogCaptureFixture
) -> None:
    def break_a_rule(job: Job) -> None:
        with job.completing(), connection.cursor() as cursor:
            cursor.execute("SELECT %s::integer", [SECRET])

    handlers[TOPIC] = break_a_rule
    message = enqueue_for(alice)
    with caplog.at_level(logging.DEBUG):
        drain()

    failed = row(message.pk)
    assert (failed.error_class, failed.error_sqlstate) == ("DataError", "22P02")
    assert SECRET not in str(vars(failed))
    assert "job_failed" in caplog.text
    assert SECRET not in caplog.text


def test_a_topic_without_a_handler_is_a_dead_letter_at_once(alice: User, handlers: dict[str, Handler]) -> None:
    message = enqueue_for(alice, topic="test.unheard_of")

    drain()

    assert (row(message.pk).state, row(message.pk).attempts) == (State.FAILED, 1)


def test_one_bad_job_does_not_stop_the_others(alice: User, handlers: dict[str, Handler]) -> None:
    def complete(job: Job) -> None:
        with job.completing():
            pass

    handlers |= {TOPIC: complete, "test.bad": _raise}
    bad, good = enqueue_for(alice, topic="test.bad"), enqueue_for(alice)

    assert drain() == 2
    assert (row(bad.pk).state, row(good.pk).state) == (State.PENDING, State.DONE)


def test_a_lease_that_holds_is_left_alone(alice: User) -> None:
    enqueue_for(alice)
    assert leases.claim() is not None

    assert services.reclaim() == (0, 0)


def test_a_lease_that_ran_out_gives_the_row_back_with_its_attempt_used(alice: User) -> None:
    message = enqueue_for(alice)
    leases.claim()
    change(message.pk, leased_until=timezone.now() - timedelta(seconds=1))

    assert services.reclaim() == (1, 0)

    after = row(message.pk)
    assert (after.state, after.attempts, after.error_class) == (State.PENDING, 1, "WorkerDied")


def _lose_worker(message: OutboxMessage) -> tuple[int, int]:
    """Claim the row, and let its worker die; how many rows wait again, and how many are dead letters."""
    assert leases.claim() is not None
    change(message.pk, leased_until=timezone.now() - timedelta(seconds=1))
    return services.reclaim()


def test_deaths_of_its_workers_leave_a_row_all_its_attempts(
    alice: User, handlers: dict[str, Handler], settings: Settings
) -> None:
    settings.OUTBOX_MAX_ATTEMPTS = 2
    handlers[TOPIC] = _raise
    message = enqueue_for(alice)
    assert [_lose_worker(message) for _ in range(6)] == [(1, 0)] * 6

    _tried(message, 1)
    assert row(message.pk).state == State.PENDING
    _tried(message, 1)

    assert (row(message.pk).state, row(message.pk).error_class) == (State.FAILED, "ValueError")


@pytest.mark.parametrize("attempts", [0, 2])  # made good for something else before, too
def test_a_job_that_kills_its_worker_every_time_becomes_a_dead_letter(
    alice: User, settings: Settings, attempts: int
) -> None:
    settings.OUTBOX_MAX_ATTEMPTS, settings.OUTBOX_MOST_CLAIMS = 3, 4
    message = enqueue_for(alice)
    change(message.pk, attempts=attempts, max_attempts=3 + attempts)

    outcomes = [_lose_worker(message) for _ in range(max(4, 3 + attempts) - attempts)]

    assert outcomes == [(1, 0)] * (len(outcomes) - 1) + [(0, 1)]
    dead = row(message.pk)
    assert (dead.state, dead.attempts, dead.error_class) == (State.FAILED, max(4, 3 + attempts), "WorkerDied")
    assert leases.claim() is None


def test_a_worker_that_only_seemed_dead_completes_nothing(alice: User) -> None:
    message = enqueue_for(alice)
    first = leases.claim()
    change(message.pk, leased_until=timezone.now() - timedelta(seconds=1))
    services.reclaim()
    leases.claim()

    assert first is not None
    with pytest.raises(LostLease), in_role(WORKER_ROLE):
        services.complete(first)


def test_an_operator_gives_dead_letters_a_fresh_set_of_attempts(
    alice: User, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    dead, waiting = enqueue_for(alice), enqueue_for(alice)
    change(dead.pk, state=State.FAILED, attempts=5, finished_at=timezone.now())

    with django_capture_on_commit_callbacks() as callbacks, in_role(OPERATOR_ROLE):
        assert services.retry_failed([dead.pk, waiting.pk]) == 1

    after = row(dead.pk)
    assert (after.state, after.attempts, after.finished_at) == (State.PENDING, 0, None)
    assert len(callbacks) == 1
