"""Asks ClamAV's daemon about a file, by its INSTREAM command (man clamd)."""

from __future__ import annotations

import socket
import struct
from typing import Final

from media.scanning.ports import ScannerUnavailable
from media.scanning.types import RefusalReason, Refused

_PIECE_BYTES: Final = 1 << 16
_ANSWER_BYTES: Final = 4_096


def require_unknown_to_clamav(address: str, content: bytes, *, seconds: float) -> None:
    """Raise ``Refused`` for content that the daemon knows as malware, ``ScannerUnavailable`` where it does not answer.

    ``address`` is a host and port, "127.0.0.1:3310", or the path of a socket.
    """
    try:
        with _connected(address, seconds) as connection:
            connection.sendall(b"zINSTREAM\0")
            for start in range(0, len(content), _PIECE_BYTES):
                piece = content[start : start + _PIECE_BYTES]
                connection.sendall(struct.pack("!I", len(piece)) + piece)
            connection.sendall(struct.pack("!I", 0))
            answer = _answer_of(connection)
    except OSError as error:
        raise ScannerUnavailable(type(error).__name__) from None
    if answer.endswith(b" FOUND"):
        raise Refused(RefusalReason.MALWARE)
    if not answer.endswith(b": OK"):
        raise ScannerUnavailable("answer")


def _connected(address: str, seconds: float) -> socket.socket:
    if address.startswith("/"):
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(seconds)
        connection.connect(address)
        return connection
    host, _, port = address.rpartition(":")
    return socket.create_connection((host, int(port)), timeout=seconds)


def _answer_of(connection: socket.socket) -> bytes:
    answer = b""
    while b"\0" not in answer and len(answer) < _ANSWER_BYTES:
        piece = connection.recv(_ANSWER_BYTES)
        if not piece:
            break
        answer += piece
    return answer.partition(b"\0")[0]
