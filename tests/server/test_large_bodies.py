"""A body over the limit is refused so that its sender reads the answer, and leaves nothing behind."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from contextlib import ExitStack
from select import select

import httpx
import pytest
from django.conf import settings

from finclaw.server.worker import LARGE_BODIES, LARGE_BODY_BYTES
from tests.support.web_server import HOST, PATIENCE_SECONDS, WebServer, read_to_end

pytestmark = [pytest.mark.workers, pytest.mark.django_db(transaction=True)]
LARGE = 5_000_000
MANY = 40_000_000
BOUNDARY = "boundary"
_JSON = {"Content-Type": "application/json"}


def _multipart(file_bytes: int) -> bytes:
    head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="f"; filename="a.bin"\r\n\r\n'.encode()
    return head + b"x" * file_bytes + f"\r\n--{BOUNDARY}--\r\n".encode()


def _in_pieces(body: bytes) -> Iterator[bytes]:
    yield from (body[start : start + 65_536] for start in range(0, len(body), 65_536))


@pytest.mark.parametrize("path", ["/api/auth/token", "/api/memories", "/api/nowhere"])
def test_a_client_that_sends_it_all_first_reads_the_answer(server: WebServer, path: str) -> None:
    connection = http.client.HTTPConnection(HOST, server.port, timeout=PATIENCE_SECONDS)
    connection.request("POST", path, b"x" * LARGE, _JSON)
    answer = connection.getresponse()

    assert (answer.status, json.loads(answer.read())["code"]) == (413, "payload_too_large")
    assert answer.headers["X-Request-Id"]


@pytest.mark.parametrize("path", ["/api/auth/token", "/api/memories"])
def test_so_does_one_that_announces_no_length(server: WebServer, path: str) -> None:
    body = _in_pieces(b"x" * LARGE)
    answer = httpx.post(f"{server.address}{path}", content=body, headers=_JSON, timeout=PATIENCE_SECONDS)

    assert (answer.status_code, answer.json()["code"]) == (413, "payload_too_large")


def test_a_page_says_it_in_words(server: WebServer) -> None:
    answer = httpx.post(f"{server.address}/sign-in", data={"username": "x" * LARGE}, timeout=PATIENCE_SECONDS)

    assert answer.status_code == 413
    assert "larger than I take" in answer.text


def test_a_length_that_is_announced_is_answered_before_anything_is_sent(server: WebServer) -> None:
    with server.connect() as client:
        client.sendall(b"POST /api/memories HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10000000000\r\n\r\n")
        answer = read_to_end(client)

    assert answer.startswith(b"HTTP/1.1 413 ")
    assert b'"payload_too_large"' in answer
    assert b"Connection: close" in answer


def test_whoever_asks_first_is_told_to_go_on_or_not(server: WebServer) -> None:
    head = b"POST /api/auth/token HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nConnection: close\r\n"
    with server.connect() as client:
        client.sendall(head + b"Content-Type: application/json\r\nContent-Length: 2\r\n\r\n")
        assert client.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        client.sendall(b"{}")
        assert read_to_end(client).startswith(b"HTTP/1.1 400 ")

    assert server.exchange(head + b"Content-Length: 5000000\r\n\r\n").startswith(b"HTTP/1.1 413 ")


def test_a_large_file_is_neither_written_nor_held(server: WebServer) -> None:
    before = server.memory_bytes()
    for path in ("/sign-in", "/api/auth/token", "/api/memories"):
        for body in (_multipart(MANY), _in_pieces(_multipart(MANY))):
            answer = httpx.post(
                f"{server.address}{path}", content=body, timeout=PATIENCE_SECONDS,
                headers={"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"},
            )  # fmt: skip
            assert answer.status_code == 413
            assert list(server.upload_folder.iterdir()) == []
    assert server.memory_bytes() < before + MANY / 2


def test_a_body_in_chunks_is_read_like_another(server: WebServer) -> None:
    body = _in_pieces(json.dumps({"username": "nobody", "password": "wrong"}).encode())
    answer = httpx.post(f"{server.address}/api/auth/token", content=body, headers=_JSON, timeout=PATIENCE_SECONDS)

    assert answer.json()["code"] == "invalid_credentials"


def test_as_much_as_may_be_is_taken(server: WebServer) -> None:
    body = json.dumps({"username": "x" * (settings.MAX_BODY_BYTES - 100), "password": "x"})
    answer = httpx.post(f"{server.address}/api/auth/token", content=body, headers=_JSON, timeout=PATIENCE_SECONDS)

    assert answer.json()["code"] == "validation_error"


def test_bodies_that_do_not_come_hold_no_place_of_those_that_do(server: WebServer) -> None:
    assert any(_is_answered_beside_announced_ones(server) for _ in range(5))


def _is_answered_beside_announced_ones(server: WebServer) -> bool:
    """Whether a large body is answered while more were only announced than are held at a time."""
    head = b"POST /api/auth/token HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % (2 * LARGE_BODY_BYTES)
    with ExitStack() as opened:
        announced = [opened.enter_context(server.connect()) for _ in range(LARGE_BODIES)]
        for client in announced:
            client.sendall(head)
        sender = opened.enter_context(server.connect())
        sender.sendall(head + b"x" * 2 * LARGE_BODY_BYTES)
        answer = sender.recv(100)
        closed, _, _ = select(announced, [], [], 0)
    return answer.startswith(b"HTTP/1.1 4") and not closed  # after their deadline, their places are free
