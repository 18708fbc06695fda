"""A provider that is down is no fault of the rows that need it: they wait, and use up no attempt."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone
from pytest_django import Settings

from foundation.accounts.models import User
from foundation.coroutines import call_in_thread
from foundation.llm import MalformedReply, ModelUnavailable
from foundation.llm.failures import no_json
from foundation.outbox.jobs import Handler, Job
from foundation.outbox.models import OutboxMessage
from foundation.outbox.suspension import MOST_UNANSWERED
from foundation.outbox.tasks import drain
from foundation.telemetry.metrics import OUTBOX_FINISHED
from tests.foundation.outbox.support import TOPIC, change, enqueue_for, row

State = OutboxMessage.State


class Provider:
    """A handler whose provider is down while told so; ``asked`` counts who found out."""

    def __init__(self, down: ModelUnavailable | None) -> None:
        self.down = down
        self.asked = 0

    def __call__(self, job: Job) -> None:
        self.asked += 1
        call_in_thread(lambda: None)
        if self.down is not None:
            raise self.down
        with job.completing():
            pass


def _failure(reason: str, seconds: float | None = None) -> ModelUnavailable:
    return ModelUnavailable(details={"reason": reason} | ({"retry_after_seconds": seconds} if seconds else {}))


def _make_due(*messages: OutboxMessage) -> None:
    for message in messages:
        change(message.pk, available_at=timezone.now() - timedelta(seconds=1))


def test_a_row_waits_until_the_provider_may_be_asked_again_with_its_attempts(
    alice: User, handlers: dict[str, Handler]
) -> None:
    handlers[TOPIC] = Provider(_failure("circuit_open", 40.0))
    message = enqueue_for(alice)
    before = timezone.now()

    drain()

    after = row(message.pk)
    assert (after.state, after.attempts, after.error_class) == (State.PENDING, 0, "ProviderDown")
    assert timedelta(seconds=39) < after.available_at - before < timedelta(seconds=60)


def test_however_often_nobody_could_be_asked_it_is_no_dead_letter(
    alice: User, handlers: dict[str, Handler], settings: Settings
) -> None:
    settings.OUTBOX_MAX_ATTEMPTS = 2
    handlers[TOPIC] = provider = Provider(_failure("circuit_open", 30.0))
    message = enqueue_for(alice)
    for _ in range(4):
        _make_due(message)
        drain()
    assert provider.asked == 4

    provider.down = None
    _make_due(message)
    drain()

    assert (row(message.pk).state, row(message.pk).attempts) == (State.DONE, 1)


def test_while_it_is_down_others_are_not_tried_in_vain(
    alice: User, bob: User, charlie: User, handlers: dict[str, Handler]
) -> None:
    handlers[TOPIC] = provider = Provider(_failure("circuit_open", 30.0))
    handlers["test.other"] = Provider(None)
    for user in (alice, bob, charlie):
        for _ in range(5):
            enqueue_for(user)
    other = enqueue_for(alice, topic="test.other")

    drain()

    assert provider.asked <= 3  # whoever had begun by the time the first one knew
    assert row(other.pk).state == State.DONE


def test_one_finds_out_whether_it_is_back_and_the_others_follow(
    alice: User, bob: User, charlie: User, handlers: dict[str, Handler], settings: Settings
) -> None:
    settings.OUTBOX_LINGER_SECONDS = 4.0
    handlers[TOPIC] = provider = Provider(_failure("rate_limited", 0.05))
    rows = [enqueue_for(user) for user in (alice, bob, charlie)]
    in_flight: list[int] = []

    def back(job: Job) -> None:
        in_flight.append(1)
        provider.down = None
        provider(job)
        in_flight.append(-1)

    def first_down(job: Job) -> None:
        handlers[TOPIC] = back
        provider(job)

    handlers[TOPIC] = first_down
    drain()

    assert {row(message.pk).state for message in rows} == {State.DONE}
    assert in_flight[:2] == [1, -1]


@pytest.mark.parametrize(
    ("reason", "outcome"),
    [
        ("circuit_open", "provider_down"),
        ("rate_limited", "provider_down"),
        ("server_error", "provider_failed"),
        ("busy", "line_full"),
    ],
)
def test_the_metric_tells_our_own_full_line_from_a_provider_that_is_down(
    alice: User, handlers: dict[str, Handler], reason: str, outcome: str
) -> None:
    handlers[TOPIC] = Provider(_failure(reason))
    change(enqueue_for(alice).pk, attempts=1)  # nobody stays for one that was tried before
    ended = OUTBOX_FINISHED.labels(topic=TOPIC, outcome=outcome)
    before = ended._value.get()

    drain()

    assert ended._value.get() == before + 1


@pytest.mark.parametrize("failure", [_failure("timeout"), _failure("server_error"), no_json()], ids=str)
def test_a_row_at_which_the_provider_fails_pauses_longer_each_time_and_keeps_its_attempts(
    alice: User, handlers: dict[str, Handler], settings: Settings, failure: ModelUnavailable
) -> None:
    settings.OUTBOX_MAX_ATTEMPTS = 5
    handlers[TOPIC] = Provider(failure)
    message = enqueue_for(alice)
    pauses = []
    for _ in range(3):
        _make_due(message)
        before = timezone.now()
        drain()
        pauses.append(round((row(message.pk).available_at - before).total_seconds()))

    after = row(message.pk)
    assert pauses == [2, 4, 8]
    assert (after.state, after.max_attempts - after.attempts) == (State.PENDING, 5)


def test_a_row_at_which_it_fails_for_ever_is_poison_after_all(alice: User, handlers: dict[str, Handler]) -> None:
    handlers[TOPIC] = Provider(_failure("server_error"))
    message = enqueue_for(alice)
    change(message.pk, attempts=MOST_UNANSWERED - 2, max_attempts=MOST_UNANSWERED)
    states = []
    for _ in range(2):
        _make_due(message)
        drain()
        states.append(row(message.pk).state)

    assert states == [State.PENDING, State.FAILED]
    assert row(message.pk).error_class == "ModelUnavailable"


@pytest.mark.parametrize(
    ("failure", "error_class"),
    [(_failure("unusable_answer"), "ModelUnavailable"), (MalformedReply(), "MalformedReply")],
)
def test_what_the_rows_own_text_brought_about_uses_up_its_attempts(
    alice: User, handlers: dict[str, Handler], settings: Settings, failure: ModelUnavailable, error_class: str
) -> None:
    settings.OUTBOX_MAX_ATTEMPTS = 1
    handlers[TOPIC] = Provider(failure)
    message = enqueue_for(alice)

    drain()

    assert (row(message.pk).state, row(message.pk).error_class) == (State.FAILED, error_class)


def test_what_is_not_asked_for_want_of_a_model_waits_for_no_provider_and_holds_up_nobody(
    alice: User, bob: User, handlers: dict[str, Handler], settings: Settings
) -> None:
    settings.OUTBOX_MAX_ATTEMPTS = 1

    def work(job: Job) -> None:
        if job.user_id == alice.pk:  # her organisation's ceiling is reached
            raise _failure("offline")
        with job.completing():
            pass

    handlers[TOPIC] = work
    hers, his = enqueue_for(alice), enqueue_for(bob)

    drain()

    assert (row(hers.pk).state, row(his.pk).state) == (State.FAILED, State.DONE)


def test_one_that_found_our_own_line_full_waits_a_moment_alone(
    alice: User, bob: User, handlers: dict[str, Handler]
) -> None:
    def work(job: Job) -> None:
        if job.user_id == alice.pk:
            raise _failure("busy")
        with job.completing():
            pass

    handlers[TOPIC] = work
    message, other = enqueue_for(alice), enqueue_for(bob)
    change(message.pk, attempts=MOST_UNANSWERED, max_attempts=MOST_UNANSWERED + 1)
    before = timezone.now()

    drain()

    after = row(message.pk)
    assert (after.state, after.attempts, after.error_class) == (State.PENDING, MOST_UNANSWERED, "ModelUnavailable")
    assert after.available_at - before < timedelta(seconds=5)
    assert row(other.pk).state == State.DONE


def test_one_at_which_the_provider_fails_does_not_hold_up_the_others(
    alice: User, bob: User, handlers: dict[str, Handler]
) -> None:
    def work(job: Job) -> None:
        call_in_thread(lambda: None)
        if job.user_id == alice.pk:
            raise _failure("server_error")
        with job.completing():
            pass

    handlers[TOPIC] = work
    enqueue_for(alice)
    others = [enqueue_for(bob) for _ in range(3)]

    drain()

    assert {row(message.pk).state for message in others} == {State.DONE}
