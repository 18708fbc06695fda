"""Each fault under twenty talkers, with PostgreSQL on three nodes as ``deploy/`` sets it up.

    python -m bench.high_availability --times 5
    python -m bench.high_availability --times 1 --only node

Needs root (network namespaces, small disks in memory), Debian's etcd-server, haproxy, pgbouncer and nginx, and
``make patroni``. Twenty talkers say something every few seconds, two more one thing after another: the recovery time is
the longest that one of these two was without an answer, from the fault until all nodes are whole again; *everybody* is
when all others had an answer, too, the pauses that they make included. The row ``nothing`` tells how long both take
without any fault. Lost is a turn that was answered, or a commit that a node confirmed, and is not there in the end. A
split brain is a commit confirmed by a node over which another had been promoted.
"""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import cycle
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Final

from bench.failover import FailoverTalker, all_served_again, open_talker, talking
from bench.high_availability.installation import Installation, ManagedProcess, running_installation
from bench.high_availability.network import running_network
from bench.high_availability.nodes import Cluster, Node, running_cluster
from bench.high_availability.witness import Witness, watching
from bench.report import publish
from bench.runner import add_numbers, argument_parser, set_up_django

TALKERS: Final = 20
TALKER_PAUSE_SECONDS: Final = 4.0
EAGER_TALKERS: Final = 2
QUIET_SECONDS: Final = 5.0
NODE_LIMIT_SECONDS: Final = 30.0
PROCESS_LIMIT_SECONDS: Final = 6.0

Undo = Callable[[], None]
Fault = Callable[[], Undo]
"""Does it, and answers what undoes it."""


def faults(cluster: Cluster, installation: Installation) -> Mapping[str, tuple[float, Fault]]:
    """Each fault by its name, with the seconds within which everybody is to be served again."""
    webs = cycle(installation.web)
    return {
        "nothing": (PROCESS_LIMIT_SECONDS, lambda: _nothing),
        "PostgreSQL killed": (PROCESS_LIMIT_SECONDS, lambda: _killed_postgres(cluster.primary())),
        "web process killed": (PROCESS_LIMIT_SECONDS, lambda: _killed_process(next(webs))),
        "worker killed": (PROCESS_LIMIT_SECONDS, lambda: _killed_process(installation.worker)),
        "node of the primary killed": (NODE_LIMIT_SECONDS, lambda: _killed_node(cluster.primary())),
        "node of a standby killed": (NODE_LIMIT_SECONDS, lambda: _killed_node(cluster.standbys()[0])),
        "network to both standbys cut": (NODE_LIMIT_SECONDS, lambda: _cut(cluster.primary(), cluster.standbys())),
        "network to one standby cut": (NODE_LIMIT_SECONDS, lambda: _cut(cluster.primary(), cluster.standbys()[:1])),
        "etcd of the primary killed": (NODE_LIMIT_SECONDS, lambda: _killed_etcd(cluster.primary())),
        "disk of the primary full": (NODE_LIMIT_SECONDS, lambda: _filled_disk(cluster.primary())),
    }


def _nothing() -> None:
    """Nothing is to be undone."""


def _killed_postgres(node: Node) -> Undo:
    node.kill_postgres()
    return _nothing


def _killed_process(process: ManagedProcess) -> Undo:
    process.kill()
    return _nothing


def _killed_node(node: Node) -> Undo:
    node.kill()
    return partial(_power_on, node)


def _power_on(node: Node) -> None:
    node.network.plug(node.name)
    node.start()


def _cut(node: Node, others: Sequence[Node]) -> Undo:
    names = [other.name for other in others]
    node.network.cut(node.name, names)
    return partial(node.network.mend, node.name, names)


def _killed_etcd(node: Node) -> Undo:
    node.kill_etcd()
    return node.start


def _filled_disk(node: Node) -> Undo:
    node.fill_disk()
    return node.free_disk


def measure(cluster: Cluster, installation: Installation, times: int, only: str) -> dict[str, dict[str, float]]:
    """Do each fault so often; a row of figures for each, and one for what became of what was answered."""
    eager, talkers = _talkers(installation)
    rows = {}
    with watching(cluster) as witness, talking(talkers):
        for name, (limit, fault) in faults(cluster, installation).items():
            if only in name:
                outages = [_outage(cluster, eager, talkers, fault) for _ in range(times)]
                rows[name] = _figures(outages, limit)
                print(f"{name}: {rows[name]}", flush=True)
        time.sleep(QUIET_SECONDS)
    return rows | {"what was answered": _kept(cluster, talkers, witness)}


def _talkers(installation: Installation) -> tuple[list[FailoverTalker], list[FailoverTalker]]:
    """Those who never pause, and all."""
    clients = installation.clients(EAGER_TALKERS + TALKERS)
    eager = [open_talker(client, number) for number, client in enumerate(clients[:EAGER_TALKERS])]
    others = [
        open_talker(client, number, TALKER_PAUSE_SECONDS)
        for number, client in enumerate(clients[EAGER_TALKERS:], EAGER_TALKERS)
    ]
    return eager, [*eager, *others]


def _outage(
    cluster: Cluster, eager: Sequence[FailoverTalker], talkers: Sequence[FailoverTalker], fault: Fault
) -> tuple[float, float]:
    """The longest silence after the fault, and the seconds until everybody is answered; afterwards all is whole."""
    cluster.wait_until_whole()
    time.sleep(QUIET_SECONDS)
    began = time.monotonic()
    undo = fault()
    try:
        everybody = all_served_again(talkers, began) - began
    finally:
        undo()
        cluster.wait_until_whole()
    time.sleep(QUIET_SECONDS)
    return max(talker.longest_silence(began) for talker in eager), everybody


def _figures(outages: Sequence[tuple[float, float]], limit: float) -> dict[str, float]:
    answered, everybody = zip(*outages, strict=True)
    figures = {"longest": max(answered), "median": median(answered), "everybody": max(everybody), "limit": limit}
    return {"times": len(outages)} | {name: round(value, 1) for name, value in figures.items()}


def _kept(cluster: Cluster, talkers: Sequence[FailoverTalker], witness: Witness) -> dict[str, float]:
    return {
        "answered turns": sum(len(talker.answered) for talker in talkers),
        "lost turns": sum(len(talker.lost()) for talker in talkers),
        "refused": sum(talker.refused for talker in talkers),
        "confirmed commits": len(witness.commits),
        "lost commits": witness.lost(cluster),
        "split brains": witness.split_brains(),
    }


@contextmanager
def everything() -> Iterator[tuple[Cluster, Installation]]:
    """Nodes and product, as long as this lasts."""
    with TemporaryDirectory(prefix="finclaw-ha-", dir="/dev/shm") as name:
        folder = Path(name)
        folder.chmod(0o755)
        with (
            running_network() as network,
            running_cluster(network, folder) as cluster,
            running_installation(cluster, folder / "product") as installation,
        ):
            yield cluster, installation


def main() -> None:
    """Print the table, write the figures; exit 1 where a limit is missed or something that was confirmed is lost."""
    parser = argument_parser(__doc__)
    add_numbers(parser, times=5)
    parser.add_argument("--only", default="", help="faults with this in their name")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    set_up_django()  # what is shared with the tests of deploy/ reads its settings
    with everything() as (cluster, installation):
        figures = measure(cluster, installation, arguments.times, arguments.only)
    publish("high_availability", "Faults under twenty talkers, in seconds", figures)
    kept = figures["what was answered"]
    in_time = all(row["longest"] <= row["limit"] for row in figures.values() if "limit" in row)
    if not in_time or kept["lost turns"] or kept["lost commits"] or kept["split brains"]:
        raise SystemExit("A limit was missed, or something that was confirmed is lost.")


if __name__ == "__main__":
    main()
