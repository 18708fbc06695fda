"""A model server for tests: loopback HTTP that speaks chat completions and embeddings, and fails as told."""

from __future__ import annotations

import hashlib
import json
import sys
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Protocol, Self

_KEEP_ALIVE_SECONDS = 0.05


@dataclass(frozen=True)
class Request:
    """What the server was asked."""

    path: str
    headers: Message  # looked up whatever the case
    body: dict[str, Any]

    @property
    def is_streaming(self) -> bool:
        return bool(self.body.get("stream"))


class Exchange:
    """One request, and the means of answering it."""

    def __init__(self, handler: BaseHTTPRequestHandler, request: Request, closing: threading.Event) -> None:
        self._handler = handler
        self.request = request
        self.closing = closing

    def send(
        self,
        body: str,
        *,
        status: int = 200,
        content_type: str = "application/json",
        headers: Mapping[str, str] | None = None,
    ) -> None:
        data = body.encode()
        self._handler.send_response(status)
        self._head(content_type, {"Content-Length": str(len(data)), **(headers or {})})
        self._handler.wfile.write(data)

    def begin_stream(self) -> None:
        self._handler.send_response(200)
        self._head("text/event-stream", {"Transfer-Encoding": "chunked"})

    def send_event(self, payload: Mapping[str, Any] | str) -> None:
        self.send_lines(f"data: {payload if isinstance(payload, str) else json.dumps(payload)}\n\n")

    def send_lines(self, lines: str) -> None:
        data = lines.encode()
        self._handler.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        self._handler.wfile.flush()

    def end_stream(self) -> None:
        self._handler.wfile.write(b"0\r\n\r\n")

    def hang_up(self) -> None:
        self._handler.close_connection = True

    def _head(self, content_type: str, headers: Mapping[str, str]) -> None:
        for name, value in {"Content-Type": content_type, **headers}.items():
            self._handler.send_header(name, value)
        self._handler.end_headers()


class Behaviour(Protocol):
    """How the server treats one request."""

    def perform(self, exchange: Exchange) -> None: ...


@dataclass(frozen=True)
class Says:
    """Answers with these pieces: one text to a call, one event each to a stream."""

    pieces: tuple[str, ...] = ("Hello.",)
    prompt_tokens: int | None = 12
    completion_tokens: int = 3
    finish_reason: str = "stop"
    knows_streams: bool = True
    counted_besides: Mapping[str, Any] = field(default_factory=dict)

    def perform(self, exchange: Exchange) -> None:
        if not (exchange.request.is_streaming and self.knows_streams):
            choice = {"index": 0, "message": {"role": "assistant", "content": "".join(self.pieces)}}
            exchange.send(
                json.dumps(_completion(choices=[choice | {"finish_reason": self.finish_reason}]) | self._usage())
            )
            return
        _begin(exchange, self.pieces)
        exchange.send_event(_chunk({}, finish_reason=self.finish_reason))
        exchange.send_event(_completion(choices=[]) | self._usage())
        exchange.send_event("[DONE]")
        exchange.end_stream()

    def _usage(self) -> dict[str, Any]:
        if self.prompt_tokens is None:
            return {}
        total = self.prompt_tokens + self.completion_tokens
        counts: dict[str, Any] = {"prompt_tokens": self.prompt_tokens, "completion_tokens": self.completion_tokens}
        counts |= dict(self.counted_besides)
        return {"usage": {**counts, "total_tokens": total}}


@dataclass(frozen=True)
class KnowsFormats:
    """Refuses a request for JSON in a format that it does not know, and answers every other."""

    formats: frozenset[str]
    says: Says = field(default_factory=Says)
    status: int = 400

    def perform(self, exchange: Exchange) -> None:
        asked = exchange.request.body.get("response_format", {}).get("type")
        knows = asked is None or asked in self.formats
        (self.says if knows else Refuses(self.status)).perform(exchange)


@dataclass
class SaysInTwoBreaths:
    """Streams one piece, and the other only when told to go on."""

    go_on: threading.Event = field(default_factory=threading.Event)

    def perform(self, exchange: Exchange) -> None:
        _begin(exchange, ["Bonds "])
        self.go_on.wait(20)
        exchange.send_event(_chunk({"content": "fell."}))
        exchange.send_event(_chunk({}, finish_reason="stop"))
        exchange.send_event("[DONE]")
        exchange.end_stream()


@dataclass
class WaitsForOthers:
    """Answers the first ``number`` requests (to ``model``, if named) once all of them are waiting, and later ones at
    once.
    """

    number: int
    model: str = ""
    says: Says = field(default_factory=Says)
    met: int = 0

    def __post_init__(self) -> None:
        self._meeting = threading.Barrier(self.number, timeout=60)
        self._lock = threading.Lock()

    def perform(self, exchange: Exchange) -> None:
        is_meant = self.model in {"", exchange.request.body["model"]}
        with self._lock:
            self.met += is_meant
            is_one_of_them = is_meant and self.met <= self.number
        if is_one_of_them:
            self._meeting.wait()
        self.says.perform(exchange)


@dataclass(frozen=True)
class AsksFor:
    """Asks for tools, each by its name and arguments; a stream tells the arguments in two pieces."""

    calls: tuple[tuple[str, str], ...]
    said: str = ""

    def perform(self, exchange: Exchange) -> None:
        if exchange.request.is_streaming:
            self._stream(exchange)
            return
        calls = [_tool_call(number, name, arguments) for number, (name, arguments) in enumerate(self.calls)]
        message = {"role": "assistant", "content": self.said or None, "tool_calls": calls}
        choice = {"index": 0, "message": message, "finish_reason": "tool_calls"}
        exchange.send(json.dumps(_completion(choices=[choice])))

    def _stream(self, exchange: Exchange) -> None:
        _begin(exchange, [self.said] if self.said else [])
        for number, (name, arguments) in enumerate(self.calls):
            middle = len(arguments) // 2
            begun = _tool_call(number, name, arguments[:middle]) | {"index": number}
            rest = {"index": number, "function": {"arguments": arguments[middle:]}}
            for piece in (begun, rest):
                exchange.send_event(_chunk({"tool_calls": [piece]}))
        exchange.send_event(_chunk({}, finish_reason="tool_calls"))
        exchange.send_event("[DONE]")
        exchange.end_stream()


@dataclass(frozen=True)
class Refuses:
    """Answers with an error status."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    message: str = "refused"

    def perform(self, exchange: Exchange) -> None:
        body = json.dumps({"error": {"message": self.message, "type": "error"}})
        exchange.send(body, status=self.status, headers=self.headers)


@dataclass(frozen=True)
class SendsBody:
    """Answers 200 with exactly this body."""

    body: str
    content_type: str = "application/json"

    def perform(self, exchange: Exchange) -> None:
        exchange.send(self.body, content_type=self.content_type)


@dataclass(frozen=True)
class SendsEvents:
    """Streams exactly these data lines, then ends the stream properly."""

    events: tuple[str, ...]

    def perform(self, exchange: Exchange) -> None:
        exchange.begin_stream()
        for event in self.events:
            exchange.send_event(event)
        exchange.end_stream()


@dataclass(frozen=True)
class Stalls:
    """Streams the pieces, then says nothing more; a call gets no answer at all."""

    pieces: tuple[str, ...] = ()

    def perform(self, exchange: Exchange) -> None:
        if exchange.request.is_streaming:
            _begin(exchange, self.pieces)
        exchange.closing.wait()
        exchange.hang_up()


@dataclass(frozen=True)
class Hangs:
    """Accepts the request, and sends not one byte."""

    def perform(self, exchange: Exchange) -> None:
        exchange.closing.wait()
        exchange.hang_up()


@dataclass(frozen=True)
class KeepsAlive:
    """Streams the pieces, then comments for ever: bytes keep coming, an answer does not."""

    pieces: tuple[str, ...] = ()

    def perform(self, exchange: Exchange) -> None:
        _begin(exchange, self.pieces)
        while not exchange.closing.wait(_KEEP_ALIVE_SECONDS):
            exchange.send_lines(": still working\n\n")


@dataclass(frozen=True)
class Drops:
    """Streams the pieces, then breaks the connection."""

    pieces: tuple[str, ...] = ()

    def perform(self, exchange: Exchange) -> None:
        if exchange.request.is_streaming:
            _begin(exchange, self.pieces)
        exchange.hang_up()


@dataclass(frozen=True)
class Embeds:
    """Answers an embeddings request with unit-free vectors that depend on nothing but the text."""

    dimensions: int = 8

    def perform(self, exchange: Exchange) -> None:
        given = exchange.request.body["input"]
        texts = [given] if isinstance(given, str) else given
        data = [
            {"object": "embedding", "index": index, "embedding": self._vector(text)} for index, text in enumerate(texts)
        ]
        usage = {"prompt_tokens": len(texts), "total_tokens": len(texts)}
        exchange.send(json.dumps({"object": "list", "model": "test", "data": data, "usage": usage}))

    def _vector(self, text: str) -> list[float]:
        digest = hashlib.shake_256(text.encode()).digest(self.dimensions)
        return [byte / 255 for byte in digest]


NO_CHOICES = SendsBody('{"id": "1", "object": "chat.completion", "model": "test", "choices": []}')
MALFORMED = SendsBody('{"id": "1", "choices": [{"mess')


class _LoopbackServer(ThreadingHTTPServer):
    daemon_threads = True

    def process_request(self, request: Any, client_address: Any) -> None:
        """In a thread with a name of its own: a test that ends waits for those of Django's live server."""
        arguments = (request, client_address)
        threading.Thread(target=self.process_request_thread, args=arguments, name="model server", daemon=True).start()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that gives up is what some tests want; anything else is a fault of this server."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class ModelServer:
    """Use as a context manager; point a client at ``base_url``.

    Behaviours given to ``script`` are used up in order, one a request; then every request gets ``default``
    (embeddings requests: ``embeddings``). ``requests`` records everything asked, in order of arrival. ``models`` is the
    list of models, which a server need not have.
    """

    def __init__(self, default: Behaviour | None = None, embeddings: Behaviour | None = None) -> None:
        self.default = default or Says()
        self.embeddings = embeddings or Embeds()
        self.models: Mapping[str, Any] | None = None
        self.requests: list[Request] = []
        self._script: list[Behaviour] = []
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._server = _LoopbackServer(("127.0.0.1", 0), self._handler_class())
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def script(self, behaviours: Iterable[Behaviour]) -> None:
        """Append to what the next requests will meet."""
        with self._lock:
            self._script.extend(behaviours)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _behaviour_for(self, request: Request) -> Behaviour:
        with self._lock:
            self.requests.append(request)
            if self._script:
                return self._script.pop(0)
        return self.embeddings if request.path.endswith("/embeddings") else self.default

    def _handler_class(server) -> type[BaseHTTPRequestHandler]:  # noqa: N805 - the handler has a self of its own
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                request = Request(self.path, self.headers, body)
                server._behaviour_for(request).perform(Exchange(self, request, server._closing))

            def do_GET(self) -> None:
                if server.models is None:
                    self.send_error(404)
                    return
                Exchange(self, Request(self.path, self.headers, {}), server._closing).send(json.dumps(server.models))

            def log_message(self, format: str, *args: Any) -> None:
                """Tests read ``requests`` instead."""

        return Handler


def _begin(exchange: Exchange, pieces: Iterable[str]) -> None:
    exchange.begin_stream()
    exchange.send_event(_chunk({"role": "assistant", "content": ""}))
    for piece in pieces:
        exchange.send_event(_chunk({"content": piece}))


def _chunk(delta: Mapping[str, Any], finish_reason: str | None = None) -> dict[str, Any]:
    choices = [{"index": 0, "delta": delta, "finish_reason": finish_reason}]
    return _completion(choices=choices) | {"object": "chat.completion.chunk"}


def _tool_call(number: int, name: str, arguments: str) -> dict[str, Any]:
    return {"id": f"call_{name}_{number}", "type": "function", "function": {"name": name, "arguments": arguments}}


def _completion(choices: list[Any]) -> dict[str, Any]:
    return {"id": "1", "object": "chat.completion", "created": 1, "model": "test", "choices": choices}
