"""Where a file is taken a body may be larger than memory should hold, up to a bound, and nowhere else."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import httpx
import pytest

from foundation.accounts.models import User
from foundation.accounts.services import issue_token
from foundation.database.acting_user import acting_as
from memory.models import ChatImport
from tests.support.cast import allow, make_person
from tests.support.web_server import PATIENCE_SECONDS, WebServer

pytestmark = [pytest.mark.workers, pytest.mark.django_db(transaction=True)]
LARGE = 60_000_000
_JSON = {"Content-Type": "application/json"}


@pytest.fixture
def alice() -> User:
    person = make_person("alice")
    allow(person)
    return person


def test_a_file_passes_through_the_disk_and_not_through_memory(server: WebServer, alice: User) -> None:
    with acting_as(alice.pk):
        token = issue_token(alice, "test")[1]
    before = server.memory_bytes()
    answer = httpx.post(
        f"{server.address}/api/imports", content=b"[" + b" " * LARGE + b"]", timeout=PATIENCE_SECONDS,
        headers=_JSON | {"Authorization": f"Token {token}"},
    )  # fmt: skip
    assert answer.status_code == 202, answer.text
    assert server.memory_bytes() < before + LARGE / 2
    assert list(server.upload_folder.iterdir()) == []
    with acting_as(alice.pk):
        assert ChatImport.objects.get().size == LARGE + 2


def test_who_is_not_signed_in_leaves_nothing(server: WebServer) -> None:
    answer = httpx.post(f"{server.address}/api/imports", content=b" " * 5_000_000, headers=_JSON, timeout=30)
    assert answer.status_code == 401
    assert list(server.upload_folder.iterdir()) == []


def test_one_over_the_bound_and_one_of_unknown_length_are_refused(server: WebServer) -> None:
    head = f"POST /api/imports HTTP/1.1\r\nHost: localhost\r\nContent-Length: {10**9}\r\n\r\n".encode()
    assert server.exchange(head).startswith(b"HTTP/1.1 413 ")

    def pieces() -> Iterator[bytes]:
        yield from (b" " * 65_536 for _ in range(40))

    answer = httpx.post(f"{server.address}/api/imports", content=pieces(), headers=_JSON, timeout=PATIENCE_SECONDS)
    assert (answer.status_code, json.loads(answer.text)["code"]) == (413, "payload_too_large")


def test_the_connection_of_an_upload_takes_another_request(server: WebServer, alice: User) -> None:
    with acting_as(alice.pk):
        token = issue_token(alice, "test")[1]
    common = f"Host: localhost\r\nAuthorization: Token {token}\r\n"
    upload = f"POST /api/imports HTTP/1.1\r\n{common}Content-Type: application/json\r\nContent-Length: 200000\r\n\r\n"
    then = f"GET /api/imports HTTP/1.1\r\n{common}Connection: close\r\n\r\n"
    answered = server.exchange(upload.encode() + b"[" + b" " * 199_998 + b"]" + then.encode())
    assert re.findall(rb"HTTP/1.1 (\d+)", answered) == [b"202", b"200"]
