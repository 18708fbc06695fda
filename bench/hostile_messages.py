"""Messages that nobody means and anybody can send, to the running product with its worker, over HTTP.

    python -m bench.hostile_messages

Each is one thing 8,000 characters long: 嗯, a dot, a bracket, a word without end … Beside each goes a plain message of
the same length and script, by turns. Meanwhile ``/health/live`` is asked every 20 ms, and after each message the worker
is waited for. Fails where an answer takes more than twice a plain one's time, where ``/health/live`` takes 100 ms, or
where the worker learns nothing from a message in ten seconds.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from statistics import median
from threading import Event, Thread
from typing import Final

import httpx2

from bench.product import Product, running_product
from bench.report import publish
from foundation.database.urls import DATABASE_NAME

LENGTH: Final = 8_000
ROUNDS: Final = 3
MOST_TIMES_PLAIN: Final = 2.0
MOST_LIVE_MS: Final = 100.0
MOST_JOB_SECONDS: Final = 10.0
_POLL_SECONDS: Final = 0.02
_PATIENCE_SECONDS: Final = 120.0
_PROSE: Final = {
    "en": "The meeting on the harbour bridge went on for longer than anybody had planned, and the minutes were sent"
    " round late in the evening. ",
    "zh": "港口大桥上的会议开得比谁预想的都要久，纪要到了深夜才发给大家。讨论的是明年的工程和几项没有定下来的费用。",
}
_HOSTILE: Final = {
    "嗯": "嗯", "哦": "哦", "对": "对", "刚": "刚", "总是": "总是", "不对，": "不对，", "我": "我", "我是": "我是",
    "。": "。", "，": "，", "《": "《", "“": "“", "wide space": "\u3000", ".": ".", "…": "…", "?": "?", ",": ",",
    "-": "-", "space": "a" + " " * 999, "line end": "a" + "\n" * 999, "(": "(", "[": "[", "<": "<", '"': '"',
    "'": "'", "`": "`", "zero width": "a" + "\u200b" * 999, "marks": "a" + "\u0301" * 999, "one word": "a",
    "digits": "1", "card": "4111 ",
    "address": "a@a.co ", "@": "@", "URL": "https://a.co/a?b=c ", "emoji": "😀", "ligature": "ﷺ", "so": "so ",
    "I": "I ", "yes": "yes, ", "no": "no, ", "in two days": "in two days ", "I like": "I like it and ",
    "sentences": "I like tea. ", "句子": "我喜欢茶。",
}  # fmt: skip


@dataclass
class Watch:
    """How long ``/health/live`` took, in milliseconds, each time it was asked."""

    milliseconds: list[float] = field(default_factory=list)

    def slowest_since(self, start: int) -> float:
        return max(self.milliseconds[start:], default=0.0)


@dataclass(frozen=True)
class Row:
    """One message: its answer's time and that of a plain one, the slowest ``/health/live`` beside either, and the
    worker's time.
    """

    answer_ms: float
    plain_ms: float
    live_ms: float
    plain_live_ms: float
    job_seconds: float
    dead_letters: int

    @property
    def times_plain(self) -> float:
        return self.answer_ms / self.plain_ms

    @property
    def holds(self) -> bool:
        """Whether every promise was kept."""
        is_fast = self.times_plain <= MOST_TIMES_PLAIN and self.live_ms < MOST_LIVE_MS
        return is_fast and self.job_seconds < MOST_JOB_SECONDS and not self.dead_letters

    def figures(self) -> dict[str, float]:
        return {
            "answer ms": round(self.answer_ms, 1),
            "plain ms": round(self.plain_ms, 1),
            "times plain": round(self.times_plain, 2),
            "live ms": round(self.live_ms, 1),
            "live, plain ms": round(self.plain_live_ms, 1),
            "worker s": round(self.job_seconds, 2),
            "dead letters": self.dead_letters,
        }


def measure(product: Product) -> dict[str, Row]:
    """Every message, after a few plain ones that load what is loaded once."""
    client = product.client()
    for text in (*_PROSE.values(), *_PROSE.values()):
        _said(client, _filled(text))
        _learned(product)
    with _watching(product) as watch:
        return {name: _row(product, client, watch, unit) for name, unit in _HOSTILE.items()}


def _row(product: Product, client: httpx2.Client, watch: Watch, unit: str) -> Row:
    hostile, plain = _filled(unit), _filled(_PROSE["en" if unit.isascii() else "zh"])
    answers, plains, jobs, lives, plain_lives = [], [], [], [], []
    dead = 0
    for _ in range(ROUNDS):
        begun = len(watch.milliseconds)
        plains.append(_said(client, plain))
        _learned(product)
        plain_lives.append(watch.slowest_since(begun))
        begun = len(watch.milliseconds)
        answers.append(_said(client, hostile))
        seconds, failed = _learned(product)
        lives.append(watch.slowest_since(begun))
        jobs.append(seconds)
        dead += failed
    return Row(median(answers), median(plains), max(lives), max(plain_lives), max(jobs), dead)


def _filled(unit: str) -> str:
    """The unit as often as it fits; the last character is no space, which would be trimmed."""
    return (unit * (LENGTH // len(unit) + 1))[: LENGTH - 1] + "x"


def _said(client: httpx2.Client, text: str) -> float:
    """Milliseconds until the answer is there, in a conversation of its own."""
    session = client.post("sessions", json={}).raise_for_status().json()["session_id"]
    started = time.perf_counter()
    answer = client.post(f"sessions/{session}/messages", json={"content": text})
    taken = (time.perf_counter() - started) * 1000
    if answer.status_code not in (200, 201, 422):  # what is sensitive is refused, and that takes its time too
        raise RuntimeError(f"answered with {answer.status_code}")
    return taken


def _learned(product: Product) -> tuple[float, int]:
    """The seconds until the worker has nothing left to do, and the dead letters it left; they are put away."""
    started = time.perf_counter()
    with product.server.connect(DATABASE_NAME) as database:
        while database.execute(
            "SELECT 1 FROM outbox_outboxmessage WHERE state IN ('pending', 'processing') LIMIT 1"
        ).fetchone():
            if time.perf_counter() - started > _PATIENCE_SECONDS:
                raise TimeoutError("the worker did not come to rest")
            time.sleep(_POLL_SECONDS)
        taken = time.perf_counter() - started
        dead = database.execute("DELETE FROM outbox_outboxmessage WHERE state = 'failed'").rowcount
    return taken, dead


@contextmanager
def _watching(product: Product) -> Iterator[Watch]:
    """Ask ``/health/live`` all the while, from a thread of its own."""
    watch, over = Watch(), Event()

    def ask() -> None:
        with httpx2.Client(base_url=product.address, timeout=60.0) as client:
            while not over.wait(_POLL_SECONDS):
                started = time.perf_counter()
                client.get("/health/live").raise_for_status()
                watch.milliseconds.append((time.perf_counter() - started) * 1000)

    thread = Thread(target=ask, daemon=True)
    thread.start()
    try:
        yield watch
    finally:
        over.set()
        thread.join()


def main() -> None:
    """Run against a product of its own, print the table, write the figures."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    with running_product() as product:
        rows = measure(product)
    publish(
        "hostile_messages", f"{LENGTH} characters of one thing", {name: row.figures() for name, row in rows.items()}
    )
    broken = [name for name, row in rows.items() if not row.holds]
    print("every promise kept" if not broken else f"broken by: {', '.join(broken)}")
    sys.exit(bool(broken))


if __name__ == "__main__":
    main()
