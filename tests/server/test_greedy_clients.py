"""Clients that send as fast as they can: nobody else waits until they are done."""

from __future__ import annotations

import time
from typing import Any

import gevent
import pytest

from finclaw.server.client_connections import BodyTooLong, ClientConnection, Deadlines
from finclaw.server.worker import CHUNKING_BYTES
from tests.support.web_server import WebServer, read_to_end

pytestmark = pytest.mark.workers
PART = 8192
TOGETHER = 150
CHUNKED = (
    b"POST /api/auth/token HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    b"Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
)
PADDED = b"1;" + b";".join([b"a=b"] * 1000) + b"\r\nx\r\n"
LIVE = b"GET /health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"


class Greedy:
    """A socket on which there is always more to read."""

    def settimeout(self, seconds: float) -> None:
        """Nothing is waited for."""

    def recv(self, size: int) -> bytes:
        return b"x" * size


def _connection() -> ClientConnection:
    inner: Any = Greedy()
    return ClientConnection(inner, Deadlines(9, 9, 9, 9), stopping=lambda: False, closed=lambda _: None)


def test_what_stands_around_chunks_is_bounded(server: WebServer) -> None:
    answer = server.exchange(CHUNKED + PADDED * 300 + b"0\r\n\r\n")

    assert answer.startswith(b"HTTP/1.1 413 ")
    assert b'"payload_too_large"' in answer


def test_small_chunks_of_a_small_body_are_taken(server: WebServer) -> None:
    answer = server.exchange(CHUNKED + b"1\r\nx\r\n" * (CHUNKING_BYTES // 6) + b"0\r\n\r\n")

    assert b'"malformed_json"' in answer


def test_a_body_without_end_is_read_in_turn_with_others() -> None:
    connection, others = _connection(), []

    def work() -> None:
        while True:
            others.append(time.monotonic())
            gevent.sleep(0.001)

    other = gevent.spawn(work)
    connection.await_body(PART * 20)
    for _ in range(20):
        connection.recv(PART)
    other.kill()

    assert len(others) >= 10
    with pytest.raises(BodyTooLong):
        connection.recv(PART)


def test_requests_that_come_together_are_answered_in_turn_with_others(server: WebServer) -> None:
    assert any(_answered_before(server) < TOGETHER for _ in range(5))


def _answered_before(server: WebServer) -> int:
    """How many of many requests on one connection are answered by the time that another's only one is."""
    with server.connect() as many, server.connect() as other:
        many.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n" * TOGETHER)
        answers = many.recv(1)
        other.sendall(LIVE)
        assert read_to_end(other).startswith(b"HTTP/1.1 200 ")
        many.setblocking(False)
        try:
            while piece := many.recv(65_536):
                answers += piece
        except BlockingIOError:
            pass
    return answers.count(b"HTTP/1.1 200 ")
