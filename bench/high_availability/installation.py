"""FinClaw before three PostgreSQL nodes: HAProxy, PgBouncer, two web processes, a worker and nginx of ``deploy/``."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread
from typing import Final

import httpx2
import psutil

from bench.high_availability.nodes import FILES, Cluster
from bench.product import PATIENCE_SECONDS, REQUEST_SECONDS, ROOT, free_port, is_ready
from foundation.database.embedded_server import OS_USER
from foundation.database.urls import APP_ROLE, DATABASE_NAME, OWNER_ROLE

PRIMARY_PORT: Final = 5000
WORKER_NICENESS: Final = 10
"""In place of the unit's ``CPUWeight``: also while it loads."""
_PASSWORD: Final = "of-this-run"  # noqa: S105
_RESTART_SECONDS: Final = 0.1
_STOPPING_SECONDS: Final = 60.0


@dataclass
class ManagedProcess:
    """A process that is started again whenever it ends, as systemd does with ``Restart=always``."""

    arguments: Sequence[str]
    environment: Mapping[str, str]
    niceness: int = 0
    _stopping: Event = field(default_factory=Event)
    _process: subprocess.Popen[bytes] | None = None

    def run(self) -> None:
        """Keep it running until ``stop``."""
        while not self._stopping.is_set():
            command = ["nice", f"--adjustment={self.niceness}", sys.executable, *self.arguments]
            self._process = subprocess.Popen(command, cwd=ROOT, env=self.environment)
            self._process.wait()
            self._stopping.wait(_RESTART_SECONDS)

    def kill(self) -> None:
        """SIGKILL for it and what descends from it, at once."""
        assert self._process
        family = psutil.Process(self._process.pid)
        for process in [*family.children(recursive=True), family]:
            process.kill()

    def stop(self) -> None:
        """SIGTERM, and SIGKILL where that does not end it."""
        self._stopping.set()
        if self._process:
            self._process.terminate()
            try:
                self._process.wait(_STOPPING_SECONDS)
            except subprocess.TimeoutExpired:
                self.kill()


@dataclass(frozen=True)
class Installation:
    """Where people reach it, and its processes."""

    address: str
    environment: Mapping[str, str]
    web: Sequence[ManagedProcess]
    worker: ManagedProcess

    def clients(self, count: int) -> list[httpx2.Client]:
        """Clients of the API, each signed in as a new person who allows everything."""
        program = [sys.executable, "-m", "bench.load.people_setup", str(count)]
        made = subprocess.run(program, cwd=ROOT, env=self.environment, stdout=subprocess.PIPE, text=True, check=True)
        return [self._client(token) for token in json.loads(made.stdout.splitlines()[-1])]

    def _client(self, token: str) -> httpx2.Client:
        headers = {"Authorization": f"Token {token}"}
        address = f"{self.address}/api/"
        return httpx2.Client(base_url=address, headers=headers, timeout=REQUEST_SECONDS, verify=False)


@contextmanager
def running_installation(cluster: Cluster, folder: Path) -> Iterator[Installation]:
    """Everything before the nodes; it is ready to be asked."""
    from tests.deploy.proxies import nginx, running_program, write_certificate

    folder.mkdir(mode=0o755)
    ports, pooled = [free_port(), free_port()], free_port()
    environment = {**os.environ, **_settings(folder, pooled)}
    with ExitStack() as started:
        haproxy = ["haproxy", "-db", "-f", str(FILES / "haproxy.cfg")]
        started.enter_context(running_program(haproxy, PRIMARY_PORT))
        started.enter_context(
            running_program(["pgbouncer", "-q", "-u", OS_USER, _pgbouncer_file(folder, pooled)], pooled)
        )
        _prepare_database(cluster, environment)
        web = [_keep(started, ["manage.py", "web", "--port", str(port)], environment) for port in ports]
        worker = _keep(started, ["manage.py", "worker"], environment, WORKER_NICENESS)
        for port in ports:
            _wait_until_ready(f"http://127.0.0.1:{port}")
        write_certificate(folder)
        proxy = started.enter_context(nginx(folder, ports))
        yield Installation(f"https://127.0.0.1:{proxy.https_port}", environment, web, worker)


def _settings(folder: Path, pooled: int) -> dict[str, str]:
    none = dict.fromkeys(("OPENAI_BASE_URL", "EMBEDDINGS_BASE_URL"), "")
    bytecode = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(ROOT / "var" / "bytecode")}
    database = {
        "DATABASE_URL": f"postgresql://{APP_ROLE}:{_PASSWORD}@127.0.0.1:{pooled}/{DATABASE_NAME}",
        "DATABASE_OWNER_URL": f"postgresql://{OWNER_ROLE}:{_PASSWORD}@127.0.0.1:{PRIMARY_PORT}/{DATABASE_NAME}",
        "DATABASE_PREPARED_STATEMENTS": "false",
    }
    # Not HTTPS=true: readiness is asked of each web process without a proxy.
    own = {"FINCLAW_DATA_DIR": str(folder / "data"), "TRUSTED_PROXIES": "1", "WEB_WORKERS": "1", "WORKERS": "1"}
    return none | bytecode | database | own | {"RATE_LIMIT_USER": "100000/min", "LOG_LEVEL": "CRITICAL"}


def _prepare_database(cluster: Cluster, environment: Mapping[str, str]) -> None:
    primary = cluster.primary()
    printed = _manage(environment, "bootstrap_roles", "--print")
    with primary.connect() as connection:
        connection.execute(f"CREATE DATABASE {DATABASE_NAME}")
    with primary.connect(DATABASE_NAME) as connection:
        connection.execute(printed.encode())
        for role in (APP_ROLE, OWNER_ROLE):
            connection.execute(f"ALTER ROLE {role} PASSWORD '{_PASSWORD}'".encode())
    _manage(environment, "migrate", "--database", "owner", "--verbosity", "0")
    _manage(environment, "schedules")


def _manage(environment: Mapping[str, str], *arguments: str) -> str:
    command = [sys.executable, "manage.py", *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout


def _pgbouncer_file(folder: Path, port: int) -> str:
    from tests.deploy.proxies import example

    own = folder / "pgbouncer"
    own.mkdir()
    text = example("pgbouncer.ini", {
        "finclaw = host=/var/run/postgresql port=5432 dbname=finclaw\n": "",
        ";finclaw = host=127.0.0.1": "finclaw = host=127.0.0.1",
        "listen_port = 6432": f"listen_port = {port}",
        "/etc/pgbouncer": str(own),
        "/var/log/postgresql": str(own),
        "/var/run/postgresql": str(own),
    })  # fmt: skip
    (own / "pgbouncer.ini").write_text(text)
    (own / "userlist.txt").write_text(f'"{APP_ROLE}" "{_PASSWORD}"\n')
    for path in (own, *own.iterdir()):
        shutil.chown(path, OS_USER)
    return str(own / "pgbouncer.ini")


def _keep(
    started: ExitStack, arguments: Sequence[str], environment: Mapping[str, str], niceness: int = 0
) -> ManagedProcess:
    managed = ManagedProcess(arguments, environment, niceness)
    Thread(target=managed.run, daemon=True).start()
    started.callback(managed.stop)
    return managed


def _wait_until_ready(address: str) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not is_ready(address):
        if time.monotonic() > deadline:
            raise RuntimeError("a web process did not start")
        time.sleep(0.2)
