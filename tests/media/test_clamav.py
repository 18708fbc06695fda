"""ClamAV's daemon is asked by its own protocol: a stand-in always, the daemon itself where it is installed."""

from __future__ import annotations

import shutil
import socket
import struct
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from media.scanning.clamav import require_unknown_to_clamav
from media.scanning.ports import ScannerUnavailable
from media.scanning.types import RefusalReason, Refused

NEEDLE = b"zqmalwareqz"


def _serve(listening: socket.socket, answer: bytes, received: list[bytes]) -> None:
    """Take one stream, and answer it."""
    connection, _ = listening.accept()
    with connection, connection.makefile("rb") as stream:
        assert stream.read(10) == b"zINSTREAM\0"
        while size := struct.unpack("!I", stream.read(4))[0]:
            received.append(stream.read(size))
        connection.sendall(answer)


@contextmanager
def _daemon(answer: bytes) -> Iterator[tuple[str, list[bytes]]]:
    received: list[bytes] = []
    with closing(socket.create_server(("127.0.0.1", 0))) as listening:
        thread = threading.Thread(target=_serve, args=(listening, answer, received))
        thread.start()
        yield f"127.0.0.1:{listening.getsockname()[1]}", received
        thread.join()


def test_the_content_is_streamed_in_pieces() -> None:
    content = bytes(range(256)) * 700
    with _daemon(b"stream: OK\0") as (address, received):
        require_unknown_to_clamav(address, content, seconds=5)
    assert b"".join(received) == content
    assert len(received) == 3


def test_what_the_daemon_knows_is_refused() -> None:
    with _daemon(b"stream: Win.Test.EICAR_HDB-1 FOUND\0") as (address, _), pytest.raises(Refused) as refused:
        require_unknown_to_clamav(address, b"x", seconds=5)
    assert refused.value.reason == RefusalReason.MALWARE


@pytest.mark.parametrize("answer", [b"", b"INSTREAM size limit exceeded. ERROR\0", b"nonsense"])
def test_any_other_answer_is_none(answer: bytes) -> None:
    with _daemon(answer) as (address, _), pytest.raises(ScannerUnavailable):
        require_unknown_to_clamav(address, b"x", seconds=5)


def test_a_daemon_that_is_silent_or_gone_is_unavailable() -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as listening:
        address = f"127.0.0.1:{listening.getsockname()[1]}"
        with pytest.raises(ScannerUnavailable, match="Timeout"):
            require_unknown_to_clamav(address, b"x", seconds=0.2)
    with pytest.raises(ScannerUnavailable, match="ConnectionRefused"):
        require_unknown_to_clamav(address, b"x", seconds=1)


@pytest.mark.skipif(shutil.which("clamd") is None, reason="clamd is not installed: apt-get install clamav-daemon")
def test_the_daemon_itself_knows_a_signature_of_ours(tmp_path: Path) -> None:
    signatures = tmp_path / "signatures"
    signatures.mkdir()
    (signatures / "ours.ndb").write_text(f"FinClaw.Test:0:*:{NEEDLE.hex()}\n")
    sock = tmp_path / "clamd.sock"
    settings = tmp_path / "clamd.conf"
    settings.write_text(f"DatabaseDirectory {signatures}\nLocalSocket {sock}\nForeground yes\nUser root\n")
    clamd = subprocess.Popen(["clamd", "-c", str(settings)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _wait_for(sock)
        require_unknown_to_clamav(str(sock), b"harmless", seconds=10)
        with pytest.raises(Refused) as refused:
            require_unknown_to_clamav(str(sock), b"before " + NEEDLE + b" behind", seconds=10)
        assert refused.value.reason == RefusalReason.MALWARE
    finally:
        clamd.terminate()
        clamd.wait()
    with pytest.raises(ScannerUnavailable):
        require_unknown_to_clamav(str(sock), b"harmless", seconds=1)


def _wait_for(sock: Path) -> None:
    for _ in range(300):
        if sock.exists():
            return
        time.sleep(0.1)
    pytest.fail("clamd did not start")
