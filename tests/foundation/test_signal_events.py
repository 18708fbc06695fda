"""The handler of a signal may set the event at any moment, also while it is about to be waited for."""

from __future__ import annotations

import subprocess
import sys

from foundation.signal_events import SignalEvent

BOMBARDED = """
import signal
from foundation.signal_events import SignalEvent

event = SignalEvent()
signal.signal(signal.SIGALRM, lambda *_: event.set())
signal.setitimer(signal.ITIMER_REAL, 0.0001, 0.0001)
for _ in range(3_000):
    event = SignalEvent()
    assert event.wait(600)
signal.setitimer(signal.ITIMER_REAL, 0)
"""


def test_no_signal_comes_at_a_wrong_moment() -> None:
    subprocess.run([sys.executable, "-c", BOMBARDED], check=True, timeout=60)


def test_it_stays_set_however_often_it_was_waited_for_or_told() -> None:
    event = SignalEvent()
    assert (event.is_set(), event.wait(0.001)) == (False, False)

    for _ in range(2):
        event.set()
    assert [event.wait(600) for _ in range(3)] == [True] * 3
