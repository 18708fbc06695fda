"""Starts django-q2's cluster as a process forked from one that has loaded everything, so that it begins at once."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import get_context
from pathlib import Path
from typing import Final

from django.core.management import call_command
from django.db import connections

from foundation.long_lived_heap import freeze_heap

_STOPPING: Final = (signal.SIGTERM, signal.SIGINT)


class ClusterProcess:
    """A forked process at the head of a session of its own, with the methods of ``subprocess.Popen`` that end one.

    Not ``os.fork`` alone: Python's ``multiprocessing`` also waits, at the end, for the processes that a cluster starts.
    """

    def __init__(self, run: Callable[[], object]) -> None:
        connections.close_all()  # a connection must not be shared
        freeze_heap()  # else the garbage collector would write to every memory page that both processes share
        self._process = get_context("fork").Process(target=_run_in_own_session, args=(run,))
        signal.pthread_sigmask(signal.SIG_BLOCK, _STOPPING)  # a signal waits until the new process takes it for its own
        self._process.start()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _STOPPING)

    @property
    def pid(self) -> int:
        """The process id, which is that of the process group, too."""
        assert self._process.pid is not None
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        """The exit code of the process, negative where a signal ended it; None while it runs."""
        return self._process.exitcode

    def poll(self) -> int | None:
        """Look whether it has ended; answers ``returncode``."""
        return self._process.exitcode

    def terminate(self) -> None:
        """Send SIGTERM."""
        self._process.terminate()

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end. Raises ``subprocess.TimeoutExpired``."""
        self._process.join(timeout)
        if (code := self._process.exitcode) is None:
            raise subprocess.TimeoutExpired("qcluster", timeout or 0.0)
        return code


def run_cluster() -> None:
    """Be django-q2's cluster until it is told to stop."""
    call_command("qcluster", skip_checks=True)


def _run_in_own_session(run: Callable[[], object]) -> None:
    for number in _STOPPING:
        signal.signal(number, signal.SIG_DFL)  # not those of the process that it was forked from
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _STOPPING)
    os.setsid()
    set_session_niceness(os.nice(0))
    run()


def set_session_niceness(niceness: int) -> None:
    """Set the niceness of this process's session towards other sessions.

    Linux, as most distributions set it up, schedules sessions against each other, and heeds the niceness of a process
    only towards those of its own session.
    """
    with suppress(OSError):  # a kernel without such groups, or one that lets us write none
        Path("/proc/self/autogroup").write_text(str(niceness))
