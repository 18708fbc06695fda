"""One run of a scenario against a running product: talkers, probe and watch together, then the figures."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Coroutine, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

import psutil

from bench.load.figures import FigureTable, live_figures, model_figures, outcome_figures, turn_figures
from bench.load.http_client import HttpClient
from bench.load.other_work import OtherWork
from bench.load.process_watch import ProcessWatch, families_under
from bench.load.scenarios import LoadScenario
from bench.load.stub_process import StubProcess
from bench.load.talkers import Talker, gather_errors, messages
from bench.product import ROOT, Product


@dataclass
class LoadRun:
    """A scenario against a product, whose web server is reached at ``port``: its own, or that of a proxy before it."""

    scenario: LoadScenario
    product: Product
    stub: StubProcess | None
    port: int
    is_mixed: bool = False

    async def measure(self, tokens: Sequence[str]) -> dict[str, FigureTable]:
        """The tables of figures by their titles. One token is needed a talker, and one for the other work."""
        talkers = [self._talker(number, token) for number, token in enumerate(tokens[: self.scenario.talkers])]
        other = OtherWork(self.port, tokens[self.scenario.talkers :] if self.is_mixed else ())
        watch = ProcessWatch(self._families)
        try:
            async with live_probe(self.port) as live, _beside(watch.watch()), _beside(other.work()):
                began = time.monotonic()
                await self._talk(talkers)
                seconds = time.monotonic() - began
        finally:
            for talker in talkers:
                talker.client.close()
        turns = [turn for talker in talkers for turn in talker.turns]
        return {
            "turns": turn_figures(turns, seconds),
            "outcomes": outcome_figures(turns),
            "live": live_figures(live),
            **({"model": model_figures(self.stub.stats())} if self.stub else {}),
            "processes": watch.figures(),
            **({"other work": other.figures()} if self.is_mixed else {}),
        }

    def _talker(self, number: int, token: str) -> Talker:
        client = HttpClient(self.port, token)
        return Talker(client, messages(number, self.scenario.kinds), streams=self.scenario.streams)

    async def _talk(self, talkers: Sequence[Talker]) -> None:
        scenario = self.scenario
        if scenario.rounds:
            await gather_errors(*(talker.open_session() for talker in talkers))
            for _ in range(scenario.rounds):
                await gather_errors(*(talker.turn() for talker in talkers))
            return
        until = time.monotonic() + scenario.minutes * 60
        each = -(-scenario.turns // scenario.talkers)
        starts = (scenario.think_seconds * number / len(talkers) for number in range(len(talkers)))
        await gather_errors(
            *(_talk_from(start, talker, until, scenario.think_seconds, each) for start, talker in zip(starts, talkers))  # noqa: B905
        )

    def _families(self) -> dict[str, list[psutil.Process]]:
        stub = [self.stub.process] if self.stub else []
        return product_families(self.product) | {"model stub": stub, "talkers": [psutil.Process()]}


def product_families(product: Product) -> dict[str, list[psutil.Process]]:
    """The processes of a product as ``make run`` starts it: web, worker and postgres."""
    found = families_under([product.process], {"web": "gunicorn", "worker": "manage.py worker"})
    with suppress(OSError, psutil.Error):
        pid = int((product.server.cluster / "postmaster.pid").read_text().split()[0])
        found |= families_under([psutil.Process(pid)], {"postgres": ""})
    return found


async def _talk_from(start: float, talker: Talker, until: float, think_seconds: float, most_turns: int) -> None:
    await asyncio.sleep(start)
    await talker.talk(until, think_seconds, most_turns)


@asynccontextmanager
async def live_probe(port: int) -> AsyncIterator[list[float]]:
    """Ask whether the server is alive, ten times a second; the list holds the milliseconds at the end."""
    times: list[float] = []
    program = (sys.executable, "-m", "bench.load.live_probe", str(port))
    process = await asyncio.create_subprocess_exec(*program, stdin=PIPE, stdout=PIPE)
    try:
        yield times
    finally:
        told, _ = await process.communicate(b"")
    times += json.loads(told)


@asynccontextmanager
async def _beside(work: Coroutine[None, None, None]) -> AsyncIterator[None]:
    task = asyncio.create_task(work)
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def make_people(product: Product, count: int) -> list[str]:
    """Tokens of so many new people."""
    program = [sys.executable, "-m", "bench.load.people_setup", str(count)]
    made = subprocess.run(program, cwd=ROOT, env=product.environment, stdout=subprocess.PIPE, text=True, check=True)
    tokens: list[str] = json.loads(made.stdout.splitlines()[-1])
    return tokens
