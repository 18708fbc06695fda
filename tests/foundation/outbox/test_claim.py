"""Who gets which row: the most urgent that waits, nobody twice, and attempts are counted before any work."""

from __future__ import annotations

import threading
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone
from pytest_django import Settings

from foundation.accounts.models import User
from foundation.database.acting_user import in_role
from foundation.database.roles import WORKER_ROLE
from foundation.outbox import leases
from foundation.outbox.models import OutboxMessage, Priority
from tests.foundation.outbox.support import change, enqueue_for, row

State = OutboxMessage.State


def test_an_empty_queue_answers_none(alice: User) -> None:
    assert leases.claim() is None


def test_a_claim_leases_the_row_and_counts_the_attempt(alice: User, settings: Settings) -> None:
    settings.OUTBOX_LEASE_SECONDS = 60
    waiting = enqueue_for(alice)

    claimed = leases.claim()

    assert claimed is not None
    assert claimed.pk == waiting.pk
    assert (claimed.state, claimed.attempts) == (State.PROCESSING, 1)
    assert claimed.leased_until is not None
    assert timedelta(seconds=50) < claimed.leased_until - timezone.now() <= timedelta(seconds=60)


def test_the_urgent_comes_first_then_the_oldest(alice: User) -> None:
    rows = [
        enqueue_for(alice, priority=priority)
        for priority in (Priority.LOW, Priority.NORMAL, Priority.NORMAL, Priority.URGENT)
    ]

    order = [claimed.pk for _ in rows if (claimed := leases.claim())]

    assert order == [rows[3].pk, rows[1].pk, rows[2].pk, rows[0].pk]


@pytest.mark.parametrize("state", [State.PROCESSING, State.DONE, State.FAILED, State.CANCELLED])
def test_only_waiting_rows_are_given_out(alice: User, state: OutboxMessage.State) -> None:
    change(enqueue_for(alice).pk, state=state)

    assert leases.claim() is None


@pytest.mark.django_db(transaction=True)
def test_a_row_another_worker_is_taking_is_skipped_without_waiting(alice: User) -> None:
    first, second = enqueue_for(alice), enqueue_for(alice)
    held, release = threading.Event(), threading.Event()

    def hold_the_first() -> None:
        with in_role(WORKER_ROLE):
            OutboxMessage.objects.select_for_update().get(pk=first.pk)
            held.set()
            release.wait(timeout=30)
        connection.close()

    other = threading.Thread(target=hold_the_first)
    other.start()
    assert held.wait(timeout=30)
    try:
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '10s'")
        claimed = leases.claim()
    finally:
        release.set()
        other.join()

    assert claimed is not None
    assert claimed.pk == second.pk
    assert row(first.pk).state == State.PENDING


@pytest.mark.django_db(transaction=True)
def test_workers_side_by_side_never_claim_the_same_row(alice: User) -> None:
    expected = {enqueue_for(alice).pk for _ in range(30)}
    claims: list[object] = []

    def claim_all() -> None:
        while (claimed := leases.claim()) is not None:
            claims.append(claimed.pk)
        connection.close()

    workers = [threading.Thread(target=claim_all) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()

    assert len(claims) == len(expected)
    assert set(claims) == expected
