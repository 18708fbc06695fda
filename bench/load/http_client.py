"""An HTTP/1.1 client that costs next to nothing, for talkers who share their processor with what they measure.

It keeps a connection, opens another where the server has closed it meanwhile, and counts what a careful client cannot
help: a connection that breaks between the request and the end of the answer.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, Self

REQUEST_SECONDS: Final = 120.0
_LONGEST_HEAD: Final = 65_536


class BrokenConnection(ConnectionError):
    """The server ended a connection before the end of an answer."""


@dataclass(frozen=True)
class Answer:
    """A whole answer."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        """The body read as JSON; {} where it is none."""
        try:
            return json.loads(self.body)
        except ValueError:
            return {}


@dataclass
class Head:
    """The status and the headers of an answer whose body is still to come."""

    status: int
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def keeps_alive(self) -> bool:
        return self.headers.get("connection", "").lower() != "close"


class HttpClient:
    """One person's connection; requests one after another. ``open_now`` and ``most_open`` count those of everybody."""

    open_now: ClassVar[int] = 0
    most_open: ClassVar[int] = 0

    def __init__(self, port: int, token: str = "") -> None:
        self.port, self.token = port, token
        sign_in = f"Authorization: Token {token}\r\n" if token else ""
        self._common = f"Host: localhost\r\n{sign_in}Content-Type: application/json\r\n"
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()

    async def request(
        self, method: str, path: str, body: Any = None, *, headers: Mapping[str, str] | None = None
    ) -> Answer:
        """A whole answer. Raises ``BrokenConnection``, ``OSError``, ``TimeoutError``."""
        async with asyncio.timeout(REQUEST_SECONDS):
            head = await self._send(method, path, body, headers)
            async with aclosing(self._body(head)) as pieces:
                data = b"".join([piece async for piece in pieces])
            return Answer(head.status, head.headers, data)

    async def stream(self, path: str, body: Any) -> tuple[Head, AsyncGenerator[bytes, None]]:
        """The head of the answer to a POST, and the pieces of its body as they come."""
        head = await self._send("POST", path, body)
        return head, self._body(head)

    def close(self) -> None:
        """Leave."""
        if self._writer is not None:
            HttpClient.open_now -= 1
            self._writer.close()
        self._reader = self._writer = None

    async def _send(self, method: str, path: str, body: Any, headers: Mapping[str, str] | None = None) -> Head:
        reader, writer = await self._connection()
        data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        own = "".join(f"{name}: {value}\r\n" for name, value in (headers or {}).items())
        head = f"{method} {path} HTTP/1.1\r\n{self._common}{own}Content-Length: {len(data)}\r\n\r\n"
        try:
            writer.write(head.encode() + data)
            await writer.drain()
            return _parse_head(await reader.readuntil(b"\r\n\r\n"))
        except (ConnectionError, asyncio.IncompleteReadError) as error:
            self.close()
            raise BrokenConnection("before the answer") from error
        except BaseException:
            self.close()
            raise

    async def _connection(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if self._reader is not None and (self._reader.at_eof() or self._reader.exception()):
            self.close()  # it was idle for too long: no request was lost
        if self._reader is None or self._writer is None:
            self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self.port, limit=_LONGEST_HEAD)
            HttpClient.open_now += 1
            HttpClient.most_open = max(HttpClient.most_open, HttpClient.open_now)
        return self._reader, self._writer

    async def _body(self, head: Head) -> AsyncGenerator[bytes, None]:
        assert self._reader is not None
        is_complete = False
        is_bounded = True
        try:
            if head.headers.get("transfer-encoding", "").lower() == "chunked":
                while piece := await _chunk(self._reader):
                    yield piece
            elif "content-length" in head.headers:
                yield await self._reader.readexactly(int(head.headers["content-length"]))
            else:
                is_bounded = False  # by the end of the connection alone
                yield await self._reader.read()
            is_complete = is_bounded and head.keeps_alive
        except (ConnectionError, asyncio.IncompleteReadError) as error:
            raise BrokenConnection("in mid-answer") from error
        finally:
            if not is_complete:
                self.close()


async def _chunk(reader: asyncio.StreamReader) -> bytes:
    size = int((await reader.readuntil(b"\r\n")).split(b";")[0], 16)
    data = await reader.readexactly(size + 2)
    return data[:-2]


def _parse_head(data: bytes) -> Head:
    line, *lines = data.decode("latin-1").rstrip("\r\n").split("\r\n")
    named = (each.split(":", 1) for each in lines)
    return Head(int(line.split(" ", 2)[1]), {name.lower(): value.strip() for name, value in named})
