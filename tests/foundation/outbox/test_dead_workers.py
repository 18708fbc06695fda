"""What a dead worker held is taken back when its lease ends; one that lives keeps its rows, however slow it is."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from unittest.mock import patch

import pytest
from django.db import OperationalError, connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django_q.models import OrmQ
from pytest_django import Settings

from foundation.accounts.models import User
from foundation.coroutines import call_in_thread
from foundation.database.acting_user import acting_as, separate_connection
from foundation.outbox import abandoned_rows, leases, services
from foundation.outbox.abandoned_rows import AbandonedRowsWatch, take_back_abandoned
from foundation.outbox.exceptions import LostLease
from foundation.outbox.jobs import Handler, Job
from foundation.outbox.models import OutboxMessage
from foundation.outbox.tasks import drain
from foundation.outbox.worker_wakeup import DRAINS, wake_worker
from tests.foundation.outbox.support import TOPIC, change, enqueue_for, row
from tests.support.waiting import wait_for

State = OutboxMessage.State
LEASE_SECONDS = 0.2


@pytest.fixture(autouse=True)
def _short_leases(settings: Settings) -> None:
    settings.OUTBOX_LEASE_SECONDS = LEASE_SECONDS


def _claimed(user: User, **more: object) -> OutboxMessage:
    enqueue_for(user, **more)
    claimed = leases.claim()
    assert claimed is not None
    return claimed


# Whose worker died.


@pytest.mark.django_db
def test_the_rows_of_a_dead_worker_wait_again_whoever_they_are_for(alice: User, bob: User) -> None:
    held = [_claimed(alice), _claimed(bob)]  # and nobody renews them

    with patch.object(abandoned_rows, "wake_worker") as wake:
        wait_for(lambda: _taken_back(held))

    assert {row(message.pk).error_class for message in held} == {"WorkerDied"}
    assert wake.called


def _taken_back(held: list[OutboxMessage]) -> bool:
    take_back_abandoned()
    return {row(message.pk).state for message in held} == {State.PENDING}


@pytest.mark.django_db
def test_its_death_uses_up_no_attempt(alice: User) -> None:
    held = _claimed(alice)
    change(held.pk, leased_until=timezone.now())

    assert services.reclaim() == (1, 0)

    after = row(held.pk)
    assert after.max_attempts - after.attempts == held.max_attempts


@pytest.mark.django_db
def test_nobody_is_woken_where_all_live(alice: User) -> None:
    change(_claimed(alice).pk, leased_until=timezone.now() + timedelta(hours=1))
    with patch.object(abandoned_rows, "wake_worker") as wake:
        take_back_abandoned()
    assert not wake.called


@pytest.mark.django_db
def test_nothing_is_taken_until_a_database_that_was_away_has_been_there_for_a_lease(
    alice: User, settings: Settings
) -> None:
    held = _claimed(alice)
    change(held.pk, leased_until=timezone.now())
    settings.OUTBOX_LEASE_SECONDS = 10 * 365 * 24 * 3600  # longer than PostgreSQL has run

    assert services.reclaim() == (0, 0)


# Whose worker lives.


def _compute() -> None:
    time.sleep(3 * LEASE_SECONDS)


def _wait_aside() -> None:
    call_in_thread(_compute)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("work", [_compute, _wait_aside])
@pytest.mark.parametrize("deaths", [0, 2])  # after two it runs alone
def test_a_slow_worker_that_lives_keeps_its_rows(
    alice: User, handlers: dict[str, Handler], work: Callable[[], None], deaths: int
) -> None:
    taken: list[tuple[int, int]] = []

    def be_slow(job: Job) -> None:
        work()
        taken.append(services.reclaim())
        with job.completing():
            pass

    handlers[TOPIC] = be_slow
    message = enqueue_for(alice)
    change(message.pk, attempts=deaths, error_class="WorkerDied")

    assert drain() == 1

    assert taken == [(0, 0)]
    assert (row(message.pk).state, row(message.pk).attempts) == (State.DONE, deaths + 1)


@pytest.mark.django_db
def test_all_that_a_process_holds_is_renewed_by_one_statement_and_nothing_that_it_lost(alice: User, bob: User) -> None:
    held = [_claimed(alice), _claimed(bob), _claimed(bob, topic="test.lost")]
    change(held[2].pk, attempts=2)  # another worker has it by now
    before = [row(message.pk).leased_until for message in held]

    with CaptureQueriesContext(connection) as asked:
        leases.renew(held)

    assert sum("UPDATE" in query["sql"] for query in asked) == 1
    after = [row(message.pk).leased_until for message in held]
    assert [now != then for now, then in zip(after, before, strict=True)] == [True, True, False]


@pytest.mark.django_db(transaction=True)
def test_what_a_transaction_is_changing_is_neither_waited_for_nor_taken(alice: User, bob: User) -> None:
    busy, quiet = _claimed(alice), _claimed(bob)
    for message in (busy, quiet):
        change(message.pk, leased_until=timezone.now())

    with acting_as(alice.pk), separate_connection() as thread:
        services.complete(busy)
        assert thread.submit(services.reclaim).result(30) == (1, 0)
        thread.submit(leases.renew, [busy]).result(30)

    assert (row(busy.pk).state, row(quiet.pk).state) == (State.DONE, State.PENDING)


@pytest.mark.django_db(transaction=True)
def test_a_database_that_is_away_for_a_moment_ends_no_renewing(alice: User, handlers: dict[str, Handler]) -> None:
    renew, tried = leases.renew, threading.Semaphore(0)
    failures = [OperationalError(), OperationalError()]

    def falls_first(held: list[OutboxMessage]) -> None:
        if failures:
            raise failures.pop()
        renew(held)
        tried.release()

    def wait(job: Job) -> None:
        assert tried.acquire(timeout=30)
        with job.completing():
            pass

    handlers[TOPIC] = wait
    enqueue_for(alice)
    with patch.object(leases, "renew", falls_first):
        assert drain() == 1
    assert failures == []


@pytest.mark.django_db
def test_work_for_a_row_that_was_lost_goes_no_further(alice: User) -> None:
    held = _claimed(alice)
    services.require_lease(held)
    change(held.pk, attempts=2)

    with pytest.raises(LostLease):
        services.require_lease(held)


# The head of the workers.


def test_it_looks_every_second() -> None:
    watch = AbandonedRowsWatch()
    with patch.object(abandoned_rows, "take_back_abandoned") as take_back, patch.object(abandoned_rows, "wake_worker"):
        watch.look()
        watch.look()
        assert take_back.call_count == 1
        with patch.object(abandoned_rows, "LOOK_SECONDS", 0.0):
            watch._next_look = 0.0
            watch.look()
            watch.look()
    assert take_back.call_count == 3


@pytest.mark.django_db
def test_after_a_database_that_was_away_rows_are_left_alone_for_a_lease(alice: User) -> None:
    held = _claimed(alice)
    change(held.pk, leased_until=timezone.now() - abandoned_rows.PATIENCE)  # nobody could renew for so long
    watch = AbandonedRowsWatch()
    now = watch._suspects_until

    def look(after: float) -> None:
        with patch.object(abandoned_rows, "monotonic", lambda: now + after), patch.object(connection, "close"):
            watch.look()

    def state_after(seconds: float) -> str:
        look(seconds)
        return row(held.pk).state

    with patch.object(services, "reclaim", side_effect=OperationalError):
        look(0)
    with patch.object(connection, "ensure_connection", side_effect=OperationalError):
        look(10)

    assert state_after(20) == State.PROCESSING
    assert state_after(20 + LEASE_SECONDS / 2) == State.PROCESSING
    change(held.pk, leased_until=timezone.now())  # its worker died meanwhile
    assert state_after(20 + LEASE_SECONDS) == State.PENDING


@pytest.mark.django_db
def test_a_lease_that_ended_is_left_to_a_worker_that_nobody_saw_die(alice: User) -> None:
    held = _claimed(alice)
    change(held.pk, leased_until=timezone.now() - timedelta(seconds=10))
    watch = AbandonedRowsWatch()
    watch._suspects_until = 0.0  # it has been the head for a while
    with patch.object(abandoned_rows, "LOOK_SECONDS", 0.0):
        watch.look()
        assert row(held.pk).state == State.PROCESSING

        change(held.pk, leased_until=timezone.now() - abandoned_rows.PATIENCE)
        watch.look()
    assert row(held.pk).state == State.PENDING


@pytest.mark.django_db
def test_it_is_taken_back_at_once_where_a_process_of_this_head_has_ended(alice: User) -> None:
    held = _claimed(alice)
    watch = AbandonedRowsWatch()
    watch._suspects_until = 0.0
    with patch.object(abandoned_rows, "LOOK_SECONDS", 0.0):
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        watch.look()
        child.kill()
        child.wait()
        change(held.pk, leased_until=timezone.now())
        watch.look()
    assert row(held.pk).state == State.PENDING


@pytest.mark.django_db
def test_a_head_that_has_just_begun_takes_back_what_a_killed_one_left(alice: User) -> None:
    held = _claimed(alice)
    change(held.pk, leased_until=timezone.now())

    AbandonedRowsWatch().look()

    assert row(held.pk).state == State.PENDING


@pytest.mark.django_db
def test_a_wake_up_that_a_dead_worker_took_along_is_given_again(alice: User) -> None:
    enqueue_for(alice)
    OrmQ.objects.filter(key=DRAINS).delete()
    wake_worker()
    taken_along = OrmQ.objects.filter(key=DRAINS)
    taken_along.update(lock=timezone.now() + timedelta(seconds=660))
    watch = AbandonedRowsWatch()

    def wakes() -> int:
        with patch.object(abandoned_rows, "LOOK_SECONDS", 0.0):
            watch.look()
        deleted, _ = OrmQ.objects.filter(key=DRAINS, lock__lte=timezone.now()).delete()
        return int(deleted)

    assert [wakes(), wakes()] == [1, 0]  # once for whoever died before its start
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    assert wakes() == 0
    child.kill()
    child.wait()
    assert [wakes(), wakes()] == [1, 0]
