"""Writes to every node that takes it, all the time: two primaries at once, or a commit that is lost, would be seen."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from threading import Event, Thread
from typing import Final
from uuid import UUID, uuid4

import psycopg

from bench.high_availability.nodes import Cluster, Node

DATABASE: Final = "witness"
PAUSE_SECONDS: Final = 0.25
JOIN_SECONDS: Final = 10.0  # a commit may wait for a standby for ever
_IS_STANDBY: Final = "SELECT pg_is_in_recovery()"
# A promotion always begins a new timeline, whose number is how each file of the log is called.
_TIMELINE: Final = "SELECT ('x' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8))::bit(32)::int"


@dataclass(frozen=True)
class Acknowledged:
    """A commit that a node confirmed. Times are ``time.monotonic``'s."""

    row: UUID
    node: str
    timeline: int
    began: float
    ended: float


@dataclass
class Witness:
    """What was written to which node."""

    commits: list[Acknowledged] = field(default_factory=list)

    def split_brains(self) -> int:
        """How many commits a node confirmed although another had been promoted over it and confirmed one before."""
        return sum(
            any(
                other.timeline > commit.timeline and other.node != commit.node and other.ended < commit.began
                for other in self.commits
            )
            for commit in self.commits
        )

    def lost(self, cluster: Cluster) -> int:
        """How many confirmed commits the primary does not have."""
        with cluster.primary().connect(DATABASE) as connection:
            there = {row[0] for row in connection.execute("SELECT id FROM witness")}
        return sum(commit.row not in there for commit in self.commits)

    def watch(self, node: Node, stopping: Event) -> None:
        """Write to one node, whenever it can be written to."""
        while not stopping.wait(PAUSE_SECONDS):
            with suppress(psycopg.Error):
                self._write_on(node, stopping)

    def _write_on(self, node: Node, stopping: Event) -> None:
        with node.connect(DATABASE) as connection:
            while not stopping.wait(PAUSE_SECONDS):
                if connection.execute(_IS_STANDBY).fetchone() == (True,):
                    continue
                timeline = connection.execute(_TIMELINE).fetchone()
                row, began = uuid4(), time.monotonic()
                connection.execute("INSERT INTO witness VALUES (%s)", [row])
                assert timeline
                self.commits.append(Acknowledged(row, node.name, timeline[0], began, time.monotonic()))


@contextmanager
def watching(cluster: Cluster) -> Iterator[Witness]:
    """A witness of everything meanwhile, with a database of its own."""
    with cluster.primary().connect() as connection:
        connection.execute(f"CREATE DATABASE {DATABASE}")
    with cluster.primary().connect(DATABASE) as connection:
        connection.execute("CREATE TABLE witness (id uuid PRIMARY KEY)")
    witness, stopping = Witness(), Event()
    threads = [Thread(target=witness.watch, args=(node, stopping), daemon=True) for node in cluster.nodes.values()]
    _start(threads)
    try:
        yield witness
    finally:
        stopping.set()
        for thread in threads:
            thread.join(JOIN_SECONDS)


def _start(threads: Sequence[Thread]) -> None:
    for thread in threads:
        thread.start()
