"""What a running worker and its database connections take of the processors: less at the mercy of a busy machine than
a clock.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

import psutil

if TYPE_CHECKING:
    from bench.qcluster import Cluster


class CpuMeter:
    """Seconds of processor time. A process that ended counts as last seen, so it is to be looked at now and then."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._seen: dict[int, float] = {}

    @property
    def seconds(self) -> float:
        """As of the last look, of every process seen so far."""
        return sum(self._seen.values())

    def look(self) -> None:
        """Read every clock there is."""
        for process in self._processes():
            with suppress(psutil.NoSuchProcess):
                self._seen[process.pid] = sum(process.cpu_times()[:2])

    def _processes(self) -> Iterator[psutil.Process]:
        yield from self._cluster.family()
        for pid in _backends():
            with suppress(psutil.NoSuchProcess):
                yield psutil.Process(pid)


_OTHERS = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"


def _backends() -> list[int]:
    """The server's processes behind other connections than ours to this database, on this machine."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(_OTHERS)
        return [pid for (pid,) in cursor.fetchall()]
