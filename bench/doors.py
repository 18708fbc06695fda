"""What a program pays for the door it comes in by: the same search, addition and chat through each, in turn.

    python -m bench.doors --rounds 100

``/api`` is the measure; beside it mem0's verbs, MCP by the official client on a session that stays open, and chat
completions, whose client sends the whole conversation each time. One product runs, and no model answers but the
offline one, at once. ``protocol`` asks for what needs no memory, a tool that is not offered: what MCP and its official
client cost by themselves, beside the liveness of ``/api``.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from statistics import quantiles
from time import perf_counter
from typing import Any, Final

import anyio
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from bench.product import REQUEST_SECONDS, Product, free_port, running_product
from bench.report import publish
from bench.runner import parse_arguments, require_none

API: Final = "/api"
PROTOCOL: Final = "protocol"
MOST_ADDED_MS: Final = 10.0
WARM_UP: Final = 20
CHAT_TURNS: Final = 10
"""After so many turns a new conversation begins."""
QUESTION: Final = "Which funds do I prefer?"
SEARCHED: Final = {"query": QUESTION, "top_k": 8}
Figures = dict[str, dict[str, float]]
Call = Callable[[], Awaitable[object]]


@dataclass
class Doors:
    """One user's program, connected by each door."""

    http: httpx2.AsyncClient
    mcp: Client
    numbers: count[int] = field(default_factory=count)
    session: str = ""
    history: list[dict[str, str]] = field(default_factory=list)

    def calls(self) -> Mapping[str, Mapping[str, Call]]:
        """A call for each verb and door."""
        whose = {"filters": {"user_id": "me"}}
        return {
            "search": {
                API: lambda: self._post("/api/memories/search", SEARCHED),
                "mem0": lambda: self._post("/v3/memories/search/", SEARCHED | whose),
                "MCP": lambda: self._call_tool("search_memories", SEARCHED),
            },
            "add": {
                API: lambda: self._post("/api/memories", {"text": self._statement(), "infer": False}),
                "mem0": lambda: self._post("/v3/memories/add/", whose | {"infer": False} | self._mem0_messages()),
                "MCP": lambda: self._call_tool("add_memory", {"text": self._statement(), "infer": False}),
            },
            "chat": {API: self._send_message, "/v1": self._complete_chat},
            PROTOCOL: {API: lambda: self.http.get("/health/live"), "MCP": self._call_unknown_tool},
        }

    async def begin_conversation(self) -> None:
        """Have the next messages open new conversations."""
        self.session, self.history = (await self._post("/api/sessions", {}))["session_id"], []

    async def _send_message(self) -> None:
        await self._post(f"/api/sessions/{self.session}/messages", {"content": self._question()})

    async def _complete_chat(self) -> None:
        self.history.append({"role": "user", "content": self._question()})
        answer = await self._post("/v1/chat/completions", {"model": "finclaw", "messages": self.history})
        self.history.append(answer["choices"][0]["message"])

    def _statement(self) -> str:
        return f"I prefer fund number {next(self.numbers)} for its low fees."

    def _question(self) -> str:
        return f"Is fund number {next(self.numbers)} one of those that I prefer?"

    def _mem0_messages(self) -> dict[str, Any]:
        return {"messages": [{"role": "user", "content": self._statement()}]}

    async def _post(self, path: str, body: Mapping[str, Any]) -> Any:
        return (await self.http.post(path, json=body)).raise_for_status().json()

    async def _call_tool(self, name: str, arguments: dict[str, Any]) -> None:
        answer = await self.mcp.call_tool(name, arguments)
        if answer.is_error:
            raise RuntimeError(f"{name}: {answer.content}")

    async def _call_unknown_tool(self) -> None:
        with suppress(MCPError):
            await self.mcp.call_tool("unknown", {})


async def measure(product: Product, mcp_url: str, rounds: int) -> Figures:
    """Milliseconds of each verb by each door, and how much more that is than by ``/api``."""
    token = product.client().headers["Authorization"].removeprefix("Token ")
    signed = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(base_url=product.address, headers=signed, timeout=REQUEST_SECONDS) as http,
        Client(streamable_http_client(mcp_url, http_client=http)) as mcp,
    ):
        doors = Doors(http, mcp)
        figures: Figures = {}
        for verb, calls in doors.calls().items():
            figures |= _figures(verb, await _timed(doors, calls, rounds))
        return figures


async def _timed(doors: Doors, calls: Mapping[str, Call], rounds: int) -> dict[str, list[float]]:
    """Milliseconds by door. Every other round goes backwards: the worker follows up on one call during the next."""
    times: dict[str, list[float]] = {door: [] for door in calls}
    for number in range(WARM_UP + rounds):
        if number % CHAT_TURNS == 0:
            await doors.begin_conversation()
        for door, call in list(calls.items())[:: 1 if number % 2 else -1]:
            began = perf_counter()
            await call()
            times[door].append(1_000 * (perf_counter() - began))
    return {door: spent[WARM_UP:] for door, spent in times.items()}


def _figures(verb: str, times: Mapping[str, list[float]]) -> Figures:
    cuts = {door: quantiles(spent, n=100) for door, spent in times.items()}
    return {
        f"{verb} by {door}": {f"p{share} ms": round(cuts[door][share - 1], 2) for share in (50, 95)}
        | {f"p{share} added": round(cuts[door][share - 1] - cuts[API][share - 1], 2) for share in (50, 95)}
        for door in times
    }


def main() -> None:
    """Measure, print the table, write the figures; fails where a door adds more than ``MOST_ADDED_MS``."""
    rounds = parse_arguments(__doc__, rounds=100).rounds
    port = free_port()
    with running_product({"MCP_PORT": str(port)}) as product:
        figures = anyio.run(measure, product, f"http://127.0.0.1:{port}/mcp", rounds)
    publish("doors", "Milliseconds by each door, and added to those by /api", figures)
    doors = {name: row for name, row in figures.items() if not name.startswith(PROTOCOL)}
    require_none(name for name, row in doors.items() if row["p95 added"] > MOST_ADDED_MS)


if __name__ == "__main__":
    main()
