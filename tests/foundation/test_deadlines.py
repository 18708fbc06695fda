"""A deadline of processor time ends what computes, a regular expression too, and nothing that waits."""

from __future__ import annotations

import re
import signal
import time
from threading import Thread

import pytest

from foundation.deadlines import DeadlineExceeded, cpu_deadline


def _compute(seconds: float) -> None:
    begun = time.process_time()
    while time.process_time() - begun < seconds:
        pass


def test_an_exponential_pattern_is_ended() -> None:
    with pytest.raises(DeadlineExceeded), cpu_deadline(0.05):
        re.fullmatch("(?:a|a)*b", "a" * 60)


def test_waiting_counts_for_nothing() -> None:
    with cpu_deadline(0.05):
        time.sleep(0.1)


def test_what_follows_the_block_has_no_deadline_and_the_signals_as_before() -> None:
    before = signal.getsignal(signal.SIGVTALRM), signal.getsignal(signal.SIGPROF)

    with cpu_deadline(0.05):
        pass
    _compute(0.15)

    assert (signal.getsignal(signal.SIGVTALRM), signal.getsignal(signal.SIGPROF)) == before
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)


def test_no_signal_reaches_a_thread_so_it_has_no_deadline() -> None:
    ended: list[str] = []

    def work() -> None:
        with cpu_deadline(0.02):
            _compute(0.1)
        ended.append("whole")

    thread = Thread(target=work)
    thread.start()
    thread.join()

    assert ended == ["whole"]
