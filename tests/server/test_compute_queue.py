"""Requests compute a few at a time, in the order of their coming; the rest wait, and past a bound are told how long."""

from __future__ import annotations

from collections.abc import Iterator
from contextvars import copy_context

import gevent
import pytest
from gevent.event import Event

from finclaw.server.compute_queue import ComputeQueue, ComputeQueueFull
from foundation.compute_slot import compute_slot_released, current_slot


@pytest.fixture
def queue() -> ComputeQueue:
    return ComputeQueue(1, longest=2, patience=30, hold_seconds=30)


@pytest.fixture(autouse=True)
def _nobodys_place() -> Iterator[None]:
    yield
    current_slot.set(None)


def test_whoever_comes_first_computes_first(queue: ComputeQueue) -> None:
    computed: list[int] = []

    def request(number: int) -> None:
        place = queue.enter()
        computed.append(number)
        place.close()

    first = queue.enter()
    requests = [gevent.spawn(request, number) for number in range(2)]
    gevent.sleep(0)
    assert (computed, queue.waiting) == ([], 2)

    first.close()
    gevent.joinall(requests)
    assert computed == [0, 1]


def test_who_finds_the_line_full_is_told_how_long_it_is(queue: ComputeQueue) -> None:
    first = queue.enter()
    requests = [gevent.spawn(lambda: queue.enter().close()) for _ in range(2)]
    gevent.sleep(0)

    with pytest.raises(ComputeQueueFull) as refused:
        queue.enter()
    assert (refused.value.waiting, refused.value.retry_after) == (2, 1)

    first.close()
    gevent.joinall(requests)
    queue.enter()  # there is room again


def test_who_waits_for_too_long_leaves_the_line() -> None:
    queue = ComputeQueue(1, longest=2, patience=0.01, hold_seconds=30)
    first = queue.enter()
    with pytest.raises(ComputeQueueFull):
        queue.enter()
    assert queue.waiting == 0
    first.close()
    queue.enter()


def test_who_waits_for_a_model_lets_others_compute_and_returns_before_the_new(queue: ComputeQueue) -> None:
    order: list[str] = []
    answered, computing = Event(), Event()

    def speaker() -> None:
        current_slot.set(queue.enter())
        with compute_slot_released():
            answered.wait()
        order.append("speaker")

    def other() -> None:
        place = queue.enter()
        order.append("other")
        answered.set()
        computing.wait()
        place.close()

    def newcomer() -> None:
        queue.enter()
        order.append("newcomer")

    speaking, others = gevent.spawn(speaker), gevent.spawn(other)
    waiting = gevent.spawn(newcomer)
    gevent.sleep(0.01)
    assert order == ["other"]

    computing.set()
    gevent.joinall([speaking, others])
    assert order == ["other", "speaker"]
    waiting.kill()


def test_a_call_beside_a_request_leaves_its_place_alone(queue: ComputeQueue) -> None:
    current_slot.set(queue.enter())

    def call_a_model() -> None:
        with compute_slot_released():
            assert queue.waiting == 1

    waiting = gevent.spawn(queue.enter)
    beside = copy_context()
    gevent.spawn(beside.run, call_a_model).get()
    assert queue.waiting == 1
    waiting.kill()


def test_a_request_that_takes_long_stops_nobody() -> None:
    queue = ComputeQueue(1, longest=2, patience=30, hold_seconds=0.01)
    slow = queue.enter()  # as one that waits for a lock in the database
    queue.enter().close()
    slow.close()
    assert queue.waiting == 0


def test_a_request_that_is_broken_off_in_line_leaves_no_gap(queue: ComputeQueue) -> None:
    first = queue.enter()
    gone = gevent.spawn(queue.enter)
    gevent.sleep(0)
    gone.kill()
    assert queue.waiting == 0
    first.close()
    queue.enter()
