"""The product's searches and additions over HTTP, beside the same through mem0's library with pgvector in one process.

    python -m bench.load.comparison --rounds 5 --each 100 --at-once 8
    python -m bench.load.comparison --peer-python /path/to/a/python/that/has/mem0ai

In turns of ``each`` additions and as many searches, ``at-once`` of them under way at a time: what slows the machine
slows both. The product signs people in, asks for their consent, and answers under row-level security; mem0 is called in
its own process, on the same PostgreSQL. Neither asks a language model. Skipped, and said, where mem0 is not installed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import Final

from bench.load.figures import FigureTable, percentile
from bench.load.http_client import HttpClient
from bench.load.load_run import make_people
from bench.load.talkers import gather_errors
from bench.product import ROOT, Product, running_product
from bench.report import publish
from bench.runner import add_numbers, argument_parser

_STATEMENTS: Final = ("I follow the coin C{n}X.", "I live in house number {n} in Leipzig.", "我关注代号为D{n}Y的股票。")
_QUESTIONS: Final = ("Which coin number {n} do I follow?", "In which house, {n} perhaps, do I live?", "我关注D{n}Y吗？")
_PATHS: Final = {"add": "/api/memories", "search": "/api/memories/search"}


class PeerMissing(RuntimeError):
    """mem0 is not installed in the Python that should run it."""


@dataclass(frozen=True)
class Mem0Process:
    """A running ``bench.load.mem0_peer``."""

    process: subprocess.Popen[str]

    def do(self, work: str, texts: Sequence[str], at_once: int) -> list[float]:
        """Milliseconds of each."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(json.dumps({"do": work, "texts": texts, "threads": at_once}) + "\n")
        self.process.stdin.flush()
        times: list[float] = json.loads(self.process.stdout.readline())
        return times


@contextmanager
def running_mem0(python: str, product: Product) -> Iterator[Mem0Process]:
    """Start it on the product's PostgreSQL, in a database of its own. Raises ``PeerMissing``."""
    with product.server.connect() as connection:
        connection.execute("CREATE DATABASE mem0")
    address = f"host={product.server.sockets} port=5432 user=postgres dbname=mem0"
    command = [python, "-m", "bench.load.mem0_peer", address]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout
            if process.stdout.readline().strip() != "ready":
                raise PeerMissing(python)
            yield Mem0Process(process)
        finally:
            process.terminate()


async def _ask_product(port: int, token: str, work: str, texts: Sequence[str], at_once: int) -> list[float]:
    waiting, times = iter(texts), []

    async def one_after_another() -> None:
        async with HttpClient(port, token) as client:
            for text in waiting:
                body = {"text": text, "infer": False} if work == "add" else {"query": text}
                began = perf_counter()
                answer = await client.request("POST", _PATHS[work], body)
                times.append((perf_counter() - began) * 1000)
                if answer.status not in {200, 201}:
                    raise RuntimeError(f"{work}: {answer.status} {answer.body[:200]!r}")

    await gather_errors(*(one_after_another() for _ in range(at_once)))
    return times


def measure(product: Product, mem0: Mem0Process, rounds: int, each: int, at_once: int) -> FigureTable:
    """A row for each system and kind of work."""
    (token,) = make_people(product, 1)
    times: dict[str, list[float]] = defaultdict(list)
    seconds: dict[str, float] = defaultdict(float)
    for number in range(rounds):
        for work, templates in (("add", _STATEMENTS), ("search", _QUESTIONS)):
            texts = [templates[n % len(templates)].format(n=number * each + n) for n in range(each)]
            for name in ("FinClaw over HTTP", "mem0 in process"):
                began = perf_counter()
                if name.startswith("mem0"):
                    took = mem0.do(work, texts, at_once)
                else:
                    took = asyncio.run(_ask_product(product.port, token, work, texts, at_once))
                seconds[f"{name}, {work}"] += perf_counter() - began
                times[f"{name}, {work}"] += took
    return {name: _row(times[name], seconds[name]) for name in times}


def _row(times: Sequence[float], seconds: float) -> dict[str, float]:
    ranks = {f"p{rank} ms": round(percentile(times, rank), 1) for rank in (50, 95, 99)}
    return {"done": len(times), "per s": round(len(times) / seconds, 1), **ranks}


def parse_options() -> argparse.Namespace:
    parser = argument_parser(__doc__)
    add_numbers(parser, rounds=5, each=100, at_once=8)
    parser.add_argument("--embedder", choices=["e5", "light"], default="e5")
    parser.add_argument("--peer-python", default=sys.executable)
    return parser.parse_args()


def main() -> None:
    given = parse_options()
    with running_product({"EMBEDDER": given.embedder}) as product:
        try:
            with running_mem0(given.peer_python, product) as mem0:
                figures = measure(product, mem0, given.rounds, given.each, given.at_once)
        except PeerMissing as missing:
            sys.exit(f"SKIPPED: {missing} has no mem0 (pip install -r requirements-bench.lock, or --peer-python).")
    publish("load_comparison", f"Additions and searches, {given.at_once} at once", figures)


if __name__ == "__main__":
    main()
