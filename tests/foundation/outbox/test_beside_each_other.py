"""Jobs that wait for a model wait beside each other; what must come one after the other does."""

from __future__ import annotations

import os
import signal
import threading
import time
from contextlib import closing
from datetime import timedelta
from unittest.mock import patch

import pytest
from django.db import InterfaceError, OperationalError, connection
from pytest_django import Settings

from foundation.accounts.models import User
from foundation.coroutines import call_in_thread
from foundation.outbox import concurrent_jobs, leases, tasks
from foundation.outbox.concurrent_jobs import ConcurrentJobs
from foundation.outbox.jobs import Handler, Job
from foundation.outbox.models import OutboxMessage, Priority
from foundation.outbox.stop_signal import STOP_SIGNAL, listen_for_stop
from foundation.outbox.tasks import drain
from tests.foundation.outbox.support import TOPIC, change, enqueue_for, row

State = OutboxMessage.State
PATIENCE = 30.0


class Meeting:
    """A handler whose jobs wait for each other where they would wait for a model."""

    def __init__(self, number: int) -> None:
        self._all = threading.Barrier(number, timeout=PATIENCE)
        self.backends: list[object] = []

    def __call__(self, job: Job) -> None:
        with job.acting(), connection.cursor() as cursor:
            cursor.execute("SELECT pg_backend_pid()")
            self.backends += cursor.fetchone()
        call_in_thread(self._all.wait)
        with job.completing():
            pass


class Line:
    """A handler that notes who begins and ends, and the most that were at it at a time."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self.now = self.most = 0

    def __call__(self, job: Job) -> None:
        self.now += 1
        self.most = max(self.most, self.now)
        call_in_thread(lambda: time.sleep(0.02))
        with job.completing():
            self.told.append(str(job.payload.get("number", "")))
        self.now -= 1


def test_jobs_of_several_people_wait_beside_each_other_over_one_connection(
    alice: User, bob: User, charlie: User, handlers: dict[str, Handler]
) -> None:
    handlers[TOPIC] = meeting = Meeting(3)
    people = [enqueue_for(user).pk for user in (alice, bob, charlie)]

    assert drain() == 3

    assert {row(key).state for key in people} == {State.DONE}
    assert len(set(meeting.backends)) == 1


def test_somebodys_jobs_of_a_topic_run_one_after_the_other_in_their_order(
    alice: User, handlers: dict[str, Handler]
) -> None:
    handlers[TOPIC] = line = Line()
    for number in range(4):
        enqueue_for(alice, payload={"number": number})

    assert drain() == 4

    assert (line.most, line.told) == (1, ["0", "1", "2", "3"])


def test_those_of_two_conversations_do_not_wait_for_each_other_those_of_one_do(
    alice: User, handlers: dict[str, Handler]
) -> None:
    handlers[TOPIC] = line = Line()
    for number, session in enumerate("aabb"):
        enqueue_for(alice, payload={"number": number, "session": session})

    assert drain() == 4

    assert line.most == 2
    assert [number for number in line.told if number in "01"] == ["0", "1"]
    assert [number for number in line.told if number in "23"] == ["2", "3"]


def test_no_more_wait_than_calls_may_be_in_flight(
    alice: User, handlers: dict[str, Handler], settings: Settings
) -> None:
    settings.MODEL_CONCURRENCY = 2
    handlers[TOPIC] = line = Line()
    for session in range(5):
        enqueue_for(alice, payload={"session": str(session)})

    assert drain() == 5

    assert line.most == 2


def test_what_needs_no_model_and_what_is_urgent_does_not_wait_for_those_that_do(
    alice: User, bob: User, handlers: dict[str, Handler], settings: Settings
) -> None:
    settings.MODEL_CONCURRENCY = 1
    done: list[str] = []
    other_is_done = threading.Event()

    def wait(job: Job) -> None:
        call_in_thread(lambda: other_is_done.wait(PATIENCE))
        _note(job, done)

    def compute(job: Job) -> None:
        _note(job, done)
        other_is_done.set()

    handlers |= {TOPIC: wait, "test.other": compute}
    enqueue_for(alice, priority=Priority.URGENT)
    enqueue_for(bob)
    enqueue_for(alice, topic="test.other", priority=Priority.LOW)

    assert drain() == 3

    assert done == ["test.other", TOPIC, TOPIC]


def test_one_that_fails_takes_no_other_along(alice: User, bob: User, handlers: dict[str, Handler]) -> None:
    def work(job: Job) -> None:
        call_in_thread(lambda: None)
        if job.user_id == bob.pk:
            raise ValueError
        with job.completing():
            pass

    handlers[TOPIC] = work
    good, bad = enqueue_for(alice).pk, enqueue_for(bob).pk

    assert drain() == 2

    assert (row(good).state, row(bad).state, row(bad).error_class) == (State.DONE, State.PENDING, "ValueError")


@pytest.mark.parametrize(("deaths", "beside"), [(1, 2), (2, 1)])
def test_what_was_held_when_workers_died_twice_runs_with_nothing_beside_it(
    alice: User, bob: User, handlers: dict[str, Handler], deaths: int, beside: int
) -> None:
    handlers[TOPIC] = line = Line()
    enqueue_for(alice)
    change(enqueue_for(bob).pk, attempts=deaths, error_class="WorkerDied")

    assert drain() == 2

    assert line.most == beside


def test_one_that_runs_for_long_begins_no_more_and_hands_over(alice: User, handlers: dict[str, Handler]) -> None:
    ran: list[str] = []
    handlers[TOPIC] = lambda job: _note(job, ran)
    for _ in range(3):
        enqueue_for(alice)

    with patch.object(tasks, "_HAND_OVER_SECONDS", -1.0), patch.object(tasks, "wake_worker") as wake:
        assert drain() == 0
    wake.assert_called_once_with()


# Told to stop.


def test_a_worker_told_to_stop_ends_what_it_has_begun_and_begins_no_more(
    alice: User, handlers: dict[str, Handler]
) -> None:
    def work(job: Job) -> None:
        os.kill(os.getpid(), STOP_SIGNAL)
        with job.completing():
            pass

    handlers[TOPIC] = work
    first, second = enqueue_for(alice).pk, enqueue_for(alice).pk

    assert drain() == 1

    assert [(row(key).state, row(key).attempts) for key in (first, second)] == [(State.DONE, 1), (State.PENDING, 0)]


def test_what_does_not_end_soon_is_given_back_and_no_attempt_is_used(alice: User, handlers: dict[str, Handler]) -> None:
    release = threading.Event()

    def work(job: Job) -> None:
        os.kill(os.getpid(), STOP_SIGNAL)
        call_in_thread(lambda: release.wait(PATIENCE))
        with job.completing():
            raise AssertionError("nobody waits for it any more")

    handlers[TOPIC] = work
    message = enqueue_for(alice)
    with patch.object(tasks, "FINISHED_WITHIN_SECONDS", 0.05):
        assert drain() == 0
    release.set()

    after = row(message.pk)
    assert (after.state, after.attempts, after.leased_until) == (State.PENDING, 0, None)


def test_a_worker_told_to_stop_claims_nothing_with_the_tasks_queued_before(
    alice: User, bob: User, handlers: dict[str, Handler]
) -> None:
    handlers[TOPIC] = lambda job: os.kill(os.getpid(), STOP_SIGNAL)
    enqueue_for(alice)
    left = enqueue_for(bob)
    assert [drain(), drain()] == [1, 0]

    assert row(left.pk).attempts == 0


def test_the_time_to_end_counts_from_the_signal_on() -> None:
    with listen_for_stop() as asked_to_stop:
        os.kill(os.getpid(), STOP_SIGNAL)
        time.sleep(0.05)
        os.kill(os.getpid(), STOP_SIGNAL)
        assert asked_to_stop.seconds_left(20.0) <= 19.95


@pytest.mark.parametrize("beside", [0, 1])
def test_what_must_run_alone_is_given_back_like_the_others(
    alice: User, bob: User, handlers: dict[str, Handler], beside: int
) -> None:
    release = threading.Event()
    handlers[TOPIC] = lambda job: call_in_thread(lambda: release.wait(PATIENCE))  # type: ignore[assignment]
    if beside:
        enqueue_for(alice)
    alone = enqueue_for(bob)
    change(alone.pk, attempts=2, error_class="WorkerDied")
    signal_soon = threading.Timer(0.3, os.kill, (os.getpid(), STOP_SIGNAL))
    signal_soon.start()
    with patch.object(tasks, "FINISHED_WITHIN_SECONDS", 0.05):
        assert drain() == 0
    release.set()

    assert (row(alone.pk).state, row(alone.pk).attempts) == (State.PENDING, 2)


def test_a_topic_takes_no_more_places_than_it_may_and_holds_up_no_other(
    alice: User, bob: User, charlie: User, handlers: dict[str, Handler], settings: Settings
) -> None:
    settings.OUTBOX_TOPIC_PLACES = {TOPIC: 1}
    release, begun, told = threading.Event(), list[str](), list[str]()

    def waits(job: Job) -> None:
        begun.append(str(job.user_id))
        call_in_thread(lambda: release.wait(PATIENCE))
        with job.completing():
            told.append("slow")

    def ends(job: Job) -> None:
        with job.completing():
            told.append("quick")
        release.set()

    handlers[TOPIC], handlers["test.quick"] = waits, ends
    slow = [enqueue_for(user, priority=Priority.URGENT).pk for user in (alice, bob)]
    with closing(ConcurrentJobs(2)) as jobs:
        assert jobs.begin_next()
        assert not jobs.begin_next()  # the second has no place, though one is free
        assert len(begun) == 1
        enqueue_for(charlie, topic="test.quick")
        assert jobs.begin_next()
        assert told == ["quick"]
        jobs.finish(PATIENCE)
        assert jobs.begin_next()
        jobs.finish(PATIENCE)
    assert {row(key).state for key in slow} == {State.DONE}
    assert (len(begun), told) == (2, ["quick", "slow", "slow"])


def test_whoever_listens_no_more_is_as_deaf_as_before() -> None:
    before = signal.signal(STOP_SIGNAL, signal.SIG_IGN)
    try:
        with listen_for_stop() as asked_to_stop:
            os.kill(os.getpid(), STOP_SIGNAL)
            assert asked_to_stop.wait(PATIENCE)
        assert signal.getsignal(STOP_SIGNAL) == signal.SIG_IGN
    finally:
        signal.signal(STOP_SIGNAL, before)


def test_a_row_that_was_taken_back_meanwhile_is_not_given_back(alice: User, handlers: dict[str, Handler]) -> None:
    handlers[TOPIC] = lambda job: call_in_thread(lambda: threading.Event().wait(0.5))  # type: ignore[assignment]
    message = enqueue_for(alice)
    with closing(ConcurrentJobs(1)) as jobs:
        assert jobs.begin_next()
        change(message.pk, state=State.PENDING, attempts=3, available_at=message.available_at + timedelta(hours=1))

    assert row(message.pk).attempts == 3


def test_what_a_lost_database_broke_off_is_given_back_once_it_is_there_again(
    alice: User, bob: User, handlers: dict[str, Handler]
) -> None:
    handlers[TOPIC] = lambda job: call_in_thread(lambda: threading.Event().wait(0.5))  # type: ignore[assignment]
    keys = [enqueue_for(user).pk for user in (alice, bob)]
    give_back, away = leases.release_lease, [OperationalError(), InterfaceError()]

    def falls_first(message: OutboxMessage) -> None:
        if away:
            raise away.pop()
        give_back(message)

    with (
        patch.object(concurrent_jobs, "run", side_effect=[OperationalError(), None]),
        patch.object(leases, "release_lease", falls_first),
        patch.object(tasks, "wake_worker") as wake,
        pytest.raises(OperationalError),
    ):
        drain()

    assert [(row(key).state, row(key).attempts) for key in keys] == [(State.PENDING, 0)] * 2
    assert away == []
    wake.assert_called_once_with()


def _note(job: Job, done: list[str]) -> None:
    with job.completing():
        done.append(job.message.topic)
