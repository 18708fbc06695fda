"""The web server as ``make run`` starts it, over the tests' own database, for clients that misbehave."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote

import httpx
import psutil
from django.conf import settings

from finclaw.management.commands.up import web_arguments
from foundation.database.urls import APP_ROLE
from tests.support.ports import free_port

HOST = "127.0.0.1"
METRICS_TOKEN = "metrics-token-of-the-tests"
START_SECONDS = 90.0
PATIENCE_SECONDS = 30.0
_AS_A_PROXY = {"X-Forwarded-Proto": "https"}  # one that speaks HTTPS answers everything else with a redirect


@dataclass(frozen=True)
class WebServer:
    """A running server and the folder that its files would go to."""

    port: int
    process: psutil.Process
    upload_folder: Path

    @property
    def address(self) -> str:
        return f"http://{HOST}:{self.port}"

    def connect(self, *, receive_buffer: int = 0) -> socket.socket:
        """A connection on which nothing was said yet."""
        client = socket.socket()
        if receive_buffer:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        client.settimeout(PATIENCE_SECONDS)
        client.connect((HOST, self.port))
        return client

    def exchange(self, sent: bytes) -> bytes:
        """Everything that is answered to these bytes until the server closes the connection."""
        with self.connect() as client:
            client.sendall(sent)
            return read_to_end(client)

    def is_ready(self) -> bool:
        """Whether it answers a request that asks the database."""
        with suppress(httpx.TransportError):
            asked = httpx.get(f"{self.address}/health/ready", headers=_AS_A_PROXY, timeout=PATIENCE_SECONDS)
            return asked.status_code == 200
        return False

    def closed_for_slowness(self) -> dict[str, int]:
        """How many connections were closed so far, by what the client was too slow with."""
        headers = {"Authorization": f"Bearer {METRICS_TOKEN}"}
        exposition = httpx.get(f"{self.address}/metrics", headers=headers, timeout=PATIENCE_SECONDS).text
        counted = re.findall(r'^http_slow_clients_total\{waiting_for="(\w+)"\} ([\d.]+)$', exposition, re.MULTILINE)
        return {waiting: int(float(number)) for waiting, number in counted}

    def memory_bytes(self) -> int:
        """What all its processes hold."""
        return sum(process.memory_info().rss for process in (self.process, *self.process.children()))


@contextmanager
def running_web_server(**environment: str) -> Iterator[WebServer]:
    """Start it with these settings, and stop it with SIGTERM at the end."""
    with TemporaryDirectory(prefix="finclaw-web-") as folder:
        port = free_port()
        process = psutil.Popen(
            [sys.executable, *web_arguments(HOST, port), "--workers", environment.get("WEB_WORKERS", "1")],
            cwd=settings.BASE_DIR,
            env=os.environ | _environment(Path(folder)) | environment,
            stdout=subprocess.DEVNULL,
        )
        server = WebServer(port, process, Path(folder) / "tmp")
        try:
            _wait_until_ready(server)
            yield server
        finally:
            with suppress(psutil.NoSuchProcess):  # a test may have ended it
                process.terminate()
            try:
                process.wait(PATIENCE_SECONDS)
            finally:
                for left in [*_children(process), process]:
                    with suppress(psutil.NoSuchProcess):
                        left.kill()


def read_to_end(client: socket.socket) -> bytes:
    """Everything until the connection is closed. Raises ``TimeoutError`` where it is not."""
    received = bytearray()
    with suppress(ConnectionResetError, BrokenPipeError):
        while piece := client.recv(65_536):
            received += piece
    return bytes(received)


def _environment(folder: Path) -> dict[str, str]:
    for name in ("data", "tmp", "metrics"):
        (folder / name).mkdir()
    database = settings.DATABASES["default"]
    return {
        "FINCLAW_DATA_DIR": str(folder / "data"),
        "FINCLAW_PROCESS": "web",
        "DATABASE_URL": f"postgresql://{APP_ROLE}@{quote(database['HOST'], safe='')}:5432/{database['NAME']}",
        "METRICS_TOKEN": METRICS_TOKEN,
        "PROMETHEUS_MULTIPROC_DIR": str(folder / "metrics"),
        "TMPDIR": str(folder / "tmp"),
        "LOG_LEVEL": "CRITICAL",
        "RATE_LIMIT_ANONYMOUS": "100000/min",
    }


def _wait_until_ready(server: WebServer) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not server.is_ready():
        assert server.process.is_running(), "the web server has ended"
        assert time.monotonic() < deadline, "the web server does not become ready"
        time.sleep(0.05)


def _children(process: psutil.Process) -> list[psutil.Process]:
    with suppress(psutil.NoSuchProcess):
        return list(process.children(recursive=True))
    return []
