"""A question that was resolved and is asked again: looked at an hour later, by the worker (seed A §9.1, §9.2)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
import time_machine

from consent.models import ErasureScope, Sources
from consent.services import permit_for, withdraw_consent
from drift.services import REOPENED_TOPIC
from finclaw.erasure import forget
from foundation.accounts.models import Tenant, User
from foundation.database.acting_user import acting_as
from foundation.outbox.models import OutboxMessage
from foundation.outbox.tasks import drain
from memory.models import Thread
from tests.drift.support import THREE_DAYS, kinds, log_of, resolve, resolve_and_reopen
from tests.support.cast import A_MONDAY, allow
from tests.support.organisation import employ
from tests.support.research import thread_kept

HOUR = timedelta(hours=1)
SECOND = timedelta(seconds=1)


@pytest.fixture
def clock() -> Iterator[time_machine.Traveller]:
    with time_machine.travel(A_MONDAY, tick=False) as coordinates:
        yield coordinates


@pytest.fixture
def thread(clock: time_machine.Traveller, alice: User) -> Thread:
    allow(alice)
    return thread_kept(alice)


def test_9_2_watch_question_resolved_is_looked_at_an_hour_later_and_not_before(
    thread: Thread, alice: User, clock: time_machine.Traveller
) -> None:
    resolve_and_reopen(alice, thread)
    clock.move_to(A_MONDAY + THREE_DAYS + HOUR - SECOND)
    drain()
    assert kinds(alice) == []
    clock.shift(2 * SECOND)
    drain()

    (signal,) = log_of(alice)
    assert signal.signal_kind == "watch_question_resolved_then_reopened"
    assert not signal.triggers_alert
    assert signal.object_ref == f"thread:{thread.pk}"
    assert (signal.prior_signal["value"], signal.current_signal["value"]) == ("resolved", "reopened")
    assert signal.current_signal["captured_at"] == (A_MONDAY + THREE_DAYS).isoformat()


def test_a_slip_that_is_taken_back_within_the_hour_is_none(
    thread: Thread, alice: User, clock: time_machine.Traveller
) -> None:
    resolve_and_reopen(alice, thread)
    clock.move_to(A_MONDAY + THREE_DAYS + HOUR / 2)
    resolve(alice, thread)
    clock.shift(HOUR)
    drain()

    assert kinds(alice) == []


@pytest.mark.parametrize(("after", "found"), [(timedelta(days=14), 1), (timedelta(days=14, seconds=1), 0)])
def test_9_1_watch_question_reopened_within_fourteen_days_and_no_second_more(
    after: timedelta, found: int, thread: Thread, alice: User, clock: time_machine.Traveller
) -> None:
    resolve_and_reopen(alice, thread, after)
    clock.move_to(A_MONDAY + after + HOUR + SECOND)
    drain()

    assert len(kinds(alice)) == found


def test_a_worker_that_comes_late_finds_each_reopening_once(
    thread: Thread, alice: User, clock: time_machine.Traveller
) -> None:
    for _ in range(2):
        resolve_and_reopen(alice, thread)
        clock.shift(2 * THREE_DAYS)
    drain()

    assert len(kinds(alice)) == 2


def test_what_an_organisation_sets_decides_when_it_is_looked_at(clock: time_machine.Traveller, alice: User) -> None:
    employ(Tenant.objects.create(name="Patient", settings={"drift": {"reopened_delay_minutes": 120}}), alice)
    allow(alice)
    resolve_and_reopen(alice, thread_kept(alice))
    clock.move_to(A_MONDAY + THREE_DAYS + HOUR + SECOND)
    drain()
    assert kinds(alice) == []
    clock.shift(HOUR)
    drain()

    assert len(kinds(alice)) == 1


def test_who_withdraws_meanwhile_is_looked_at_no_more_were_the_scope_granted_again(
    thread: Thread, alice: User, clock: time_machine.Traveller
) -> None:
    resolve_and_reopen(alice, thread)
    clock.move_to(A_MONDAY + THREE_DAYS + HOUR / 2)
    with acting_as(alice.pk):
        consent_id = permit_for(alice).consent_id
        assert consent_id is not None
        withdraw_consent(alice, consent_id, source="web")
    allow(alice)
    clock.shift(HOUR)
    drain()

    assert kinds(alice) == []


def test_a_thread_that_is_forgotten_meanwhile_leaves_nothing_to_look_at(
    thread: Thread, alice: User, clock: time_machine.Traveller
) -> None:
    resolve_and_reopen(alice, thread)
    clock.move_to(A_MONDAY + THREE_DAYS + HOUR / 2)
    with acting_as(alice.pk):
        forget(alice, ErasureScope.THREAD, str(thread.pk), Sources.REDACT, source="api")
    clock.shift(HOUR)
    drain()

    with acting_as(alice.pk):
        assert OutboxMessage.objects.get(topic=REOPENED_TOPIC).state == "done"
    assert kinds(alice) == []
