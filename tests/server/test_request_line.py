"""Requests compute a few at a time, in the order of their coming; the rest wait, and past a bound are told how long."""

from __future__ import annotations

from collections.abc import Iterator
from contextvars import copy_context

import gevent
import pytest
from gevent.event import Event

from finclaw.server.request_line import LineTooLong, RequestLine
from foundation.request_line import aside, current_place


@pytest.fixture
def line() -> RequestLine:
    return RequestLine(1, longest=2, patience=30, lent=30)


@pytest.fixture(autouse=True)
def _nobodys_place() -> Iterator[None]:
    yield
    current_place.set(None)


def test_whoever_comes_first_computes_first(line: RequestLine) -> None:
    computed: list[int] = []

    def request(number: int) -> None:
        place = line.enter()
        computed.append(number)
        place.close()

    first = line.enter()
    requests = [gevent.spawn(request, number) for number in range(2)]
    gevent.sleep(0)
    assert (computed, line.waiting) == ([], 2)

    first.close()
    gevent.joinall(requests)
    assert computed == [0, 1]


def test_who_finds_the_line_full_is_told_how_long_it_is(line: RequestLine) -> None:
    first = line.enter()
    requests = [gevent.spawn(lambda: line.enter().close()) for _ in range(2)]
    gevent.sleep(0)

    with pytest.raises(LineTooLong) as refused:
        line.enter()
    assert (refused.value.waiting, refused.value.retry_after) == (2, 1)

    first.close()
    gevent.joinall(requests)
    line.enter()  # there is room again


def test_who_waits_for_too_long_leaves_the_line() -> None:
    line = RequestLine(1, longest=2, patience=0.01, lent=30)
    first = line.enter()
    with pytest.raises(LineTooLong):
        line.enter()
    assert line.waiting == 0
    first.close()
    line.enter()


def test_who_waits_for_a_model_lets_others_compute_and_returns_before_the_new(line: RequestLine) -> None:
    order: list[str] = []
    answered, computing = Event(), Event()

    def speaker() -> None:
        current_place.set(line.enter())
        with aside():
            answered.wait()
        order.append("speaker")

    def other() -> None:
        place = line.enter()
        order.append("other")
        answered.set()
        computing.wait()
        place.close()

    def newcomer() -> None:
        line.enter()
        order.append("newcomer")

    speaking, others = gevent.spawn(speaker), gevent.spawn(other)
    waiting = gevent.spawn(newcomer)
    gevent.sleep(0.01)
    assert order == ["other"]

    computing.set()
    gevent.joinall([speaking, others])
    assert order == ["other", "speaker"]
    waiting.kill()


def test_a_call_beside_a_request_leaves_its_place_alone(line: RequestLine) -> None:
    current_place.set(line.enter())

    def call_a_model() -> None:
        with aside():
            assert line.waiting == 1

    waiting = gevent.spawn(line.enter)
    beside = copy_context()
    gevent.spawn(beside.run, call_a_model).get()
    assert line.waiting == 1
    waiting.kill()


def test_a_request_that_takes_long_stops_nobody() -> None:
    line = RequestLine(1, longest=2, patience=30, lent=0.01)
    slow = line.enter()  # as one that waits for a lock in the database
    line.enter().close()
    slow.close()
    assert line.waiting == 0


def test_a_request_that_is_broken_off_in_line_leaves_no_gap(line: RequestLine) -> None:
    first = line.enter()
    gone = gevent.spawn(line.enter)
    gevent.sleep(0)
    gone.kill()
    assert line.waiting == 0
    first.close()
    line.enter()
