"""A large body lies on the disk encrypted while it arrives, and reads as it was sent."""

from __future__ import annotations

import time
from contextlib import closing, suppress
from pathlib import Path

import pytest

from finclaw.server.encrypted_body import EncryptedBody
from tests.support.web_server import PATIENCE_SECONDS, WebServer

WORDS = b"Tea at five, and nobody else may know. "


@pytest.mark.parametrize("size", [1, 65_536, 65_537, 200_000])
@pytest.mark.parametrize("at_once", [7_919, 65_536, -1])
def test_a_body_reads_as_it_was_fed(size: int, at_once: int) -> None:
    sent = (WORDS * 6_000)[:size]
    with closing(EncryptedBody()) as body:
        for start in range(0, size, 10_007):
            body.feed(sent[start : start + 10_007])
        assert body.size == size
        reader = body.reader()
        read = b""
        while piece := reader.read(at_once):
            read += piece
    assert read == sent


def test_a_body_reads_by_lines() -> None:
    lines = [b"%d\r\n" % number * 500 for number in range(60)]
    with closing(EncryptedBody()) as body:
        body.feed(b"".join(lines))
        assert b"".join(iter(body.reader().readline, b"")) == b"".join(lines)


@pytest.mark.workers
@pytest.mark.django_db(transaction=True)
def test_what_has_arrived_lies_encrypted_on_the_disk(server: WebServer) -> None:
    head = f"POST /api/imports HTTP/1.1\r\nHost: localhost\r\nContent-Length: {10**6}\r\n\r\n".encode()
    with server.connect() as client:
        client.sendall(head + WORDS * 20_000)
        lying = _temporary_file(server)
    assert len(lying) > 65_536
    assert WORDS not in lying


def _temporary_file(server: WebServer) -> bytes:
    """What lies in the one file without a name in the server's folder, once there is more than a piece of it."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        for process in server.process.children():
            for file in Path(f"/proc/{process.pid}/fd").iterdir():
                with suppress(OSError):
                    if file.readlink().is_relative_to(server.upload_folder) and file.stat().st_size > 65_536:
                        return file.read_bytes()
        time.sleep(0.01)
    raise AssertionError("no body lies on the disk")
