"""Gives a client's connection a deadline for each part of an exchange."""

from __future__ import annotations

import errno
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import Any, BinaryIO, Final, Literal

from gevent import sleep, socket

AwaitedPart = Literal["idle", "header", "body", "answer"]

ANSWER_BYTES_A_SECOND: Final = 16_384
"""The slowest average rate at which a client may read an answer, after its first ``Deadlines.answer`` seconds."""
PAUSE_SECONDS: Final = 0.001
"""The pause of a client that sends faster than it is served. A pause of zero would let other greenlets run, but gevent
would not look for new input on their sockets."""
_PART_BYTES: Final = 65_536
_STOP_CHECK_SECONDS: Final = 1.0
_SHORTEST_SECONDS: Final = 0.001  # zero would mean not to wait at all


@dataclass(frozen=True)
class Deadlines:
    """Seconds a client may take between two requests, and for each part of an exchange."""

    idle: float
    header: float
    body: float
    answer: float


class ClientTooSlow(ConnectionResetError):
    """A deadline has passed. Gunicorn closes the connection as if the client had reset it, and logs nothing."""

    def __init__(self, waiting: AwaitedPart) -> None:
        super().__init__(errno.ECONNRESET, f"the client took too long: {waiting}")


class BodyTooLong(Exception):
    """More was sent for a body than allowed, chunk overhead included."""


class ClientConnection:
    """A gevent socket for gunicorn on which no wait is unbounded.

    ``stopping`` says whether the server is about to stop: then no further request is awaited. ``closed`` is called with
    the part that a connection was waiting for when its deadline passed.
    """

    def __init__(
        self, inner: Any, deadlines: Deadlines, *, stopping: Callable[[], bool], closed: Callable[[AwaitedPart], None]
    ) -> None:
        self._inner = inner
        self._deadlines = deadlines
        self._stopping = stopping
        self._closed = closed
        self._waiting: AwaitedPart
        self._until: float
        self._allowed_seconds = 0.0
        self._allowed_bytes: int | None = None
        self.await_header()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def await_request(self) -> None:
        """Start waiting for the next request; its first byte starts the time for its header."""
        self._await("idle", self._deadlines.idle)

    def await_header(self) -> None:
        """Start waiting for a request's header."""
        self._await("header", self._deadlines.header)

    def await_body(self, most_bytes: int, seconds: float | None = None) -> None:
        """Start waiting for a body of at most ``most_bytes`` with chunk overhead; ``seconds`` where it may take longer
        than usual.
        """
        self._await("body", self._deadlines.body if seconds is None else seconds)
        self._allowed_bytes = most_bytes

    def begin_answer(self) -> None:
        """Start sending an answer."""
        self._allowed_seconds = self._deadlines.answer

    def remaining_seconds(self) -> float:
        """Seconds until the current deadline. Raises ``ClientTooSlow`` where it has passed."""
        remaining = self._until - monotonic()
        if remaining <= 0:
            raise self.too_slow(self._waiting)
        return remaining

    def too_slow(self, waiting: AwaitedPart) -> ClientTooSlow:
        """Count a passed deadline, and return the error that ends this connection."""
        self._closed(waiting)
        return ClientTooSlow(waiting)

    def recv(self, size: int) -> bytes:
        """As a socket's. Raises ``ClientTooSlow`` at the deadline, however little by little the bytes arrive, and
        ``BodyTooLong``.
        """
        if self._waiting == "idle":
            if not self._has_begun():
                return b""
            self.await_header()
        received = self._receive(size)
        if self._allowed_bytes is not None:
            self._allowed_bytes -= len(received)
            if self._allowed_bytes < 0:
                raise BodyTooLong
        if len(received) == size:  # more may be waiting: reading it without a pause would block the other greenlets
            sleep(PAUSE_SECONDS)
        return received

    def send(self, data: bytes) -> int:
        """Send the whole of ``data``, as ``sendall`` does."""
        self.sendall(data)
        return len(data)

    def sendall(self, data: bytes) -> None:
        """As a socket's. Raises ``ClientTooSlow`` where the client reads a part, or the answer so far, too slowly.

        Only time spent in sending counts, so a stream may last as long as it has something to say.
        """
        for start in range(0, len(data), _PART_BYTES):
            part = data[start : start + _PART_BYTES]
            self._allowed_seconds += len(part) / ANSWER_BYTES_A_SECOND
            self._send_part(part)

    def sendfile(self, file: BinaryIO, offset: int = 0, count: int | None = None) -> int:
        """As a socket's, with the deadlines of ``sendall``; how many bytes were sent."""
        file.seek(offset)
        sent = 0
        while part := file.read(_PART_BYTES if count is None else min(_PART_BYTES, count - sent)):
            self.sendall(part)
            sent += len(part)
        return sent

    def discard_input(self, *, most_bytes: int, seconds: float) -> None:
        """Signal the end of output, and read a bounded amount of what the client still sends.

        A connection closed with unread input is reset, and a client that is still sending would never read its answer.
        """
        try:
            self._inner.shutdown(socket.SHUT_WR)
            until = monotonic() + seconds
            while most_bytes > 0 and (remaining := until - monotonic()) > 0:
                self._inner.settimeout(remaining)
                received = len(self._inner.recv(65_536))
                if not received:
                    return
                most_bytes -= received
                sleep(0)  # bytes already received are read without yielding to other greenlets
        except OSError:  # also on a time-out: the answer was sent, and the connection is closed next
            return

    def _receive(self, size: int) -> bytes:
        """Read what has arrived, even past the deadline: the delay may be this process's, not the client's."""
        self._inner.settimeout(max(self._until - monotonic(), _SHORTEST_SECONDS))
        try:
            received: bytes = self._inner.recv(size)
        except TimeoutError:
            raise self.too_slow(self._waiting) from None
        return received

    def _send_part(self, part: bytes) -> None:
        began = monotonic()
        try:
            self._inner.settimeout(min(self._deadlines.answer, max(self._allowed_seconds, _SHORTEST_SECONDS)))
            self._inner.sendall(part)
        except TimeoutError:
            raise self.too_slow("answer") from None
        finally:
            self._allowed_seconds -= monotonic() - began

    def _await(self, waiting: AwaitedPart, seconds: float) -> None:
        self._waiting, self._until = waiting, monotonic() + seconds
        self._allowed_bytes = None

    def _has_begun(self) -> bool:
        """Wait for a request's first byte, and say whether it came before the server began to stop."""
        while not self._stopping():
            remaining = max(self._until - monotonic(), _SHORTEST_SECONDS)
            try:
                socket.wait_read(self._inner.fileno(), timeout=min(remaining, _STOP_CHECK_SECONDS))
            except TimeoutError:
                self.remaining_seconds()
                continue
            return True
        return False
