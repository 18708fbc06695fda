"""What ``deploy/postgresql/`` says holds together, and the disk guard hands a full primary's place on."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from threading import Thread
from types import ModuleType
from typing import Any

import pytest
import yaml

from foundation.database.embedded_server import _OPTIONS
from tests.deploy.proxies import EXAMPLES
from tests.support.ports import free_port

FILES = EXAMPLES / "postgresql"
MOST_SECONDS = 30
ROOM, NO_ROOM = 1, 2**62


@pytest.fixture(scope="module")
def guard() -> ModuleType:
    """The program, which is no module of the product."""
    spec = spec_from_file_location("disk_guard", FILES / "disk_guard.py")
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class FakePatroni(HTTPServer):
    """Patroni's REST API of a primary, or of a standby."""

    def __init__(self, is_primary: bool) -> None:
        super().__init__(("127.0.0.1", free_port()), FakePatroniHandler)
        self.is_primary = is_primary
        self.switchovers: list[tuple[str, Any]] = []

    def environment(self) -> dict[str, str]:
        """Of the guard beside it."""
        return {
            "PATRONI_NAME": "pg1",
            "PATRONI_RESTAPI_CONNECT_ADDRESS": f"127.0.0.1:{self.server_port}",
            "PATRONI_RESTAPI_USERNAME": "patroni",
            "PATRONI_RESTAPI_PASSWORD": "secret",
        }


class FakePatroniHandler(BaseHTTPRequestHandler):
    """Answers one request."""

    server: FakePatroni

    def do_GET(self) -> None:
        self._answer(200 if self.server.is_primary else 503)

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        secret = base64.b64decode(self.headers["Authorization"].removeprefix("Basic ")).decode()
        self.server.switchovers.append((secret, body))
        self._answer(200)

    def _answer(self, status: int) -> None:
        self.send_response(status)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_: object) -> None:
        """Be quiet."""


@pytest.fixture(params=[True, False], ids=["primary", "standby"])
def patroni(request: pytest.FixtureRequest) -> Iterator[FakePatroni]:
    """A node's Patroni."""
    with FakePatroni(request.param) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def test_a_full_primary_hands_its_place_on_and_a_standby_has_none(
    guard: ModuleType, patroni: FakePatroni, tmp_path: Path
) -> None:
    node = guard.PatroniNode(patroni.environment())

    assert guard.look(node, str(tmp_path), ROOM) == ""
    assert patroni.switchovers == []
    assert bool(guard.look(node, str(tmp_path), NO_ROOM)) is patroni.is_primary
    assert patroni.switchovers == ([("patroni:secret", {"leader": "pg1"})] if patroni.is_primary else [])


def test_neither_a_missing_folder_nor_a_patroni_that_is_away_ends_the_guard(guard: ModuleType, tmp_path: Path) -> None:
    away = guard.PatroniNode(FakePatroni(is_primary=True).environment() | {
        "PATRONI_RESTAPI_CONNECT_ADDRESS": f"127.0.0.1:{free_port()}"
    })  # fmt: skip

    assert guard.look(away, str(tmp_path / "not-made-yet"), NO_ROOM) == ""
    assert guard.look(away, str(tmp_path), NO_ROOM) == ""
    assert away.step_down() == "ConnectionRefusedError"


def _dcs() -> dict[str, Any]:
    settings: dict[str, Any] = yaml.safe_load((FILES / "patroni.yml").read_text())["bootstrap"]["dcs"]
    return settings


def test_a_primary_that_hears_nothing_steps_down_before_another_is_promoted_and_that_in_time() -> None:
    dcs = _dcs()

    assert dcs["loop_wait"] + 2 * dcs["retry_timeout"] <= dcs["ttl"]  # else Patroni changes them by itself
    assert dcs["ttl"] + 5 * dcs["loop_wait"] <= MOST_SECONDS
    assert dcs["synchronous_mode"] == "quorum"
    assert dcs["synchronous_node_count"] >= 1


def test_the_log_of_postgresql_holds_nobodys_words() -> None:
    parameters = _dcs()["postgresql"]["parameters"]
    about_logs = {name: value for name, value in _OPTIONS.items() if name.startswith("log_")}

    assert {name: parameters[name] for name in about_logs} == about_logs


def test_every_file_names_the_same_three_nodes() -> None:
    texts = [(FILES / name).read_text() for name in ("patroni.yml", "node.env", "haproxy.cfg")]
    addresses = ("10.77.0.11", "10.77.0.12", "10.77.0.13")

    assert all(address in text for text in texts for address in addresses)


def test_haproxy_reads_its_file() -> None:
    program = shutil.which("haproxy", path="/usr/sbin:/usr/bin")
    assert program, "haproxy is not here: .ci/system-packages installs it on Debian"
    subprocess.run([program, "-c", "-q", "-f", str(FILES / "haproxy.cfg")], check=True)
