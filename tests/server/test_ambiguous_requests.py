"""What two servers could read differently, or is longer than a header may be, is refused; what is plain is answered."""

from __future__ import annotations

import re

import pytest

from tests.support.web_server import WebServer

pytestmark = pytest.mark.workers
_POST = b"POST /api/auth/token HTTP/1.1\r\nHost: localhost\r\n"
_GET = b"GET /health/live HTTP/1.1\r\nHost: localhost\r\n"
_SMUGGLED = b"GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n"


@pytest.mark.parametrize(
    ("request_bytes", "status"),
    [
        (_POST + b"Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + _SMUGGLED, 400),
        (_POST + b"Content-Length: 0\r\nContent-Length: 44\r\n\r\n" + _SMUGGLED, 400),
        (_POST + b"Content-Length: +4\r\n\r\nabcd" + _SMUGGLED, 400),
        (_POST + b"Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n" + _SMUGGLED, 400),
        (_POST + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n" + _SMUGGLED, 501),
        (_POST + b"Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n" + _SMUGGLED, 400),
        (_POST + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n" + _SMUGGLED, 400),
        (b"POST /api/auth/token HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + _SMUGGLED, 400),
        (_GET + b"Host: elsewhere\r\n\r\n" + _SMUGGLED, 400),
        (_GET + b" folded: x\r\n\r\n" + _SMUGGLED, 400),
        (b"GET /" + b"x" * 9_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n" + _SMUGGLED, 414),
        (_GET + b"X-Long: " + b"x" * 9_000 + b"\r\n\r\n" + _SMUGGLED, 431),
        (_GET + b"X-Many: x\r\n" * 200 + b"\r\n" + _SMUGGLED, 431),
    ],
)
def test_it_is_refused_once_and_the_connection_ends(server: WebServer, request_bytes: bytes, status: int) -> None:
    answer = server.exchange(request_bytes)

    assert answer.startswith(b"HTTP/1.1 %d " % status)
    assert answer.count(b"HTTP/1.1 ") == 1


def test_an_endless_header_is_refused(server: WebServer) -> None:
    assert server.exchange(_GET + b"X-Many: x\r\n" * 100_000).startswith(b"HTTP/1.1 431 ")


def test_requests_sent_at_once_are_answered_in_their_order(server: WebServer) -> None:
    posted = _POST + b"Content-Type: text/plain\r\nContent-Length: 4\r\n\r\nabcd"
    answer = server.exchange(_GET + b"\r\n" + posted + _GET + b"Connection: close\r\n\r\n")

    assert re.findall(rb"HTTP/1\.1 (\d+) ", answer) == [b"200", b"415", b"200"]
