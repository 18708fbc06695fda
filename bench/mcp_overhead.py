"""What assistants pay for speaking the Model Context Protocol: the same calls over ``/mcp`` and over ``/api``, in turn.

python -m bench.mcp_overhead --rounds 200
"""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable
from statistics import quantiles
from time import perf_counter

import anyio
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from bench.product import Product, free_port, running_product
from bench.report import publish
from bench.runner import parse_arguments

MOST_ADDED_MS = 10.0
WARM_UP = 20
QUESTION = "Which funds do I prefer?"
Call = Callable[[], Awaitable[object]]


async def measure(product: Product, mcp_url: str, rounds: int) -> dict[str, dict[str, float]]:
    """Milliseconds of each call by both doors, and what the second one adds, by percentile."""
    token = product.client().headers["Authorization"].removeprefix("Token ")
    signed = {"Authorization": f"Bearer {token}"}
    api = httpx2.AsyncClient(base_url=f"{product.address}/api/", headers={"Authorization": f"Token {token}"})
    async with (
        api,
        httpx2.AsyncClient(headers=signed) as http,
        Client(streamable_http_client(mcp_url, http_client=http)) as client,
    ):
        found: dict[str, dict[str, float]] = {}
        for name, by_api, by_mcp in _calls(api, client):
            found |= await _compare(name, by_api, by_mcp, rounds)
        return found


def _calls(api: httpx2.AsyncClient, client: Client) -> list[tuple[str, Call, Call]]:
    numbers = iter(range(1_000_000))

    def statement() -> str:
        return f"I prefer fund number {next(numbers)} for its low fees."

    return [
        (
            "search",
            lambda: api.post("memories/search", json={"query": QUESTION}),
            lambda: client.call_tool("search_memories", {"query": QUESTION}),
        ),
        (
            "add",
            lambda: api.post("memories", json={"text": statement(), "infer": False}),
            lambda: client.call_tool("add_memory", {"text": statement(), "infer": False}),
        ),
        (
            "context",
            lambda: api.get("context", params={"query": QUESTION}),
            lambda: client.call_tool("get_context", {"query": QUESTION}),
        ),
    ]


async def _compare(name: str, by_api: Call, by_mcp: Call, rounds: int) -> dict[str, dict[str, float]]:
    times: dict[str, list[float]] = {"api": [], "mcp": []}
    for number in range(-WARM_UP, rounds):
        for door, call in (("api", by_api), ("mcp", by_mcp)):
            began = perf_counter()
            await call()
            if number >= 0:
                times[door].append(1_000 * (perf_counter() - began))
    rows = {door: _percentiles(spent) for door, spent in times.items()}
    added = {at: round(rows["mcp"][at] - rows["api"][at], 2) for at in rows["api"]}
    return {f"{name} by /api": rows["api"], f"{name} by /mcp": rows["mcp"], f"{name}, added": added}


def _percentiles(spent: list[float]) -> dict[str, float]:
    cuts = quantiles(spent, n=100)
    return {"p50": round(cuts[49], 2), "p95": round(cuts[94], 2)}


def main() -> int:
    rounds = parse_arguments(__doc__, rounds=200).rounds
    port = free_port()
    with running_product({"MCP_PORT": str(port)}) as product:
        figures = anyio.run(measure, product, f"http://127.0.0.1:{port}/mcp", rounds)
    publish("mcp_overhead", "Milliseconds of a call", figures)
    return int(any(row["p95"] > MOST_ADDED_MS for name, row in figures.items() if name.endswith("added")))


if __name__ == "__main__":
    sys.exit(main())
