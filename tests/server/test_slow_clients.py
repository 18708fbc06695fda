"""Clients that take their time, twenty of each kind: they are closed at their deadline, and hold nobody else up."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import pytest

from tests.support.web_server import PATIENCE_SECONDS, WebServer

pytestmark = pytest.mark.workers
CLIENTS = 20
PAUSE_SECONDS = 0.1

Drip = Callable[[socket.socket], None]


def _nothing(client: socket.socket) -> None:
    """Say nothing."""


def _half_a_header(client: socket.socket) -> None:
    client.send(b"GET /health/live HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")


def _half_a_body(client: socket.socket) -> None:
    client.send(
        b"POST /api/auth/token HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        b'Content-Length: 1000\r\n\r\n{"username": "'
    )


def _half_a_chunk(client: socket.socket) -> None:
    client.send(
        b"POST /sign-in HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n"
        b"Transfer-Encoding: chunked\r\n\r\n3e8\r\nusername="
    )


def _a_whole_request(client: socket.socket) -> None:
    client.send(b"GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n")


def _a_byte(client: socket.socket) -> None:
    client.send(b"x")


@pytest.mark.parametrize(
    ("begin", "go_on", "waiting_for"),
    [
        (_half_a_header, _a_byte, "header"),
        (_nothing, _nothing, "header"),
        (_half_a_body, _a_byte, "body"),
        (_half_a_chunk, _a_byte, "body"),
        (_a_whole_request, _nothing, "idle"),
    ],
    ids=["header", "silence", "body", "chunk", "keep-alive"],
)
def test_whoever_drips_is_closed_while_others_are_answered(
    server: WebServer, begin: Drip, go_on: Drip, waiting_for: str
) -> None:
    before = server.closed_for_slowness().get(waiting_for, 0)
    with _clients(server) as clients:
        for client in clients:
            begin(client)

        assert server.is_ready()  # none of them holds one of its few connections to the database

        _drip_until_closed(clients, go_on)
    assert server.closed_for_slowness()[waiting_for] >= before + CLIENTS


def test_whoever_does_not_read_the_answer_is_closed(server: WebServer) -> None:
    before = server.closed_for_slowness().get("answer", 0)
    asking = (
        b"GET /static/drf_spectacular_sidecar/swagger-ui-dist/swagger-ui-bundle.js HTTP/1.1\r\nHost: localhost\r\n\r\n"
    )
    with server.connect(receive_buffer=4096) as client:
        client.sendall(asking * 20)

        _wait_for(lambda: server.closed_for_slowness().get("answer", 0) > before)


def test_a_request_that_comes_in_pieces_is_answered(server: WebServer) -> None:
    with server.connect() as client:
        for piece in (b"GET /health", b"/live HTTP/1.1\r\nHo", b"st: localhost\r\nConnection: close\r\n", b"\r\n"):
            client.sendall(piece)
            time.sleep(PAUSE_SECONDS)
        assert client.recv(65_536).startswith(b"HTTP/1.1 200 OK")


@contextmanager
def _clients(server: WebServer) -> Iterator[list[socket.socket]]:
    with ExitStack() as open_clients:
        yield [open_clients.enter_context(server.connect()) for _ in range(CLIENTS)]


def _drip_until_closed(clients: list[socket.socket], go_on: Drip) -> None:
    waiting = list(clients)

    def are_closed() -> bool:
        waiting[:] = [client for client in waiting if not _is_closed(client, go_on)]
        return not waiting

    _wait_for(are_closed)


def _is_closed(client: socket.socket, go_on: Drip) -> bool:
    client.setblocking(False)
    try:
        go_on(client)
        while client.recv(65_536):
            pass
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True


def _wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(PAUSE_SECONDS)
