"""nginx, HAProxy and PgBouncer as ``deploy/`` sets them up, on free ports and with files in a folder of the test."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import httpx
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from django.conf import settings

from tests.support.ports import free_port
from tests.support.web_server import HOST, PATIENCE_SECONDS

EXAMPLES: Final = settings.BASE_DIR / "deploy"
_TEMPORARY_FILES: Final = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")


@dataclass(frozen=True)
class RunningProxy:
    """A proxy with its two ports."""

    http_port: int
    https_port: int

    def client(self, address: str = HOST) -> httpx.Client:
        """A client at an address of the loopback network, which does not check who signed the certificate."""
        transport = httpx.HTTPTransport(local_address=address, verify=False)
        return httpx.Client(
            base_url=f"https://localhost:{self.https_port}", transport=transport, timeout=PATIENCE_SECONDS
        )


def example(name: str, replacements: Mapping[str, str]) -> str:
    """An example with values of its own; each that it replaces must stand in it."""
    text = (EXAMPLES / name).read_text()
    for usual, own in replacements.items():
        assert usual in text, f"{name} says nothing of {usual!r}"
        text = text.replace(usual, own)
    return text


@contextmanager
def nginx(folder: Path, upstreams: Sequence[int]) -> Iterator[RunningProxy]:
    """nginx before two ports."""
    proxy = RunningProxy(free_port(), free_port())
    own_files = "".join(f"{name}_temp_path {folder}/{name};\n" for name in _TEMPORARY_FILES)
    text = example("nginx.conf", {
        "listen 80;": f"listen {HOST}:{proxy.http_port};",
        "listen 443 ": f"listen {HOST}:{proxy.https_port} ",
        "https://$host$request_uri": f"https://$host:{proxy.https_port}$request_uri",
        "127.0.0.1:8001": f"{HOST}:{upstreams[0]}",
        "127.0.0.1:8002": f"{HOST}:{upstreams[1]}",
        "/etc/ssl/finclaw": str(folder),
        "/run/nginx-finclaw.pid": f"{folder}/nginx.pid",
        "/var/log/nginx/finclaw-error.log": "stderr",
        "http {\n": f"http {{\n{own_files}",
    })  # fmt: skip
    as_root = "user root;\n" if os.geteuid() == 0 else ""  # else its workers could not read the folder
    file = folder / "nginx.conf"
    file.write_text(as_root + text)
    with running_program(["nginx", "-p", str(folder), "-c", str(file), "-g", "daemon off;"], proxy.https_port):
        yield proxy


@contextmanager
def haproxy(folder: Path, upstreams: Sequence[int]) -> Iterator[RunningProxy]:
    """HAProxy before two ports."""
    proxy = RunningProxy(free_port(), free_port())
    text = example("haproxy.cfg", {
        "bind :80\n": f"bind {HOST}:{proxy.http_port}\n",
        "bind :443 ": f"bind {HOST}:{proxy.https_port} ",
        "/etc/ssl/finclaw": str(folder),
        "127.0.0.1:8001": f"{HOST}:{upstreams[0]}",
        "127.0.0.1:8002": f"{HOST}:{upstreams[1]}",
    })  # fmt: skip
    file = folder / "haproxy.cfg"
    file.write_text(text)
    with running_program(["haproxy", "-db", "-f", str(file)], proxy.https_port):
        yield proxy


PROXIES: Final = {"nginx": nginx, "haproxy": haproxy}


@contextmanager
def pgbouncer(folder: Path, port: int, host: str, pool_size: int, os_user: str | None) -> Iterator[None]:
    """PgBouncer before the PostgreSQL whose socket is in ``host``, with so many connections for each role."""
    names = "\n".join(f'"{role}" ""' for role in ("finclaw_app", "finclaw_owner"))
    (folder / "userlist.txt").write_text(names)
    text = example("pgbouncer.ini", {
        "finclaw = host=/var/run/postgresql port=5432 dbname=finclaw": f"* = host={host} port=5432",
        "listen_port = 6432": f"listen_port = {port}",
        "auth_type = scram-sha-256": "auth_type = trust",
        "/etc/pgbouncer": str(folder),
        "/var/log/postgresql": str(folder),
        "/var/run/postgresql": str(folder),
        "default_pool_size = 40\nreserve_pool_size = 5": f"default_pool_size = {pool_size}",
    })  # fmt: skip
    file = folder / "pgbouncer.ini"
    file.write_text(text)
    if os_user:  # it refuses to run as root
        for path in (folder, *folder.iterdir()):
            shutil.chown(path, os_user)
    with running_program(["pgbouncer", *(["-u", os_user] if os_user else []), str(file)], port):
        yield


def pooled_url(role: str, port: int, database: str) -> str:
    """A database behind PgBouncer."""
    return f"postgresql://{role}@{HOST}:{port}/{database}"


@contextmanager
def running_program(command: Sequence[str], port: int) -> Iterator[None]:
    """Run a program until the end; begins once it takes connections."""
    program = shutil.which(command[0], path=f"{os.environ['PATH']}:/usr/sbin")
    assert program, f"{command[0]} is not here: .ci/system-packages installs it on Debian"
    with subprocess.Popen([program, *command[1:]], stderr=subprocess.PIPE, text=True) as process:
        try:
            deadline = time.monotonic() + PATIENCE_SECONDS
            while not _takes_connections(port):
                if process.poll() is not None or time.monotonic() > deadline:
                    process.kill()
                    raise AssertionError(f"{command[0]} does not start: {process.communicate()[1]}")
                time.sleep(0.02)
            yield
        finally:
            process.terminate()
            process.communicate(timeout=PATIENCE_SECONDS)


def _takes_connections(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex((HOST, port)) == 0


def write_certificate(folder: Path) -> None:
    """A self-signed certificate of localhost, in the files that the examples name."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    signed = builder.not_valid_before(now).not_valid_after(now + timedelta(days=1)).sign(key, hashes.SHA256())
    chain = signed.public_bytes(serialization.Encoding.PEM)
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    for file, data in {"fullchain.pem": chain, "privkey.pem": private, "haproxy.pem": chain + private}.items():
        (folder / file).write_bytes(data)
