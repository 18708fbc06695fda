"""The load bench tells broken connections from idle ones, and its model satisfies what the product asks for."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import openai
import pytest

from bench.load.http_client import BrokenConnection, HttpClient
from bench.load.live_probe import with_those_due
from bench.load.model_stub import ModelStub, StubBehaviour
from bench.load.stub_answers import PrefixCache, answer_to
from bench.load.talkers import BROKEN, Talker, messages
from tests.support.coroutines import run_coroutine

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
SCHEMA = {
    "title": "intent",
    "type": "object",
    "properties": {
        "kind": {"enum": ["question", "other"]},
        "confidence": {"type": "number", "minimum": 0, "maximum": 1},
        "names": {"type": "array", "items": {"$ref": "#/$defs/name"}},
        "unasked": {"type": "string"},
    },
    "$defs": {"name": {"type": "string"}},
    "required": ["kind", "confidence", "names"],
}
Served = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


def _against(serve: Served, ask: Callable[[int], Awaitable[None]]) -> None:
    async def run() -> None:
        async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
            await ask(server.sockets[0].getsockname()[1])

    run_coroutine(run)


async def _answer_once(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.readuntil(b"\r\n\r\n")
    writer.write(OK)
    writer.close()


async def _break_off(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.readuntil(b"\r\n\r\n")
    writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nevent\r\n")
    writer.close()


def test_a_connection_closed_while_idle_is_opened_again() -> None:
    async def ask(port: int) -> None:
        async with HttpClient(port) as client:
            for _ in range(2):
                assert (await client.request("GET", "/")).status == 200
                assert client._reader is not None
                await client._reader.read()  # the end, as it arrives while nothing is asked

    _against(_answer_once, ask)


def test_an_answer_broken_off_is_told_and_counted() -> None:
    async def ask(port: int) -> None:
        async with HttpClient(port) as client:
            with pytest.raises(BrokenConnection):
                await client.request("GET", "/")
        talker = Talker(HttpClient(port), messages(1), _session="one")
        assert (await talker.turn()).error.startswith(BROKEN)

    _against(_break_off, ask)


def test_a_client_of_models_reads_what_the_stub_says() -> None:
    async def ask(port: int) -> None:
        async with openai.AsyncOpenAI(base_url=f"http://127.0.0.1:{port}/v1", api_key="none") as client:
            asked: dict[str, Any] = {"messages": [{"role": "user", "content": "Hello"}], "model": "large"}
            said = [event async for event in await client.chat.completions.create(**asked, stream=True)]
            assert len([event for event in said if event.choices and event.choices[0].delta.content]) == 5
            assert said[-1].usage
            described = {"type": "json_schema", "json_schema": {"name": "intent", "schema": SCHEMA}}
            answer = await client.chat.completions.create(**asked | {"response_format": described})
            assert json.loads(answer.choices[0].message.content)["kind"] == "question"

    stub = ModelStub(StubBehaviour(first_token=0, whole=0.04, tokens_per_second=100, structured_seconds=0))
    _against(stub.serve, ask)
    assert (stub.counts.requests, stub.counts.schemas) == (2, {"intent": 1})


def test_the_least_answer_satisfies_the_schema() -> None:
    assert answer_to(SCHEMA) == {"kind": "question", "confidence": 0.9, "names": []}


def test_what_stood_at_the_front_of_a_prompt_before_is_cached() -> None:
    cache = PrefixCache()
    assert cache.cached_chars("a" * 2_000) == 0
    assert cache.cached_chars("a" * 1_100 + "b" * 900) == 1_024


def test_probes_that_were_due_while_one_waited_count() -> None:
    assert list(with_those_due(250.0)) == [250.0, 150.0, 50.0]
