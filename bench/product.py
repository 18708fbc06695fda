"""The product as ``make run`` starts it, on a port and in a data directory of its own, for measurements over HTTP."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx2
import psutil

from foundation.database.embedded_server import EmbeddedServer

ROOT = Path(__file__).resolve().parent.parent
PATIENCE_SECONDS = 300.0
REQUEST_SECONDS = 60.0
SCOPES = ("save_to_thread", "save_to_profile", "training_use_allowed", "memory_learning_allowed")


@dataclass(frozen=True)
class Product:
    """A running product and its database."""

    address: str
    server: EmbeddedServer
    output: Path
    process: psutil.Process
    environment: Mapping[str, str]

    @property
    def port(self) -> int:
        """Where the web server listens."""
        return int(self.address.rpartition(":")[2])

    def client(self) -> httpx2.Client:
        """A client of the API with a token of the first user's, who allows everything."""
        shown = re.search(r"Sign in +(?P<username>alice) +(?P<password>\S+)", self.output.read_text())
        assert shown, "a first start shows who may sign in"
        names = shown.groupdict()
        client = httpx2.Client(base_url=f"{self.address}/api/", timeout=REQUEST_SECONDS)
        client.headers["Authorization"] = f"Token {_done(client.post('auth/token', json=names))['token']}"
        _done(client.post("users/me/profile-consent", json=dict.fromkeys(SCOPES, True) | {"acknowledged_notice": 1}))
        return client

    def kill_database(self) -> None:
        """SIGKILL for the server and every process of its own at once."""
        pid = int((self.server.cluster / "postmaster.pid").read_text().split()[0])
        postmaster = psutil.Process(pid)
        for process in [postmaster, *postmaster.children(recursive=True)]:
            with suppress(psutil.NoSuchProcess):  # it followed the one before it
                process.kill()


@contextmanager
def running_product(environment: Mapping[str, str] | None = None) -> Iterator[Product]:
    """Start it, without any model unless the environment names one, and stop it with its database at the end.

    Also where this process is told to end by SIGTERM meanwhile.
    """
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    with TemporaryDirectory(prefix="finclaw-bench-") as folder:
        server = EmbeddedServer(Path(folder))
        port = free_port()
        output = Path(folder, "output")
        variables = {**os.environ, **_environment(folder), **(environment or {})}
        with output.open("wb") as stdout:
            process = subprocess.Popen(
                [sys.executable, "manage.py", "up", "--port", str(port)],
                cwd=ROOT,
                env=variables,
                stdout=stdout,
            )
        try:
            product = Product(f"http://127.0.0.1:{port}", server, output, psutil.Process(process.pid), variables)
            _wait_until_ready(product, process)
            yield product
        finally:
            process.terminate()
            process.wait(timeout=60)
            server.stop()


def _environment(data_dir: str) -> dict[str, str]:
    none = dict.fromkeys(("DATABASE_URL", "DATABASE_OWNER_URL", "OPENAI_BASE_URL", "EMBEDDINGS_BASE_URL"), "")
    # An installation keeps its bytecode, whatever the shell here says: without, each start compiles everything.
    bytecode = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(ROOT / "var" / "bytecode")}
    own = {"FINCLAW_DATA_DIR": data_dir, "MCP_PORT": "0"}  # two products would share the port
    return none | bytecode | own | {"RATE_LIMIT_USER": "100000/min", "LOG_LEVEL": "ERROR"}


def _wait_until_ready(product: Product, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not is_ready(product.address):
        if process.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError("the product did not start")
        time.sleep(0.2)


def is_ready(address: str) -> bool:
    """Whether a web server answers that it is ready."""
    try:
        return httpx2.get(f"{address}/health/ready", timeout=REQUEST_SECONDS).status_code == 200
    except httpx2.TransportError:
        return False


def _done(response: httpx2.Response) -> dict[str, str]:
    response.raise_for_status()
    answer: dict[str, str] = response.json()
    return answer


def free_port() -> int:
    """A port that nobody listens at."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
