"""Attempts in vain are limited by address, slowed down by name, and locked out by both."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.conf import settings
from django.db import connection

from foundation.accounts import attempts
from foundation.accounts.attempts import LONGEST_DELAY, Attempt, AttemptPurpose, begin_attempt, delete_expired_counts
from foundation.accounts.exceptions import TooManyAttempts
from foundation.accounts.models import AttemptCount

pytestmark = pytest.mark.django_db
HOME, OFFICE = "198.51.100.7", "203.0.113.9"
NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


def fail(address: str, name: str = "alice", purpose: AttemptPurpose = AttemptPurpose.SIGN_IN) -> int:
    """Try in vain; the seconds to wait where it was refused, else 0."""
    try:
        begin_attempt(purpose, address, name)
    except TooManyAttempts as refusal:
        return refusal.retry_after
    return 0


def fail_often(address: str, clock: time_machine.Traveller, times: int, name: str = "alice") -> None:
    """Fail that often, as fast as one may."""
    for _ in range(times):
        if wait := fail(address, name):
            clock.shift(wait)
            fail(address, name)


def test_an_address_that_tries_one_name_after_another_is_stopped() -> None:
    with time_machine.travel(NOON, tick=False):
        waits = [fail(HOME, f"name-{number}") for number in range(40)]
        assert waits.count(0) == settings.ADDRESS_FAILURE_LIMIT
        assert waits[-1] == settings.ATTEMPT_WINDOW.total_seconds()
        assert fail(OFFICE, "name-1") == 0


def test_an_address_that_is_stopped_leaves_nothing_of_the_names_it_goes_on_with() -> None:
    with time_machine.travel(NOON, tick=False):
        for number in range(settings.ADDRESS_FAILURE_LIMIT):
            fail(HOME, f"name-{number}")
        kept = AttemptCount.objects.count()
        assert fail(HOME, "one name more") > 0
        assert AttemptCount.objects.count() == kept


def test_the_window_ends_though_the_address_never_rested() -> None:
    with time_machine.travel(NOON, tick=False) as clock:
        for _ in range(settings.ADDRESS_FAILURE_LIMIT):
            fail(HOME, "")
        clock.shift(settings.ATTEMPT_WINDOW - timedelta(seconds=1))
        assert fail(HOME, "") == 1
        clock.shift(1)
        assert fail(HOME, "") == 0


def test_a_name_is_slowed_down_more_and_more_up_to_a_bound() -> None:
    with time_machine.travel(NOON, tick=False) as clock:
        waits = []
        for number in range(10):
            waits.append(fail(f"192.0.2.{number}"))  # each from another address
            clock.shift(waits[-1])
            if waits[-1]:
                fail(f"192.0.2.{number}")
        assert waits == [0, 0, 0, 1, 2, 4, 8, 16, 30, 30]


def test_whoever_knows_the_password_waits_the_longest_delay_at_most_however_many_attack() -> None:
    with time_machine.travel(NOON, tick=False) as clock:
        for number in range(15):
            fail_often(f"192.0.2.{number}", clock, 1)
        wait = fail(HOME)
        assert wait == LONGEST_DELAY.total_seconds()
        clock.shift(wait)
        for number in range(15):  # the others are quicker
            fail(f"192.0.2.{number}")
        begin_attempt(AttemptPurpose.SIGN_IN, HOME, "alice").succeed()


def test_a_name_is_locked_for_the_address_that_failed_and_for_no_other() -> None:
    with time_machine.travel(NOON, tick=False) as clock:
        fail_often(OFFICE, clock, settings.SIGN_IN_FAILURE_LIMIT)
        assert fail(OFFICE) > LONGEST_DELAY.total_seconds()
        clock.shift(fail(HOME))
        assert fail(HOME) == 0
        clock.move_to(NOON + settings.ATTEMPT_WINDOW)
        assert fail(OFFICE) == 0


def test_spelling_a_name_otherwise_gives_no_further_tries() -> None:
    with time_machine.travel(NOON, tick=False):
        assert [fail(HOME, name) for name in ("alice", "ALICE", "ａlice", "Alice")] == [0, 0, 0, 1]


def test_success_forgets_what_failed_for_the_name_but_not_for_the_address() -> None:
    with time_machine.travel(NOON, tick=False) as clock:
        fail_often(HOME, clock, 2)
        begin_attempt(AttemptPurpose.SIGN_IN, HOME, "alice").succeed()
        assert [fail(HOME), fail(HOME), fail(HOME)] == [0, 0, 0]
        for _ in range(40):  # an own account buys no tries of others
            begin_attempt(AttemptPurpose.SIGN_IN, OFFICE, "mallory").succeed()
        waits = [fail(OFFICE, f"name-{number}") for number in range(settings.ADDRESS_FAILURE_LIMIT + 1)]
        assert [bool(wait) for wait in waits] == [False] * settings.ADDRESS_FAILURE_LIMIT + [True]


def test_an_attempt_counts_from_its_beginning() -> None:
    with time_machine.travel(NOON, tick=False):
        begun = [begin_attempt(AttemptPurpose.SIGN_IN, HOME, "alice") for _ in range(attempts.FREE_FAILURES)]
        assert all(isinstance(one, Attempt) for one in begun)
        assert fail(HOME) == 1


def test_what_is_refused_counts_for_nothing() -> None:
    with time_machine.travel(NOON, tick=False) as clock:
        for _ in range(50):
            fail(HOME)
        clock.shift(1)
        assert fail(HOME) == 0


def test_each_purpose_is_counted_for_itself() -> None:
    with time_machine.travel(NOON, tick=False):
        for _ in range(settings.ADDRESS_FAILURE_LIMIT):
            fail(HOME, "", AttemptPurpose.LINK)
        assert fail(HOME, "", AttemptPurpose.LINK)
        assert not fail(HOME, "alice", AttemptPurpose.RECOVERY)


def test_neither_name_nor_address_is_stored() -> None:
    begin_attempt(AttemptPurpose.SIGN_IN, HOME, "alice")
    stored = " ".join(str(row) for row in AttemptCount.objects.values_list())
    assert "alice" not in stored
    assert HOME not in stored
    assert len(stored) > 3 * 64


def test_counts_are_forgotten_once_their_window_is_over() -> None:
    with time_machine.travel(NOON, tick=False) as clock:
        fail(HOME)
        clock.shift(settings.ATTEMPT_WINDOW - timedelta(seconds=1))
        fail(OFFICE, "bob")
        assert delete_expired_counts() == 0
        clock.shift(1)
        assert delete_expired_counts() == 3
        assert AttemptCount.objects.count() == 3


def test_the_table_is_not_logged() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT relpersistence FROM pg_class WHERE relname = 'accounts_attemptcount'")
        assert cursor.fetchone() == ("u",)


@pytest.mark.django_db(transaction=True)
def test_of_many_at_once_no_more_go_on_than_one_after_another() -> None:
    together = threading.Barrier(8)

    def attempt() -> int:
        together.wait(30)
        try:
            return fail(HOME)
        finally:
            connection.close()

    with time_machine.travel(NOON, tick=False), ThreadPoolExecutor(8) as threads:
        waits = [one.result() for one in [threads.submit(attempt) for _ in range(8)]]
    assert waits.count(0) == attempts.FREE_FAILURES
