"""Limits the processor time of a block, to end a regular expression on hostile text or an endless loop."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final, NoReturn

from foundation.exceptions import FinClawError

KILLED_AFTER: Final = 2
"""After so many times the deadline the kernel ends the process: its code caught the exception and went on, or loops in
C, where no exception can be raised.
"""


class DeadlineExceeded(FinClawError):
    """The work computed for longer than it may, and would do so again."""

    code = "deadline_exceeded"
    default_message = "This took too long to work out."


@contextmanager
def cpu_deadline(seconds: float) -> Iterator[None]:
    """Raise ``DeadlineExceeded`` in the block once the process has computed for so many seconds, and let the kernel
    end the process at twice as many.

    Processor time counts, not the clock: waiting for a model or the database is free, and a busy machine ends nobody's
    work. A regular expression is interrupted too; it looks for signals every few thousand steps. Signals reach the main
    thread alone: in any other there is no deadline. The block may not hold another one.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    hears = signal.signal(signal.SIGVTALRM, _raise)
    dies = signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, KILLED_AFTER * seconds)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGVTALRM, hears)
        signal.signal(signal.SIGPROF, dies)


@contextmanager
def paused_deadline() -> Iterator[None]:
    """Stop the timers of the enclosing deadline during the block, in which other work uses this thread."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    left = {timer: signal.setitimer(timer, 0)[0] for timer in (signal.ITIMER_VIRTUAL, signal.ITIMER_PROF)}
    heard = {number: signal.signal(number, signal.SIG_DFL) for number in (signal.SIGVTALRM, signal.SIGPROF)}
    try:
        yield
    finally:
        for number, handler in heard.items():
            signal.signal(number, handler)
        for timer, seconds in left.items():
            signal.setitimer(timer, seconds)


def _raise(signum: int, frame: FrameType | None) -> NoReturn:
    raise DeadlineExceeded()
