"""Apply patterns to their pumps under a limit of CPU time, in a process that the kernel ends when it is reached."""

from __future__ import annotations

import json
import math
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from tests.patterns.pumps import Pump, derive_pumps
from tests.patterns.recording import MAX_TEXT, ROOT, Pattern

SIZES: Final = (50, 500, MAX_TEXT)
MAX_SECONDS: Final = 0.05
"""CPU time that a pattern may take on any text of 8,000 characters."""
_KILLED_AFTER: Final = 0.25
"""CPU seconds after which a single run is ended, far above the limit that it then has broken."""
MAX_SECONDS_OF_A_PIECE: Final = 0.003
"""The same where texts are cut before: a message holds some forty pieces of two hundred characters."""
_FLOOR: Final = 0.003
"""Seconds. What stays below needs no look at how it grows: so short a time is noise."""
_SLACK: Final = 2.5
"""How much steeper than n·log n a growth may measure: caches and the clock of a busy machine."""
_ATTEMPTS: Final = 4
_CERTAIN: Final = 3
"""Times the limit: what breaks it so far needs no second look."""


@dataclass(frozen=True, slots=True)
class Runaway:
    """A pattern that took too long: the method, the pump and the seconds at each size, the last one not ended."""

    pattern: Pattern
    method: str
    pump: Pump
    seconds: tuple[float, ...]

    def __str__(self) -> str:
        times = ", ".join(
            f"{size}: {one * 1000:.2f} ms" for size, one in zip(sizes_of(self.pattern), self.seconds, strict=False)
        )
        pump = f"{self.pump.prefix!r} {' '.join(f'({body!r})*' for body in self.pump.bodies)} {self.pump.end!r}"
        return f"{self.pattern.place} {self.method} {pump} -> {times}\n    {self.pattern.source[:300]}"


def find_runaways(patterns: Sequence[Pattern], report: Callable[[Runaway], None] = lambda one: None) -> list[Runaway]:
    """The patterns that run away, each with its first pump that shows it."""
    found: list[Runaway] = []
    probed = 0
    while probed < len(patterns):
        for answer in _probe_until_killed(patterns[probed:]):
            if answer is None:
                probed += 1
            else:
                report(answer)
                found.append(answer)
    return found


def _probe_until_killed(patterns: Sequence[Pattern]) -> Iterator[Runaway | None]:
    """Each runaway, and None for each pattern that is done with, until the process ends or is ended."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.patterns.probing"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps([asdict(one) for one in patterns]))
        process.stdin.close()
        done, running = 0, {}
        for line in process.stdout:
            entry = json.loads(line)
            if "failed" in entry:
                yield _runaway(patterns[done], entry["failed"])
            elif "running" in entry:
                running = entry["running"]
            else:
                done += 1
                yield None
    if process.returncode == -signal.SIGVTALRM:
        yield _runaway(patterns[done], {**running, "seconds": [*running["seconds"], _KILLED_AFTER]})
        yield None
    elif process.returncode or done != len(patterns):
        raise RuntimeError(f"The probes ended with {process.returncode} after {done} of {len(patterns)} patterns.")


def _runaway(pattern: Pattern, entry: dict[str, Any]) -> Runaway:
    pump = Pump(entry["prefix"], tuple(entry["bodies"]), entry["end"])
    return Runaway(pattern, entry["method"], pump, tuple(entry["seconds"]))


def _probe(pattern: Pattern, tell: Callable[[dict[str, Any]], None]) -> None:
    compiled: re.Pattern[Any] = re.compile(_as_read(pattern, pattern.source), pattern.flags)
    for pump in derive_pumps(pattern.source, pattern.flags | (re.ASCII if pattern.is_binary else 0)):
        texts = [_as_read(pattern, pump.inflate(size)) for size in sizes_of(pattern)]
        for method in pattern.methods:
            apply = _applied(compiled, method)
            seconds: list[float] = []
            for text in texts:
                tell({"running": {"method": method, **asdict(pump), "seconds": seconds}})
                seconds.append(_timed(apply, text))
            if _is_runaway(seconds, pattern.bound) and (
                max(seconds) > _CERTAIN * MAX_SECONDS
                or all(_is_runaway([_timed(apply, text) for text in texts], pattern.bound) for _ in range(_ATTEMPTS))
            ):
                tell({"failed": {"method": method, **asdict(pump), "seconds": seconds}})
                return


def _as_read(pattern: Pattern, text: str) -> Any:
    return text.encode("latin-1", "replace") if pattern.is_binary else text


def _applied(compiled: re.Pattern[Any], method: str) -> Callable[[Any], object]:
    if method == "sub":
        return lambda text: compiled.sub(text[:0], text)
    apply: Callable[[Any], object] = getattr(compiled, method)
    return apply


def _timed(apply: Callable[[Any], object], text: Any) -> float:
    signal.setitimer(signal.ITIMER_VIRTUAL, _KILLED_AFTER)
    begin = time.thread_time()
    apply(text)
    taken = time.thread_time() - begin
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return taken


def sizes_of(pattern: Pattern) -> tuple[int, ...]:
    """The lengths at which a pattern is probed: never longer than what it is applied to."""
    return SIZES if pattern.bound >= MAX_TEXT else (pattern.bound // 4, pattern.bound)


def _is_runaway(seconds: Sequence[float], bound: int) -> bool:
    """Too long at any size, or from 500 to 8,000 characters growing faster than n·log n.

    Where texts are cut before there is no growth to look at, only the time at the longest.
    """
    *_, middle, last = seconds
    if bound < MAX_TEXT:
        return last > MAX_SECONDS_OF_A_PIECE
    allowed = SIZES[-1] * math.log(SIZES[-1]) / (SIZES[-2] * math.log(SIZES[-2])) * _SLACK
    return last > MAX_SECONDS or (last > _FLOOR and last > allowed * middle)


def main() -> None:
    """Read patterns as JSON; tell, line by line, what is running, what failed and how many are done."""
    signal.signal(signal.SIGVTALRM, signal.SIG_DFL)
    for entry in json.load(sys.stdin):
        pattern = Pattern(**{**entry, "methods": tuple(entry["methods"])})
        _probe(pattern, _tell)
        _tell({"done": pattern.place})


def _tell(entry: dict[str, Any]) -> None:
    sys.stdout.write(f"{json.dumps(entry)}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
