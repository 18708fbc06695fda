"""Runs the programs of one installation: restarts each when it dies, and ends all of them, in order, when told to.

No library fits. honcho ends everything when the first program ends, and does not notice a dead one whose orphans keep
its output open; supervisor and circus are daemons with files and protocols of their own, and lose orphans that started
their own session. psutil and this module are enough.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from threading import Lock, Thread
from time import monotonic
from typing import IO, Final
from uuid import uuid4

import psutil

from finclaw.standby import SPARE
from foundation.signal_events import SignalEvent

LOOK_SECONDS: Final = 0.2
FIRST_PAUSE_SECONDS: Final = 0.25
LONGEST_PAUSE_SECONDS: Final = 30.0
SETTLED_SECONDS: Final = 10.0
"""A program that ran at least so long before it died is restarted at once."""
SPARE_PAUSE_SECONDS: Final = 15.0
"""How long after a start or a take-over a spare is loaded: the program first catches up with what waited for it."""
STOPPING_SECONDS: Final = 40.0
"""How long programs may take to finish requests and jobs; web and worker limit themselves to 30 seconds."""
_KILLING_SECONDS: Final = 1.0
_KILLINGS: Final = 5
"""How often the remaining processes of a program are killed: one that waits for a disk cannot die, so it is left."""
_MARK: Final = "FINCLAW_STARTED_AS"


@dataclass(frozen=True)
class Program:
    """What to run, under which name its lines are printed.

    One that ``has_spare`` is started a second time beside itself, loads everything, and waits (``finclaw.standby``) to
    take the place of the first at once when that dies.
    """

    name: str
    arguments: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict)
    has_spare: bool = False


class Output:
    """Prints lines of several programs, each with the time and the name of its own before it."""

    def __init__(self, stream: IO[str], names: Sequence[str]) -> None:
        self._stream, self._width, self._lock = stream, max(map(len, names)), Lock()

    def write(self, name: str, line: str) -> None:
        """Print one line."""
        with self._lock:
            self._stream.write(f"{datetime.now().astimezone():%H:%M:%S} {name:<{self._width}} | {line}\n")
            self._stream.flush()

    def follow(self, name: str, lines: IO[bytes]) -> None:
        """Print all lines until the end of output. An orphan may keep the output open, so nobody waits for this."""
        with lines:
            for line in lines:
                self.write(name, line.decode(errors="replace").rstrip("\r\n"))


@dataclass(frozen=True)
class StartedProcess:
    """A process, and what descends from it: all of them have its mark in their environment."""

    process: subprocess.Popen[bytes]
    mark: str

    def has_ended(self) -> bool:
        """Whether the process itself has ended; others that it started may still run."""
        return self.process.poll() is not None

    def kill_all(self) -> list[psutil.Process]:
        """Kill all of them, repeatedly, since one may just be forking; returns those that do not die within seconds."""
        if self.process.stdin is not None:
            self.process.stdin.close()
        with suppress(ProcessLookupError):
            self.process.kill()
        for _ in range(_KILLINGS):
            left = [*self._living()]
            if not left:
                break
            for process in left:
                with suppress(psutil.Error):
                    process.kill()
            psutil.wait_procs(left, timeout=_KILLING_SECONDS)
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(_KILLING_SECONDS)
        return [*self._living()]

    def _living(self) -> Iterator[psutil.Process]:
        """Those that have not ended: all inherit the mark in their environment, whatever their parent is by now.

        One that is just ending has no environment any more, but still holds its port and files: it is known by its
        session.
        """
        for process in psutil.process_iter():
            with suppress(psutil.Error, OSError):
                if process.status() == psutil.STATUS_ZOMBIE:
                    continue
                variables = process.environ()
                is_ending = not variables and os.getsid(process.pid) == self.process.pid
                if is_ending or variables.get(_MARK) == self.mark:
                    yield process


class SupervisedProgram:
    """A program, the process that runs it, its spare, and when it is to be started again."""

    def __init__(self, program: Program, output: Output, folder: Path) -> None:
        self.name = program.name
        self._program, self._output, self._folder = program, output, folder
        self._running: StartedProcess | None = None
        self._spare: StartedProcess | None = None
        self._began = 0.0
        self._start_at = 0.0
        self._spare_at = 0.0
        self._deaths = 0
        self._spare_deaths = 0

    def start(self) -> None:
        """Have its spare take over, or start it anew."""
        self._began = monotonic()
        self._spare_at = self._began + SPARE_PAUSE_SECONDS
        if self._spare is None:
            self._running = self._launch()
            return
        self._running, self._spare, self._spare_deaths = self._spare, None, 0
        assert self._running.process.stdin is not None
        with suppress(BrokenPipeError), self._running.process.stdin as waiting:  # one that just died is noticed next
            waiting.write(b"\n")

    def look(self) -> None:
        """Notice its death, end what it left behind, and start it again when its pause is over."""
        if self._running is not None and self._running.has_ended():
            self._note_death(describe_exit(self._running.process.returncode))
        if self._running is None and monotonic() >= self._start_at:
            try:
                self.start()
            except OSError as error:  # no memory, no process number
                self._note_death(type(error).__name__)
        if self._program.has_spare:
            self._keep_spare()

    def _keep_spare(self) -> None:
        """Start a spare some time after the program; one that ends is replaced after a pause that grows."""
        if self._spare is not None and self._spare.has_ended():
            self._note_death_of_spare(describe_exit(self._spare.process.returncode))
        if self._spare is None and monotonic() >= self._spare_at:
            try:
                self._spare = self._launch(as_spare=True)
            except OSError as error:  # no memory, no process number
                self._note_death_of_spare(type(error).__name__)

    def _note_death_of_spare(self, cause: str) -> None:
        self._kill(self._spare)
        self._spare = None
        self._spare_deaths += 1  # however long it ran: nobody knows whether it had loaded
        pause = pause_before_start(self._spare_deaths)
        self._spare_at = monotonic() + pause
        self._output.write(self.name, f"its spare ended with {cause}; another is started in {pause:g} s")

    def ask_to_stop(self) -> None:
        """Send SIGTERM to its main process, which stops the others."""
        if self._running is not None:
            with suppress(ProcessLookupError):
                self._running.process.terminate()

    def has_stopped(self) -> bool:
        """Whether its main process has ended."""
        return self._running is None or self._running.has_ended()

    def kill_all(self) -> None:
        """Kill its main process, its spare, and every process that descends from them.

        A process that does not die within a few seconds is reported and left behind.
        """
        spare, self._spare = self._spare, None
        for started in (self._running, spare):
            self._kill(started)
        self._running = None

    def _launch(self, *, as_spare: bool = False) -> StartedProcess:
        """Start it in a session of its own, so that a terminal's signals reach only the supervisor."""
        mark = uuid4().hex
        own = {_MARK: mark} | ({SPARE: "1"} if as_spare else {})
        process = subprocess.Popen(  # noqa: S603  our own programs
            self._program.arguments,
            stdin=subprocess.PIPE if as_spare else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=self._folder,
            env={**os.environ, **self._program.environment, **own},
            start_new_session=True,
        )
        assert process.stdout is not None
        Thread(target=self._output.follow, args=(self.name, process.stdout), daemon=True).start()
        return StartedProcess(process, mark)

    def _kill(self, started: StartedProcess | None) -> None:
        if started is not None and (left := started.kill_all()):
            numbers = ", ".join(str(process.pid) for process in left)
            self._output.write(self.name, f"process {numbers} does not end although it was killed; it is left behind")

    def _note_death(self, cause: str) -> None:
        self._kill(self._running)
        self._running = None
        self._deaths = 0 if monotonic() - self._began >= SETTLED_SECONDS else self._deaths + 1
        pause = pause_before_start(self._deaths)
        self._start_at = monotonic() + pause
        then = "its spare takes over once it has loaded" if self._spare else f"it is started again in {pause:g} s"
        self._output.write(self.name, f"ended with {cause}; {then}")


class Supervisor:
    """Keeps programs running until told to stop; those in ``last`` serve the others and are stopped after them."""

    def __init__(self, programs: Sequence[Program], last: Sequence[Program], stream: IO[str], folder: Path) -> None:
        self._output = Output(stream, [program.name for program in (*programs, *last)])
        self._first = [SupervisedProgram(program, self._output, folder) for program in programs]
        self._last = [SupervisedProgram(program, self._output, folder) for program in last]
        self._stopping, self._hurrying = SignalEvent(), SignalEvent()

    def run(self) -> None:
        """Supervise until SIGTERM or Ctrl-C; a second one kills what still runs."""
        before = {number: signal.signal(number, lambda *_: self.stop()) for number in (signal.SIGTERM, signal.SIGINT)}
        try:
            self.supervise()
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def supervise(self) -> None:
        """Start everything, and look after it until told to stop."""
        try:
            while not self._stopping.wait(LOOK_SECONDS):
                for program in (*self._last, *self._first):
                    program.look()
        finally:
            self._stop(self._first)
            self._stop(self._last)

    def stop(self) -> None:
        """Ask for everything to be stopped; a second call kills what still runs."""
        (self._hurrying if self._stopping.is_set() else self._stopping).set()

    def _stop(self, programs: Sequence[SupervisedProgram]) -> None:
        """Ask these programs to stop and wait for them; kill those that do not stop, and what they leave behind."""
        for program in programs:
            program.ask_to_stop()
        deadline = monotonic() + STOPPING_SECONDS
        while monotonic() < deadline and not all(program.has_stopped() for program in programs):
            if self._hurrying.wait(LOOK_SECONDS):
                break
        for program in programs:
            program.kill_all()
            self._output.write(program.name, "stopped")


def pause_before_start(deaths: int) -> float:
    """Seconds to wait before restarting a program that died soon after its start ``deaths`` times in a row."""
    return min(FIRST_PAUSE_SECONDS * 2.0**deaths, LONGEST_PAUSE_SECONDS) if deaths else 0.0


def describe_exit(code: int) -> str:
    """An exit code in words; of a process that a signal ended, the signal."""
    return signal.Signals(-code).name if code < 0 else f"code {code}"
