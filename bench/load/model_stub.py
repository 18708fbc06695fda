"""A stand-in for a model over real HTTP: chat completions, streamed or whole, as slow and as faulty as told.

    python -m bench.load.model_stub --port 9100 --first-token .3 --whole 4 --tokens-per-second 20 --failure-rate .01

One asyncio process that serves hundreds of streams for a few per cent of a processor. What asks for JSON by a schema is
answered with the least that satisfies it, after ``--structured-seconds``. ``GET /stats`` tells what was asked so far;
``POST /behaviour`` with a JSON object changes any of the numbers while it runs: ``{"down": 1}`` is a provider's
failure, ``{"requests_per_minute": 60}`` one that answers 429 with ``retry-after`` to whoever asks faster.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import random
import sys
import time
from collections import deque
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Final

from bench.load import stub_answers
from bench.load.stub_answers import PrefixCache, event, words

LISTENING: Final = "listening on "
"""What the program prints, before its port, once it takes connections."""
CHARS_A_TOKEN: Final = 4
_MINUTE: Final = 60.0
_JSON: Final = "application/json"
_UNAVAILABLE: Final = "503 Service Unavailable"


@dataclass
class StubBehaviour:
    """Seconds to the first token and to the end of an answer, and how the stub fails."""

    first_token: float = 0.3
    whole: float = 4.0
    tokens_per_second: float = 20.0
    structured_seconds: float = 0.3  # to the end of an answer by a schema
    failure_rate: float = 0.0  # of the requests, answered with 503
    break_rate: float = 0.0  # of the streams, broken off in the middle
    requests_per_minute: float = 0.0  # past it: 429; 0: no limit
    down: float = 0.0  # 1: every request is answered with 503

    def change(self, wanted: Mapping[str, float]) -> None:
        """Set these numbers. Raises ``KeyError`` for one that does not exist."""
        known = {each.name for each in fields(self)}
        for name, value in wanted.items():
            if name not in known:
                raise KeyError(name)
            setattr(self, name, float(value))


@dataclass
class StubCounts:
    """What was asked so far."""

    requests: int = 0
    structured: int = 0
    in_flight: int = 0
    most_in_flight: int = 0
    failed: int = 0
    limited: int = 0  # asked faster than allowed
    abandoned: int = 0  # the client left before the end
    prompt_tokens: int = 0
    cached_tokens: int = 0
    schemas: dict[str, int] = field(default_factory=dict)


class ModelStub:
    """Answers connections by one behaviour."""

    def __init__(self, behaviour: StubBehaviour) -> None:
        self.behaviour = behaviour
        self.counts = StubCounts()
        self._cache = PrefixCache()
        self._allowed: deque[float] = deque()
        self._chance = random.Random(1)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One kept-alive connection to its end."""
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError), contextlib.closing(writer):
            while True:
                request = await reader.readuntil(b"\r\n\r\n")
                line, *lines = request.decode("latin-1").split("\r\n")
                lengths = [int(each.split(":")[1]) for each in lines if each.lower().startswith("content-length:")]
                body = await reader.readexactly(lengths[0]) if lengths else b""
                if not await self._answer(line, body, writer):
                    return

    async def _answer(self, line: str, body: bytes, writer: asyncio.StreamWriter) -> bool:
        """Whether the connection goes on."""
        method, path, _ = line.split(" ", 2)
        if path.endswith("/chat/completions"):
            return await self._complete(json.loads(body), writer)
        writer.write(self._said(method, path, body))
        await writer.drain()
        return True

    def _said(self, method: str, path: str, body: bytes) -> bytes:
        if path == "/stats":
            return stub_answers.whole("200 OK", asdict(self.counts))
        if path == "/behaviour":
            if method == "POST":
                self.behaviour.change(json.loads(body))
            return stub_answers.whole("200 OK", asdict(self.behaviour))
        if path.endswith("/models"):
            return stub_answers.whole("200 OK", {"object": "list", "data": []})
        return stub_answers.whole("404 Not Found", {"error": {"message": "not served here"}})

    async def _complete(self, asked: dict[str, Any], writer: asyncio.StreamWriter) -> bool:
        self.counts.requests += 1
        if refused := self._refusal():
            writer.write(refused)
            await writer.drain()
            return True
        self.counts.in_flight += 1
        self.counts.most_in_flight = max(self.counts.most_in_flight, self.counts.in_flight)
        try:
            return await self._speak(asked, writer)
        except ConnectionError:
            self.counts.abandoned += 1
            return False
        finally:
            self.counts.in_flight -= 1

    def _refusal(self) -> bytes:
        """A refusal, b"" where there is none."""
        if self.behaviour.down or self._chance.random() < self.behaviour.failure_rate:
            self.counts.failed += 1
            return stub_answers.whole(_UNAVAILABLE, {"error": {"message": "overloaded", "type": "server_error"}})
        if (wait := self._seconds_to_wait()) > 0:
            self.counts.limited += 1
            error = {"message": "too many requests", "type": "rate_limit_error", "code": "rate_limit_exceeded"}
            return stub_answers.whole("429 Too Many Requests", {"error": error}, f"Retry-After: {wait:.0f}\r\n")
        return b""

    def _seconds_to_wait(self) -> float:
        """0 where a request is allowed now, which is then counted."""
        most, now = int(self.behaviour.requests_per_minute), time.monotonic()
        while self._allowed and self._allowed[0] <= now - _MINUTE:
            self._allowed.popleft()
        if most and len(self._allowed) >= most:
            return max(1.0, self._allowed[0] + _MINUTE - now + 0.5)
        self._allowed.append(now)
        return 0.0

    async def _speak(self, asked: dict[str, Any], writer: asyncio.StreamWriter) -> bool:
        usage = self._usage(stub_answers.prompt_text(asked.get("messages", ())))
        schema = self._schema_of(asked)
        if schema is None:
            behaviour = self.behaviour
            first, last = behaviour.first_token, behaviour.whole
            pieces = list(words(1 + int(max(0.0, last - first) * behaviour.tokens_per_second)))
        else:
            first = last = self.behaviour.structured_seconds
            pieces = [json.dumps(stub_answers.answer_to(schema))]
        usage["completion_tokens"] = len(pieces)
        if not asked.get("stream"):
            await asyncio.sleep(last)
            writer.write(_completion(asked["model"], "".join(pieces), usage))
            await writer.drain()
            return True
        return await self._stream(asked["model"], pieces, (first, last), usage, writer)

    async def _stream(
        self,
        model: str,
        pieces: Sequence[str],
        seconds: tuple[float, float],
        usage: Mapping[str, Any],
        writer: asyncio.StreamWriter,
    ) -> bool:
        breaks = len(pieces) > 1 and self._chance.random() < self.behaviour.break_rate
        said = pieces[: len(pieces) // 2] if breaks else pieces
        writer.write(stub_answers.head("text/event-stream"))
        async for piece in _paced(said, len(pieces), *seconds):
            writer.write(event(model, {"content": piece}))
            await writer.drain()
        if breaks:
            return False
        writer.write(event(model, {}, finish_reason="stop") + event(model, None, usage=usage))
        writer.write(stub_answers.chunk(b"data: [DONE]\n\n") + stub_answers.chunk(b""))
        await writer.drain()
        return True

    def _schema_of(self, asked: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """The schema of the JSON asked for; None for an answer in words."""
        wanted = asked.get("response_format") or {}
        if wanted.get("type") not in {"json_schema", "json_object"}:
            return None
        described = wanted.get("json_schema", {})
        name = described.get("name", "json_object")
        self.counts.structured += 1
        self.counts.schemas[name] = self.counts.schemas.get(name, 0) + 1
        schema: Mapping[str, Any] = described.get("schema", {})
        return schema

    def _usage(self, prompt: str) -> dict[str, Any]:
        tokens, cached = (size // CHARS_A_TOKEN for size in (len(prompt), self._cache.cached_chars(prompt)))
        self.counts.prompt_tokens += tokens
        self.counts.cached_tokens += cached
        return {
            "prompt_tokens": tokens, "completion_tokens": 0, "total_tokens": tokens,
            "prompt_tokens_details": {"cached_tokens": cached},
        }  # fmt: skip


async def _paced(pieces: Sequence[str], planned: int, first: float, last: float) -> AsyncIterator[str]:
    """The pieces at the times at which ``planned`` of them would be said evenly from ``first`` to ``last``."""
    began = time.monotonic()
    pause = (last - first) / max(1, planned - 1)
    for number, piece in enumerate(pieces):
        await asyncio.sleep(max(0.0, began + first + number * pause - time.monotonic()))
        yield piece


def _completion(model: str, text: str, usage: Mapping[str, Any]) -> bytes:
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    shape = {"id": "stub", "object": "chat.completion", "created": 1, "model": model}
    return stub_answers.whole("200 OK", shape | {"choices": [choice], "usage": usage})


def add_behaviour(parser: argparse.ArgumentParser) -> None:
    """An option for each number of a behaviour; None where it is not given."""
    for each in fields(StubBehaviour):
        parser.add_argument(f"--{each.name.replace('_', '-')}", type=float, metavar=f"{each.default:g}")


def given_behaviour(given: argparse.Namespace) -> dict[str, float]:
    """The numbers of a behaviour that stood on the command line."""
    named = {each.name: getattr(given, each.name) for each in fields(StubBehaviour)}
    return {name: value for name, value in named.items() if value is not None}


async def listen(port: int, behaviour: StubBehaviour) -> None:
    """Serve for ever on the loopback interface."""
    stub = ModelStub(behaviour)
    server = await asyncio.start_server(stub.serve, "127.0.0.1", port, backlog=2_048)
    print(f"{LISTENING}{server.sockets[0].getsockname()[1]}", flush=True)
    async with server:
        await server.serve_forever()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=9100, help="0: any that is free, which is printed")
    add_behaviour(parser)
    given = parser.parse_args()
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(listen(given.port, StubBehaviour(**given_behaviour(given))))
    sys.exit(0)


if __name__ == "__main__":
    main()
