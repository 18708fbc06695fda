"""What the product's processes take while it is under load: memory over time, and processor seconds."""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from statistics import mean
from typing import Final

import psutil

INTERVAL_SECONDS: Final = 2.0
Families = Callable[[], Mapping[str, list[psutil.Process]]]
_MB: Final = 2**20


class ProcessWatch:
    """Looks at families of processes, named web, worker and so on, every two seconds.

    The memory of a family is the resident memory of its processes, shared pages counted in each.
    """

    def __init__(self, families: Families) -> None:
        self._families = families
        self._memory: dict[str, list[float]] = defaultdict(list)
        self._seconds: dict[str, dict[int, tuple[float, float]]] = defaultdict(dict)
        self._began = time.monotonic()

    async def watch(self) -> None:
        """Look until cancelled."""
        while True:
            self.look()
            await asyncio.sleep(INTERVAL_SECONDS)

    def look(self) -> None:
        """Note memory and processor time now."""
        for name, processes in self._families().items():
            self._memory[name].append(sum(map(self._noted(name), processes)) / _MB)

    def _noted(self, name: str) -> Callable[[psutil.Process], int]:
        def note(process: psutil.Process) -> int:
            with suppress(psutil.Error), process.oneshot():
                times = process.cpu_times()
                used = times.user + times.system
                first, _ = self._seconds[name].get(process.pid, (used, used))
                self._seconds[name][process.pid] = first, used
                return int(process.memory_info().rss)
            return 0

        return note

    def figures(self) -> dict[str, dict[str, float]]:
        """A row a family. ``growth %`` compares the last fifth of the time with the second fifth."""
        self.look()
        elapsed = time.monotonic() - self._began
        return {name: self._row(name, seen, elapsed) for name, seen in self._memory.items()}

    def _row(self, name: str, seen: list[float], elapsed: float) -> dict[str, float]:
        fifth = max(1, len(seen) // 5)
        settled = mean(seen[fifth : 2 * fifth] or seen)
        used = sum(last - first for first, last in self._seconds[name].values())
        return {
            "processes": len(self._seconds[name]),
            "first MB": round(seen[0]), "peak MB": round(max(seen)), "last MB": round(mean(seen[-fifth:])),
            "growth %": round(100 * (mean(seen[-fifth:]) / settled - 1), 1) if settled else 0.0,
            "CPU s": round(used, 1), "CPU %": round(100 * used / elapsed, 1),
        }  # fmt: skip


def families_under(roots: Iterable[psutil.Process], patterns: Mapping[str, str]) -> dict[str, list[psutil.Process]]:
    """The processes under some, by the first name whose pattern stands in the command line of one or of a parent."""
    found: dict[str, list[psutil.Process]] = {name: [] for name in patterns}
    for root in roots:
        _sort_into(found, root, patterns, None)
    return found


def _sort_into(
    found: dict[str, list[psutil.Process]], process: psutil.Process, patterns: Mapping[str, str], family: str | None
) -> None:
    with suppress(psutil.Error):
        line = " ".join(process.cmdline())
        family = family or next((name for name, pattern in patterns.items() if pattern in line), None)
        if family:
            found[family].append(process)
        for child in process.children():
            _sort_into(found, child, patterns, family)
