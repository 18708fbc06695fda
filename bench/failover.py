"""PostgreSQL crashes while people talk: how long nobody is answered, and what is lost.

    python -m bench.failover --crashes 5

The product runs as ``make run`` starts it; a crash is a SIGKILL for the server and all its processes at once. The
recovery time runs from there until each of the conversations has an answer that was asked for afterwards and is
stored. Lost is a turn that was answered and is not there in the end; the recovery point is the age of the oldest at
its crash. Afterwards the worker must still learn.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median
from threading import Event

import httpx2

from bench.product import Product, running_product
from bench.report import publish

TALKERS = 4
QUIET_SECONDS = 3.0  # of talk before each crash
PATIENCE_SECONDS = 300.0
PAUSE_SECONDS = 0.05
RTO_LIMIT_SECONDS, RPO_LIMIT_SECONDS = 30.0, 1.0


@dataclass(frozen=True)
class Turn:
    """An answered message. Times are ``time.monotonic``'s."""

    text: str
    message_id: str
    asked_at: float
    answered_at: float


@dataclass
class FailoverTalker:
    """Somebody who says one thing after another in a conversation of their own, whatever comes back."""

    client: httpx2.Client
    session: str
    number: int
    pause: float = PAUSE_SECONDS
    answered: list[Turn] = field(default_factory=list)
    refused: int = 0

    def talk(self, stopping: Event) -> None:
        """Until told to stop. What was refused is not said again."""
        said = 0
        while not stopping.wait(self.pause):
            said += 1
            self._say(f"I met guest {said} at table {self.number}.")

    def _say(self, text: str) -> None:
        asked_at = time.monotonic()
        try:
            response = self.client.post(f"sessions/{self.session}/messages", json={"content": text})
        except httpx2.TransportError:
            self.refused += 1
            return
        if response.status_code == 200:
            self.answered.append(Turn(text, response.json()["message_id"], asked_at, time.monotonic()))
        else:
            self.refused += 1

    def answered_since(self, moment: float) -> float | None:
        """When the first turn was answered that was asked for after ``moment``."""
        return next((turn.answered_at for turn in list(self.answered) if turn.asked_at > moment), None)

    def longest_silence(self, moment: float) -> float:
        """The longest time without an answer from ``moment`` until now."""
        answered = [turn.answered_at for turn in list(self.answered) if turn.answered_at > moment]
        return max(then - before for before, then in pairwise([moment, *answered, time.monotonic()]))

    def lost(self) -> list[Turn]:
        """The answered turns of which the message or its reply is not there."""
        stored = list(self._stored())
        replies, texts = {message["message_id"] for message in stored}, {message["content"] for message in stored}
        return [turn for turn in self.answered if turn.message_id not in replies or turn.text not in texts]

    def _stored(self) -> Iterator[dict[str, str]]:
        address: str | None = f"sessions/{self.session}/messages"
        while address:
            page = self.client.get(address).raise_for_status().json()
            yield from page["results"]
            address = page["next"] and str(self.client.base_url.copy_with(raw_path=httpx2.URL(page["next"]).raw_path))


def measure(product: Product, crashes: int) -> dict[str, float]:
    """Seconds until all were served again, the worst and the median crash, and what became of the answered turns."""
    talkers = [open_talker(product.client(), number) for number in range(TALKERS)]
    with talking(talkers):
        outages = [_crash(product, talkers) for _ in range(crashes)]
        time.sleep(QUIET_SECONDS)
    learned = _seconds_until_learned(talkers[0])
    lost = [(talker, turn) for talker in talkers for turn in talker.lost()]
    return {
        "rto_seconds": round(max(end - began for began, end in outages), 2),
        "median": round(median(end - began for began, end in outages), 2),
        "rpo_seconds": round(max((_age(turn, outages) for _, turn in lost), default=0.0), 2),
        "learns after": round(learned, 2),
        "crashes": crashes,
        "answered": sum(len(talker.answered) for talker in talkers),
        "lost": len(lost),
        "refused": sum(talker.refused for talker in talkers),
    }


def open_talker(client: httpx2.Client, number: int, pause: float = PAUSE_SECONDS) -> FailoverTalker:
    """Somebody with a new conversation; ``client`` is signed in."""
    session = client.post("sessions", json={}).raise_for_status().json()["session_id"]
    return FailoverTalker(client, session, number, pause)


@contextmanager
def talking(talkers: Sequence[FailoverTalker]) -> Iterator[None]:
    """They all talk meanwhile."""
    stopping = Event()
    with ThreadPoolExecutor(len(talkers)) as threads:
        talks = [threads.submit(talker.talk, stopping) for talker in talkers]
        try:
            yield
        finally:
            stopping.set()
        for talk in talks:
            talk.result()


def _crash(product: Product, talkers: Sequence[FailoverTalker]) -> tuple[float, float]:
    """When it crashed, and when the last of the conversations went on."""
    time.sleep(QUIET_SECONDS)
    crashed_at = time.monotonic()
    product.kill_database()
    return crashed_at, all_served_again(talkers, crashed_at)


def all_served_again(talkers: Sequence[FailoverTalker], moment: float) -> float:
    """When the last of them had an answer asked for after ``moment``. Raises ``TimeoutError`` where one never has."""
    while time.monotonic() < moment + PATIENCE_SECONDS:
        served = [talker.answered_since(moment) for talker in talkers]
        if None not in served:
            return max(answered for answered in served if answered is not None)
        time.sleep(PAUSE_SECONDS)
    raise TimeoutError("a conversation never went on")


def _seconds_until_learned(talker: FailoverTalker) -> float:
    """Seconds until something said now is remembered. Raises ``TimeoutError`` where it never is."""
    said_at = time.monotonic()
    message = {"content": "I follow BTC"}
    talker.client.post(f"sessions/{talker.session}/messages", json=message).raise_for_status()
    while time.monotonic() < said_at + PATIENCE_SECONDS:
        known = talker.client.get("memories").raise_for_status().json()["results"]
        if any("BTC" in memory["content"] for memory in known):
            return time.monotonic() - said_at
        time.sleep(PAUSE_SECONDS)
    raise TimeoutError("it was never learned")


def _age(turn: Turn, outages: Sequence[tuple[float, float]]) -> float:
    """How long before the next crash the turn was answered."""
    return min((began - turn.answered_at for began, _ in outages if began >= turn.answered_at), default=0.0)


def main() -> None:
    """Crash it, print the table, write the figures; exit 1 where a limit is missed or an answered turn is lost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--crashes", type=int, default=5)
    arguments = parser.parse_args()
    with running_product() as product:
        figures = measure(product, arguments.crashes)
    publish("failover", "PostgreSQL crashes while people talk", {"killed server": figures})
    in_time = figures["rto_seconds"] <= RTO_LIMIT_SECONDS and figures["rpo_seconds"] <= RPO_LIMIT_SECONDS
    if figures["lost"] or not in_time:
        raise SystemExit("An answered turn is lost, or nobody was answered for too long.")


if __name__ == "__main__":
    main()
