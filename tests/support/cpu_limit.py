"""Run calls that may never end: in a child process that the kernel kills once it has used its processor time."""

from __future__ import annotations

import gc
import os
import signal
import struct
import time
import traceback
from collections.abc import Callable, Sequence
from typing import Final

_SECONDS: Final = struct.Struct("d")


def measure_cpu_seconds(calls: Sequence[Callable[[], object]], limit: float) -> list[float | None]:
    """The processor seconds that each call takes, None for one that reaches ``limit`` and is killed.

    The calls run in forks of this process, so they see whatever it has loaded, and what they change is lost. The kernel
    sends the signal: neither a regular expression nor a loop in C can hold it up. Raises ``RuntimeError`` where a call
    raises or its process dies of anything else.
    """
    measured: list[float | None] = []
    while len(measured) < len(calls):
        measured += _measured_in_a_child(calls[len(measured) :], limit)
    return measured


def _measured_in_a_child(calls: Sequence[Callable[[], object]], limit: float) -> list[float | None]:
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        _measure_each(calls, limit, writing)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        written = pipe.read()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    measured: list[float | None] = [seconds for (seconds,) in _SECONDS.iter_unpack(written)]
    if status == -signal.SIGPROF:
        return [*measured, None]
    if status:
        raise RuntimeError(f"call number {len(measured)} failed: its process ended with {status}")
    return measured


def _measure_each(calls: Sequence[Callable[[], object]], limit: float, writing: int) -> None:
    """What the child does; it never returns into its parent's code."""
    try:
        gc.disable()
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        for call in calls:
            signal.setitimer(signal.ITIMER_PROF, limit)
            started = time.process_time()
            call()
            seconds = time.process_time() - started
            signal.setitimer(signal.ITIMER_PROF, 0)
            os.write(writing, _SECONDS.pack(seconds))
    except BaseException:  # noqa: BLE001  this process must not go on with its parent's work
        traceback.print_exc()
        os._exit(1)
    os._exit(0)
