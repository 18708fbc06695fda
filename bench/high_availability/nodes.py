"""Three nodes with etcd, Patroni, PostgreSQL and the disk guard, from the files in ``deploy/postgresql/``."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import httpx2
import psycopg

from bench.high_availability.network import ADDRESSES, Network
from bench.product import ROOT
from foundation.database.embedded_server import OS_USER, binaries

FILES: Final = ROOT / "deploy" / "postgresql"
ASKING: Final = (ROOT / "deploy" / "prometheus" / "alerts.yml", ROOT / "deploy" / "grafana" / "finclaw.json")
PATRONI: Final = ROOT / ".venv" / "patroni" / "bin" / "patroni"
DISK_MEGABYTES: Final = 900
LEAST_FREE_MEGABYTES: Final = 150
PATIENCE_SECONDS: Final = 180.0
_ANSWER_SECONDS: Final = 2.0
_FILLING: Final = "what-fills-the-disk"


@dataclass
class Node:
    """One machine, on a small disk of its own."""

    name: str
    network: Network
    folder: Path
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    @property
    def address(self) -> str:
        return ADDRESSES[self.name]

    @property
    def disk(self) -> Path:
        """Where PostgreSQL keeps its files."""
        return self.folder / "disk"

    def start(self) -> None:
        """Start what does not run of etcd, Patroni (which starts PostgreSQL) and the disk guard."""
        programs = {
            "etcd": ["etcd"],
            "patroni": [str(PATRONI), str(FILES / "patroni.yml")],
            "guard": [sys.executable, str(FILES / "disk_guard.py")],
        }
        for name, program in programs.items():
            if name not in self.processes or self.processes[name].poll() is not None:
                self._start(name, program)

    def kill(self) -> None:
        """Take its power away: nothing is heard of it from then on, not even that its connections are closed."""
        self.network.unplug(self.name)
        while running := self.network.processes(self.name):
            for process in running:
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
        for started in self.processes.values():
            started.wait(PATIENCE_SECONDS)

    def kill_postgres(self) -> None:
        """SIGKILL for the server process; its children end by themselves."""
        os.kill(int((self.disk / "18" / "postmaster.pid").read_text().split()[0]), signal.SIGKILL)

    def kill_etcd(self) -> None:
        """SIGKILL for its member of etcd."""
        self.processes["etcd"].kill()
        self.processes["etcd"].wait(PATIENCE_SECONDS)

    def fill_disk(self) -> None:
        """Leave no byte."""
        with suppress(OSError), (self.disk / _FILLING).open("wb", buffering=0) as file:
            while True:
                file.write(bytes(1_000_000))

    def free_disk(self) -> None:
        """Undo ``fill_disk``."""
        (self.disk / _FILLING).unlink(missing_ok=True)

    def connect(self, dbname: str = "postgres") -> psycopg.Connection:
        """An autocommit connection of the superuser, past every proxy."""
        password = self.environment()["PATRONI_SUPERUSER_PASSWORD"]
        return psycopg.connect(
            host=self.address, dbname=dbname, user="postgres", password=password,
            autocommit=True, connect_timeout=2, keepalives_idle=1, keepalives_interval=1, keepalives_count=3,
            tcp_user_timeout=4000,
        )  # fmt: skip

    def environment(self) -> dict[str, str]:
        """``node.env`` for this node, with folders and binaries of this run."""
        own = {
            "10.77.0.11": self.address,
            "/var/lib/finclaw-postgres": str(self.disk),
            "/var/lib/etcd": str(self.folder),
            "/usr/lib/postgresql/18/bin": str(binaries()),
        }
        values = read_environment_file(FILES / "node.env")
        for name, value in values.items():
            if name == "ETCD_INITIAL_CLUSTER":  # the list of all
                continue
            for usual, replacement in own.items():
                value = value.replace(usual, replacement)
            values[name] = self.name if value == "pg1" else value
        return values | {"DISK_GUARD_LEAST_BYTES": str(LEAST_FREE_MEGABYTES * 1_000_000)}

    def _start(self, name: str, program: Sequence[str]) -> None:
        as_user = ["setpriv", f"--reuid={OS_USER}", f"--regid={OS_USER}", "--clear-groups", *program]
        with (self.folder / f"{name}.log").open("ab") as log:
            self.processes[name] = subprocess.Popen(
                self.network.command(self.name, as_user),
                env={"PATH": os.environ["PATH"], "HOME": str(self.folder), "LC_ALL": "C"} | self.environment(),
                cwd="/",
                stdout=log,
                stderr=log,
            )


@dataclass(frozen=True)
class Cluster:
    """All nodes."""

    nodes: Mapping[str, Node]

    def primary(self) -> Node:
        """The node that is the primary by its own Patroni. Waits until there is one."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline:
            for node in self.nodes.values():
                if _ask(node, "/primary") is not None:
                    return node
            time.sleep(0.2)
        raise TimeoutError("no node became the primary")

    def standbys(self) -> list[Node]:
        """The nodes that are not the primary."""
        primary = self.primary()
        return [node for node in self.nodes.values() if node is not primary]

    def wait_until_whole(self) -> None:
        """Wait until both standbys follow the primary, and a commit waits for one of them."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not self._is_whole():
            if time.monotonic() > deadline:
                raise TimeoutError(f"the cluster is not whole again: {_ask(self.primary(), '/cluster')}")
            time.sleep(0.2)

    def require_metrics(self) -> None:
        """Raise ``ValueError`` where alerts or dashboard ask Patroni for a metric that no node shows."""
        asked = {name for file in ASKING for name in re.findall(r"\bpatroni_\w+", file.read_text())}
        addresses = (f"http://{node.address}:8008/metrics" for node in self.nodes.values())
        shown = "".join(httpx2.get(address, timeout=_ANSWER_SECONDS).text for address in addresses)
        if missing := sorted(name for name in asked if f"\n{name}{{" not in shown):
            raise ValueError(f"Patroni shows no {', '.join(missing)}")

    def _is_whole(self) -> bool:
        answer = _ask(self.primary(), "/cluster") or {}
        members = {member["role"]: member["state"] for member in answer.get("members", ())}
        roles = sorted(member["role"] for member in answer.get("members", ()))
        are_synchronous = roles == ["leader", "quorum_standby", "quorum_standby"]
        return are_synchronous and members == {"leader": "running", "quorum_standby": "streaming"}


def read_environment_file(path: Path) -> dict[str, str]:
    """The variables of a file such as systemd's ``EnvironmentFile``."""
    lines = (line.strip() for line in path.read_text().splitlines())
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


@contextmanager
def running_cluster(network: Network, folder: Path) -> Iterator[Cluster]:
    """The nodes, each with a small disk in memory; all of them are whole."""
    nodes = {name: Node(name, network, folder / name) for name in ADDRESSES}
    with ExitStack() as made:
        for node in nodes.values():
            made.enter_context(_disk(node))
            made.callback(_end, node)
            node.start()
        cluster = Cluster(nodes)
        cluster.wait_until_whole()
        cluster.require_metrics()
        yield cluster


@contextmanager
def _disk(node: Node) -> Iterator[None]:
    node.disk.mkdir(parents=True)
    size = f"size={DISK_MEGABYTES}m"
    subprocess.run(["mount", "-t", "tmpfs", "-o", size, "finclaw-ha", str(node.disk)], check=True)
    try:
        for path in (node.folder, node.disk):
            shutil.chown(path, OS_USER, OS_USER)
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(node.disk)], check=True)


def _end(node: Node) -> None:
    with suppress(subprocess.CalledProcessError):
        node.kill()


def _ask(node: Node, path: str) -> Any:
    """Patroni's answer in JSON; None unless it is 200."""
    with suppress(httpx2.TransportError):
        response = httpx2.get(f"http://{node.address}:8008{path}", timeout=_ANSWER_SECONDS)
        if response.status_code == 200:
            return response.json()
    return None
