"""Work that waits for more of its kind: others join it until it is due, and a worker stays for it."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from unittest.mock import patch
from uuid import UUID

import pytest
from django.test import override_settings
from django.utils import timezone

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox import services, tasks
from foundation.outbox.concurrent_jobs import ConcurrentJobs
from foundation.outbox.jobs import Handler, Job
from foundation.outbox.models import OutboxMessage
from tests.foundation.outbox.support import TOPIC, change, enqueue_for, row

LATER = timedelta(minutes=1)
STAYING = override_settings(OUTBOX_LINGER_SECONDS=4.0)


def _join(user: User, *messages: str, due: datetime | None = None, **payload: Any) -> bool:
    with acting_as(user.pk):
        return services.join_waiting(
            TOPIC,
            user_id=user.pk,
            payload={"session": "a", "messages": list(messages)} | payload,
            available_at=due or timezone.now() + LATER,
        )


def _waiting(user: User, **fields: Any) -> UUID:
    return enqueue_for(user, **({"payload": {"session": "a", "messages": ["1"]}, "delay": LATER} | fields)).pk


def test_messages_join_what_is_not_due_yet(alice: User) -> None:
    key = _waiting(alice)
    assert _join(alice, "2", "3")
    assert row(key).payload == {"session": "a", "messages": ["1", "2", "3"]}


def test_it_becomes_due_at_the_sooner_moment(alice: User) -> None:
    key = _waiting(alice)
    due = row(key).available_at
    _join(alice, "2", due=due + LATER)
    assert row(key).available_at == due
    _join(alice, "3", due=due - LATER / 2)
    assert row(key).available_at == due - LATER / 2


@pytest.mark.parametrize("state", ["processing", "done", "failed", "cancelled"])
def test_nothing_joins_what_has_begun_or_ended(alice: User, state: str) -> None:
    key = _waiting(alice)
    change(key, state=state)
    assert not _join(alice, "2")
    assert row(key).payload["messages"] == ["1"]


def test_nothing_joins_what_is_due_or_was_tried(alice: User) -> None:
    due, tried = _waiting(alice, delay=timedelta(0)), _waiting(alice)
    change(tried, attempts=1)
    assert not _join(alice, "2")
    assert [row(key).payload["messages"] for key in (due, tried)] == [["1"], ["1"]]


def test_nothing_joins_other_work_nor_anybody_elses(alice: User, bob: User) -> None:
    _waiting(bob)
    _waiting(alice, topic="test.other")
    _waiting(alice, payload={"session": "b", "messages": []})
    assert not _join(alice, "2")


# Waiting for it.


@STAYING
def test_a_worker_stays_for_what_is_due_in_a_moment_and_for_nothing_else(
    alice: User, handlers: dict[str, Handler]
) -> None:
    ran: list[UUID] = []
    handlers[TOPIC] = lambda job: _done(job, ran)
    soon, later = _waiting(alice, delay=timedelta(seconds=0.3)), _waiting(alice)
    assert tasks.drain() == 1
    assert ran == [soon]
    assert row(later).state == OutboxMessage.State.PENDING


@STAYING
def test_what_became_due_since_the_last_look_is_run_as_well(alice: User, handlers: dict[str, Handler]) -> None:
    ran: list[UUID] = []
    handlers[TOPIC] = lambda job: _done(job, ran)
    key, look = _waiting(alice), ConcurrentJobs.begin_next

    def begin_next(jobs: ConcurrentJobs) -> bool:
        has_begun = look(jobs)
        change(key, available_at=timezone.now())
        return has_begun

    with patch.object(ConcurrentJobs, "begin_next", begin_next):
        assert tasks.drain() == 1


@STAYING
def test_it_stays_for_no_second_attempt(alice: User, handlers: dict[str, Handler]) -> None:
    handlers[TOPIC] = _fails
    key = _waiting(alice, delay=timedelta(0))
    assert tasks.drain() == 1
    assert (row(key).state, row(key).attempts) == (OutboxMessage.State.PENDING, 1)


def test_switched_off_it_stays_for_nothing(alice: User, handlers: dict[str, Handler]) -> None:
    _waiting(alice, delay=timedelta(seconds=0.3))
    with override_settings(OUTBOX_LINGER_SECONDS=0.0):
        assert tasks.drain() == 0


@STAYING
def test_one_that_has_run_for_long_hands_over(alice: User, handlers: dict[str, Handler]) -> None:
    _waiting(alice, delay=timedelta(seconds=2))
    with patch.object(tasks, "_HAND_OVER_SECONDS", 0.0), patch.object(tasks, "wake_worker") as wake:
        assert tasks.drain() == 0
    wake.assert_called_once_with()


def _done(job: Job, ran: list[UUID]) -> None:
    with job.completing():
        ran.append(job.id)


def _fails(job: Job) -> None:
    raise ValueError
