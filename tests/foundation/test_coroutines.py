"""Work that waits lets other work of its thread go on, and computes in that thread alone. Needs no database."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import pytest

from foundation.coroutines import Coroutines, call_in_thread
from foundation.deadlines import DeadlineExceeded, cpu_deadline

PATIENCE = 30.0
_told: ContextVar[str] = ContextVar("told", default="")


@contextmanager
def _group(most: int = 4) -> Iterator[Coroutines]:
    group = Coroutines(most)
    try:
        yield group
    finally:
        group.close()


def _finish(group: Coroutines) -> None:
    while group.waiting:
        assert group.resume_next(PATIENCE)


def _compute(seconds: float) -> None:
    begun = time.process_time()
    while time.process_time() - begun < seconds:
        sum(range(100_000))  # of the program's own: looking at the clock is the system's work


def test_two_wait_at_a_time_and_compute_in_one_thread() -> None:
    both = threading.Barrier(2, timeout=PATIENCE)
    threads: list[threading.Thread] = []

    def work() -> None:
        threads.append(threading.current_thread())
        call_in_thread(both.wait)
        threads.append(threading.current_thread())

    with _group() as group:
        group.start(work)
        group.start(work)
        assert group.waiting == 2
        _finish(group)

    assert threads == [threading.current_thread()] * 4


def test_an_answer_and_a_failure_reach_whoever_asked() -> None:
    heard: list[object] = []

    def fail() -> None:
        raise ValueError("no")

    def ask(call: Callable[[], object]) -> None:
        try:
            heard.append(call_in_thread(call))
        except ValueError as error:
            heard.append(str(error))

    with _group() as group:
        for call in (lambda: 42, fail):
            group.start(lambda call=call: ask(call))  # type: ignore[misc]
            _finish(group)

    assert heard == [42, "no"]


def test_what_fails_tells_whoever_started_it() -> None:
    def work() -> None:
        call_in_thread(lambda: None)
        raise LookupError

    with _group() as group:
        group.start(work)
        with pytest.raises(LookupError):
            _finish(group)
        assert group.waiting == 0


def test_each_keeps_its_own_context_and_its_call_sees_it() -> None:
    seen: list[tuple[str, str, str]] = []

    def work(name: str) -> None:
        _told.set(name)
        asked = call_in_thread(_told.get)
        seen.append((name, asked, _told.get()))

    with _group() as group:
        for name in ("a", "b"):
            group.start(lambda name=name: work(name))  # type: ignore[misc]
        _finish(group)

    assert sorted(seen) == [("a", "a", "a"), ("b", "b", "b")]
    assert _told.get() == ""


def test_outside_of_one_it_just_calls() -> None:
    assert call_in_thread(threading.current_thread) is threading.current_thread()


def test_a_deadline_counts_its_own_work_alone_and_goes_on_after_a_wait() -> None:
    release = threading.Event()
    ended: list[str] = []

    def limited() -> None:
        try:
            with cpu_deadline(0.1):
                call_in_thread(lambda: release.wait(PATIENCE))
                ended.append("waited")
                _compute(PATIENCE)
        except DeadlineExceeded:
            ended.append("ended")

    with _group() as group:
        group.start(limited)
        group.start(lambda: _compute(0.3))  # without a deadline
        release.set()
        _finish(group)

    assert ended == ["waited", "ended"]
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)
    assert signal.getsignal(signal.SIGVTALRM) == signal.SIG_DFL


def test_two_with_deadlines_leave_the_signals_as_they_were() -> None:
    before = signal.getsignal(signal.SIGVTALRM), signal.getsignal(signal.SIGPROF)
    both = threading.Barrier(2, timeout=PATIENCE)

    def limited() -> None:
        with cpu_deadline(PATIENCE):
            call_in_thread(both.wait)

    with _group() as group:
        group.start(limited)
        group.start(limited)
        _finish(group)

    assert (signal.getsignal(signal.SIGVTALRM), signal.getsignal(signal.SIGPROF)) == before


def test_what_is_broken_off_cleans_up_and_goes_no_further() -> None:
    release = threading.Event()
    told: list[str] = []

    def work() -> None:
        try:
            call_in_thread(lambda: release.wait(PATIENCE))
            told.append("went on")
        finally:
            told.append("cleaned up")

    with _group() as group:
        group.start(work)
        group.close()
        assert group.waiting == 0
    release.set()

    assert told == ["cleaned up"]


_ABANDONS = """
import time
from foundation.coroutines import Coroutines, call_in_thread
group = Coroutines(1)
group.start(lambda: call_in_thread(lambda: time.sleep(600)))
group.close()
"""


def test_a_process_ends_without_waiting_for_a_call_that_was_abandoned() -> None:
    subprocess.run([sys.executable, "-c", _ABANDONS], check=True, timeout=PATIENCE)
