"""Work is written with the data it speaks of, once a key, for its own user, as ids."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

import pytest
from django.db import transaction
from django.db.utils import ProgrammingError
from django.utils import timezone
from django_q.models import OrmQ
from django_q.signing import SignedPackage
from django_q.tasks import async_task
from pytest_django import DjangoCaptureOnCommitCallbacks, Settings

from consent.services import withdraw_consent
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import WORKER_ROLE
from foundation.ids import new_id
from foundation.outbox import capacity, leases, services
from foundation.outbox.broker import ListedFunctionsBroker
from foundation.outbox.models import OutboxMessage, Priority
from foundation.outbox.schedules import DRAIN
from foundation.outbox.services import enqueue
from memory.historian.services import end
from memory.learning.services import observe
from memory.services.sessions import record_messages, start_session
from memory.types import EndInput, NewMessage
from tests.foundation.outbox.support import TOPIC, enqueue_for, row
from tests.support.cast import allow

State = OutboxMessage.State
SWEEP = "foundation.outbox.tasks.sweep"
SECRET = "My grandmother hid 40,000 in the piano"


def test_a_new_row_waits_with_all_its_attempts_before_it(alice: User, settings: Settings) -> None:
    message = row(enqueue_for(alice, payload={"item": "1"}).pk)

    assert (message.state, message.attempts, message.max_attempts) == (State.PENDING, 0, settings.OUTBOX_MAX_ATTEMPTS)
    assert message.payload == {"item": "1"}
    assert message.priority == Priority.NORMAL


def test_a_key_that_is_there_is_not_queued_again(alice: User) -> None:
    key = new_id()
    enqueue_for(alice, key=key, payload={"n": 1})
    enqueue_for(alice, key=key, payload={"n": 2})

    assert row(key).payload == {"n": 1}
    with acting_as(alice.pk):
        assert OutboxMessage.objects.count() == 1


def test_rows_without_a_key_are_never_taken_for_each_other(alice: User) -> None:
    assert enqueue_for(alice).pk != enqueue_for(alice).pk


def _enqueue_and_fail(user: User) -> None:
    with acting_as(user.pk):
        enqueue(TOPIC, user_id=user.pk, payload={})
        raise RuntimeError("halfway")


def test_work_of_a_transaction_that_fails_is_never_there(alice: User) -> None:
    with pytest.raises(RuntimeError, match="halfway"):
        _enqueue_and_fail(alice)

    assert leases.claim() is None


def test_delayed_work_is_not_given_out_before_its_time(alice: User) -> None:
    later = enqueue_for(alice, delay=timedelta(hours=1))

    assert leases.claim() is None
    assert row(later.pk).available_at > timezone.now() + timedelta(minutes=59)


def test_bob_sees_no_work_of_alice(alice: User, bob: User) -> None:
    message = enqueue_for(alice)

    with acting_as(bob.pk):
        assert not OutboxMessage.objects.filter(pk=message.pk).exists()
        assert not OutboxMessage.objects.filter(pk=message.pk).update(priority=Priority.LOW)
        assert services.cancel_waiting(alice.pk, "") == {}
    assert row(message.pk).state == State.PENDING


def test_bob_cannot_queue_work_in_alices_name(alice: User, bob: User) -> None:
    with pytest.raises(ProgrammingError, match="row-level security"), acting_as(bob.pk):
        enqueue(TOPIC, user_id=alice.pk, payload={})


def test_cancelling_reaches_what_waits_under_the_scope_and_nothing_else(alice: User) -> None:
    running = enqueue_for(alice, scope="memory_learning_allowed")
    assert leases.claim() is not None
    waiting = enqueue_for(alice, scope="memory_learning_allowed")
    other = enqueue_for(alice, scope="save_to_profile")

    with acting_as(alice.pk):
        assert services.cancel_waiting(alice.pk, "memory_learning_allowed") == {TOPIC: 1}

    assert row(waiting.pk).state == State.CANCELLED
    assert row(running.pk).state == State.PROCESSING
    assert row(other.pk).state == State.PENDING


def _strings(value: object) -> list[str]:
    if isinstance(value, dict):
        return [text for one in value.values() for text in _strings(one)]
    if isinstance(value, list):
        return [text for one in value for text in _strings(one)]
    return [value] if isinstance(value, str) else []


def _is_id_or_word(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return text.replace("_", "").isalpha() or text[:4].isdigit()  # a scope's name, a moment
    return True


def test_what_the_product_queues_holds_ids_and_never_what_was_said(alice: User) -> None:
    permit = allow(alice)
    with acting_as(alice.pk):
        session = start_session(permit, alice)
        said = record_messages(permit, session, [NewMessage.of_text("user", SECRET, "Alice")])
        observe(permit, said)
        end(permit, alice, session, EndInput(request_id=str(new_id()), action_summary=SECRET, force=True))
        assert permit.consent_id is not None
        withdraw_consent(alice, permit.consent_id, source="api")
        payloads = list(OutboxMessage.objects.values_list("payload", flat=True))

    assert len(payloads) == 4  # a purge for each scope that keeps what it found out
    assert all(_is_id_or_word(text) for payload in payloads for text in _strings(payload)), payloads


@pytest.fixture
def _counted_afresh(alice: User) -> None:
    """No count of an earlier test's still serves, and no row that it committed is counted."""
    capacity._waiting_count_cache.clear()
    with in_role(WORKER_ROLE):
        OutboxMessage.objects.all().delete()


@pytest.mark.usefixtures("_counted_afresh")
def test_a_full_queue_drops_low_priority_and_only_that(alice: User, settings: Settings) -> None:
    settings.OUTBOX_COLD_LIMIT = 2
    settings.OUTBOX_COUNT_SECONDS = 0
    enqueue_for(alice)
    assert capacity.has_room(Priority.LOW)
    enqueue_for(alice)

    assert not capacity.has_room(Priority.LOW)
    assert capacity.has_room(Priority.NORMAL)
    assert capacity.has_room(Priority.URGENT)


@pytest.mark.usefixtures("_counted_afresh")
def test_room_is_counted_over_everybody_and_over_waiting_rows_only(alice: User, bob: User, settings: Settings) -> None:
    settings.OUTBOX_COLD_LIMIT = 2
    settings.OUTBOX_COUNT_SECONDS = 0
    enqueue_for(alice)
    enqueue_for(bob)
    with acting_as(alice.pk):
        assert not capacity.has_room(Priority.LOW)

    leases.claim()
    with acting_as(alice.pk):
        assert capacity.has_room(Priority.LOW)


def test_many_rows_wake_a_worker_once(
    alice: User, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    for _ in range(3):
        with django_capture_on_commit_callbacks(execute=True):
            enqueue_for(alice)

    assert OrmQ.objects.count() == 1


def test_a_wake_up_that_is_taken_does_not_swallow_the_next(
    alice: User, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        enqueue_for(alice)
    OrmQ.objects.update(lock=timezone.now() + timedelta(minutes=11))  # a worker is at it and may have looked already

    with django_capture_on_commit_callbacks(execute=True):
        enqueue_for(alice)

    assert OrmQ.objects.count() == 2


def test_nobody_is_woken_before_the_commit(
    alice: User, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    with django_capture_on_commit_callbacks() as callbacks, transaction.atomic():
        enqueue_for(alice)

    assert callbacks
    assert not OrmQ.objects.exists()


def test_a_worker_is_woken_whatever_else_waits_and_drains_first(
    alice: User, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    async_task(SWEEP)  # of a schedule, as many are after a start
    for _ in range(2):
        with django_capture_on_commit_callbacks(execute=True):
            enqueue_for(alice)

    OrmQ.objects.update(lock=timezone.now() - timedelta(seconds=1))
    broker = ListedFunctionsBroker()
    taken = [SignedPackage.loads(payload)["func"] for _ in range(3) for _, payload in broker.dequeue()]
    assert taken == [DRAIN, SWEEP]
