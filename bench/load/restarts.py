"""A rolling restart behind HAProxy, then web, worker and PostgreSQL killed again and again: what becomes of the turns.

    python -m bench.load.restarts --restarts 4 --kills 10 --web-kills 10 --talkers 50

First the talkers speak through ``deploy/haproxy.cfg`` to two web processes, which are told to stop and started again
one after the other: no turn may fail, and nothing is tried again. Then they speak to a product as ``make run`` starts
it, whose parts are killed with SIGKILL, all processes of one at once but its spare; here a message without an answer is
sent again under its ``Idempotency-Key``. At last one of two web processes behind HAProxy is killed, and started again:
the table *kills behind HAProxy*.
In the end each message must be there once, with one answer, and what it taught once. *answered* runs from a kill until
each talker was answered something sent afterwards, *learned* until something said afterwards is remembered; the row
``nothing`` tells how long both take where nothing was killed.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from itertools import chain, cycle
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import psutil

from bench.load.figures import FigureTable, outcome_figures, turn_figures
from bench.load.http_client import HttpClient
from bench.load.load_run import live_probe, make_people, product_families
from bench.load.persistent_talkers import PersistentTalker, doubled_and_lost, learned_twice_or_never
from bench.load.stub_process import running_stub
from bench.load.talkers import Talker, gather_errors, messages
from bench.product import ROOT, Product, free_port, is_ready, running_product
from bench.report import print_table, write_results
from bench.runner import parse_arguments, require_none

QUIET_SECONDS = 3.0
PATIENCE_SECONDS = 120.0
RECOVERY_LIMIT_SECONDS = 6.0
BEHAVIOUR = {"whole": 2.0}
PERSISTENT_TALKERS = 10
NOTHING = "nothing"
WEB = "web"
Kills = Mapping[str, Callable[[], object]]
"""For each part, what kills it; the row ``nothing`` kills nothing."""


@dataclass
class WebProcess:
    """One of several web processes of a product."""

    product: Product
    port: int
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, and wait until it is ready."""
        self._launch()
        assert self.process
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not is_ready(f"http://127.0.0.1:{self.port}"):
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError("a web process did not start")
            time.sleep(0.1)

    def stop(self) -> float:
        """SIGTERM, and the seconds until it has ended."""
        assert self.process
        began = time.monotonic()
        self.process.terminate()
        self.process.wait(PATIENCE_SECONDS)
        return time.monotonic() - began

    def kill(self) -> None:
        """SIGKILL to its processes, and start it again as a service manager does, without waiting until it is ready."""
        assert self.process
        family = psutil.Process(self.process.pid)
        _kill([*family.children(recursive=True), family])
        self.process.wait(PATIENCE_SECONDS)
        self._launch()

    def _launch(self) -> None:
        command = [sys.executable, "manage.py", "web", "--port", str(self.port)]
        self.process = subprocess.Popen(command, cwd=ROOT, env=self.product.environment)


@dataclass(frozen=True)
class Recovery:
    """The seconds from a kill until messages are answered again, and until they are learned again."""

    answered: float
    learned: float


@contextmanager
def haproxy(ports: Sequence[int]) -> Iterator[int]:
    """HAProxy as the example sets it up, without TLS; answers its port."""
    port = free_port()
    text = (ROOT / "deploy" / "haproxy.cfg").read_text()
    changes = {
        "    bind :80\n": f"    bind 127.0.0.1:{port}\n",
        "    bind :443 ssl crt /etc/ssl/finclaw/haproxy.pem alpn h2,http/1.1\n": "",
        "    http-request redirect scheme https code 301 unless { ssl_fc }\n": "",
        "127.0.0.1:8001": f"127.0.0.1:{ports[0]}",
        "127.0.0.1:8002": f"127.0.0.1:{ports[1]}",
        "{ sc0_conn_cur gt 100 }": "{ sc0_conn_cur gt 10000 }",  # all talkers have one address
    }
    for usual, own in changes.items():
        if usual not in text:
            raise ValueError(f"deploy/haproxy.cfg says nothing of {usual!r}")
        text = text.replace(usual, own)
    with TemporaryDirectory() as folder:
        file = Path(folder, "haproxy.cfg")
        file.write_text(text)
        with subprocess.Popen(["/usr/sbin/haproxy", "-db", "-f", str(file)]) as process:
            try:
                yield port
            finally:
                process.terminate()


@contextmanager
def behind_haproxy(product: Product) -> Iterator[tuple[list[WebProcess], int]]:
    """Two web processes, and the port of the HAProxy before them."""
    webs = [WebProcess(product, free_port()) for _ in range(2)]
    with ExitStack() as started:
        for web in webs:
            web.start()
            started.callback(web.stop)
        port = started.enter_context(haproxy([web.port for web in webs]))
        time.sleep(QUIET_SECONDS)  # until both are known to be ready
        yield webs, port


def roll(product: Product, tokens: Sequence[str], restarts: int) -> dict[str, FigureTable]:
    """Restart two web processes in turn under talkers; the tables of what they met."""
    with behind_haproxy(product) as (webs, port):
        return asyncio.run(_roll(webs, port, tokens, restarts))


def kill_webs(product: Product, kills: int) -> FigureTable:
    """Kill one of two web processes so often, in turn, under talkers who do not give up."""
    with behind_haproxy(product) as (webs, port):
        killed = cycle(webs)
        return _kill_each(product, port, kills, {WEB: lambda: next(killed).kill()})


def kill_product(product: Product, kills: int) -> FigureTable:
    """Kill web, worker and PostgreSQL of a product as ``make run`` starts it so often, under such talkers."""

    def kill(part: str) -> None:
        _kill([process for process in product_families(product)[part] if not _is_spare(process, product)])

    return _kill_each(product, product.port, kills, {part: partial(kill, part) for part in (WEB, "worker", "postgres")})


def _kill_each(product: Product, port: int, kills: int, parts: Kills) -> FigureTable:
    with_nothing: Kills = {NOTHING: lambda: None, **parts}
    tokens = make_people(product, PERSISTENT_TALKERS + kills * len(with_nothing))
    return asyncio.run(kill_parts(port, tokens, kills, with_nothing))


async def _roll(webs: Sequence[WebProcess], port: int, tokens: Sequence[str], restarts: int) -> dict[str, FigureTable]:
    talkers = [Talker(HttpClient(port, token), messages(number)) for number, token in enumerate(tokens)]
    began, stopping = time.monotonic(), []
    async with live_probe(port) as live:
        talking = asyncio.gather(*(talker.talk(float("inf"), 0.0) for talker in talkers))
        for number in range(restarts):
            await asyncio.sleep(QUIET_SECONDS)
            web = webs[number % len(webs)]
            stopping.append(await asyncio.to_thread(web.stop))
            await asyncio.to_thread(web.start)
        await asyncio.sleep(QUIET_SECONDS)
        for talker in talkers:
            talker.is_leaving = True
        await talking
    seconds = time.monotonic() - began
    turns = list(chain.from_iterable(talker.turns for talker in talkers))
    for talker in talkers:
        talker.client.close()
    figures = {"turns": turn_figures(turns, seconds), "outcomes": outcome_figures(turns)}
    rolled = {"restarts": len(stopping), "longest s to the end of a process": round(max(stopping), 1)}
    return figures | {"restarts": {"web": rolled | {"live asked": len(live), "no answer": sum(at < 0 for at in live)}}}


async def kill_parts(port: int, tokens: Sequence[str], kills: int, of_parts: Kills) -> FigureTable:
    """Kill each part so often under talkers who do not give up; a row a part, one of the messages.

    After each kill somebody else is taught: two like statements of one person would wait for that person's word.
    """
    people = [PersistentTalker(HttpClient(port, token), number) for number, token in enumerate(tokens)]
    talkers, taught = people[:PERSISTENT_TALKERS], people[PERSISTENT_TALKERS:]
    await gather_errors(*(talker.open_session() for talker in talkers))
    talking = asyncio.gather(*(talker.talk() for talker in talkers))
    recoveries: dict[str, list[Recovery]] = {part: [] for part in of_parts}
    for number, part in enumerate([*of_parts] * kills):
        await asyncio.sleep(QUIET_SECONDS)
        killed_at = time.monotonic()
        of_parts[part]()
        try:
            recoveries[part].append(await _recovered(talkers, taught[number], killed_at))
        except TimeoutError:
            raise RuntimeError(f"nobody was served again after kill {number + 1}, of {part}") from None
    for talker in talkers:
        talker.is_leaving = True
    await talking
    kept = [await doubled_and_lost(talker) for talker in talkers]
    learned = [await learned_twice_or_never(person) for person in taught]
    for person in people:
        person.client.close()
    rows = {part: _recovery_row(times) for part, times in recoveries.items()}
    answered = sum(len(talker.answered) for talker in talkers)
    sent_again = sum(talker.sent_again for talker in talkers)
    said = {"answered": answered, "sent again": sent_again} | _doubled_lost(kept)
    return rows | {"messages": said, "taught": _doubled_lost(learned)}


def _doubled_lost(of_talkers: Sequence[tuple[int, int]]) -> dict[str, float]:
    doubled, lost = (sum(column) for column in zip(*of_talkers, strict=True))
    return {"doubled": doubled, "lost": lost}


def _recovery_row(recoveries: Sequence[Recovery]) -> dict[str, float]:
    row: dict[str, float] = {"times": len(recoveries)}
    for what in ("answered", "learned"):
        seconds = [getattr(recovery, what) for recovery in recoveries]
        row |= {f"{what} median s": round(median(seconds), 2), f"{what} max s": round(max(seconds), 2)}
    return row


async def _recovered(talkers: Sequence[PersistentTalker], taught: PersistentTalker, moment: float) -> Recovery:
    """After how long all works again that was killed at a moment. Raises ``TimeoutError`` where it never does."""
    answered, learned = await asyncio.gather(_all_answered_since(talkers, moment), taught.learns_again(moment))
    return Recovery(answered - moment, learned - moment)


async def _all_answered_since(talkers: Sequence[PersistentTalker], moment: float) -> float:
    async with asyncio.timeout(PATIENCE_SECONDS):
        await asyncio.gather(*(talker.answered_since(moment) for talker in talkers))
    return time.monotonic()


def _is_spare(process: psutil.Process, product: Product) -> bool:
    """Whether it is a program that stands by: what the product started itself and has not started anything yet."""
    with suppress(psutil.NoSuchProcess):
        return process.ppid() == product.process.pid and not process.children()
    return False


def _kill(processes: Sequence[psutil.Process]) -> None:
    for process in processes:
        with suppress(psutil.NoSuchProcess):  # it followed the one before it
            process.kill()


def main() -> None:
    """Run all three, print the tables, write the figures; exit 1 where a turn fails or a part takes too long."""
    given = parse_arguments(__doc__, restarts=4, kills=10, web_kills=10, talkers=50)
    figures: dict[str, FigureTable] = {}
    with running_stub(BEHAVIOUR) as stub:
        if given.restarts:
            with running_product(stub.environment) as product:
                figures |= roll(product, make_people(product, given.talkers), given.restarts)
        if given.kills:
            with running_product(stub.environment) as product:
                figures["kills"] = kill_product(product, given.kills)
        if given.web_kills:
            with running_product(stub.environment) as product:
                figures["kills behind HAProxy"] = kill_webs(product, given.web_kills)
    for section, table in figures.items():
        print_table(f"restarts: {section}", table)
    write_results("load_restarts", figures)
    require_none(_missed(figures), "Missed")


def _missed(figures: dict[str, FigureTable]) -> list[str]:
    failed = figures.get("outcomes", {}).get("turns", {}).get("errors", 0)
    missed = [f"{failed} turns failed in a rolling restart"] * bool(failed)
    for part, row in [*figures.get("kills", {}).items(), *figures.get("kills behind HAProxy", {}).items()]:
        for what in ("answered", "learned"):
            if (seconds := row.get(f"{what} max s", 0)) > RECOVERY_LIMIT_SECONDS:
                missed.append(f"{part} killed: {what} again after {seconds} s")
        missed += [f"{row[kind]} of {part} {kind}" for kind in ("doubled", "lost") if row.get(kind)]
    return missed


if __name__ == "__main__":
    main()
