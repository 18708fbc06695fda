"""People who talk to the product, each in conversations of their own, and what became of each turn."""

from __future__ import annotations

import asyncio
import random
import re
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from bench.load.http_client import REQUEST_SECONDS, BrokenConnection, Head, HttpClient

MESSAGES: Final = Path(__file__).with_name("messages.tsv")
SHARES: Final[Mapping[str, float]] = {"greeting": 0.15, "question": 0.45, "own": 0.2, "statement": 0.2}
"""How often each kind of message is said."""
MESSAGES_A_SESSION: Final = 20
_CODE: Final = re.compile(rb'"code": ?"(\w+)"')
BROKEN: Final = "broken connection"


@dataclass(frozen=True)
class LoadMessage:
    """Something to say."""

    kind: str
    text: str


@dataclass
class TimedTurn:
    """What became of a message: seconds from sending it to the answer's first and last word, and the error's code, ""
    where it was answered. ``began`` is ``time.monotonic``'s.
    """

    kind: str
    began: float
    first_word: float | None = None
    last_word: float | None = None
    error: str = ""
    refusal: str = ""  # the status and the wait that a refusal tells

    def note_event(self, frame: bytes) -> None:
        """Take note of an event of the stream."""
        since = time.monotonic() - self.began
        name = frame[7 : frame.find(b"\n")] if frame.startswith(b"event: ") else b""
        if name in {b"delta", b"done"} and self.first_word is None:
            self.first_word = since
        if name == b"done":
            self.last_word = since
        elif name == b"error":
            self.error = "stream: " + _code_in(frame)


def read_messages() -> dict[str, list[str]]:
    """The texts of ``messages.tsv`` by their kind."""
    texts: dict[str, list[str]] = {}
    for line in MESSAGES.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            kind, text = line.split("\t")
            texts.setdefault(kind, []).append(text)
    return texts


def messages(seed: int, kinds: Sequence[str] = ()) -> AsyncIterator[LoadMessage]:
    """Messages without end, of these kinds alternately or of all by their shares; the same seed says the same."""
    chance, texts = random.Random(seed), read_messages()

    async def say() -> AsyncIterator[LoadMessage]:
        number = 0
        while True:
            number += 1
            kind = kinds[number % len(kinds)] if kinds else chance.choices(list(SHARES), list(SHARES.values()))[0]
            yield LoadMessage(kind, chance.choice(texts[kind]).replace("{n}", str(seed * 1_000 + number)))

    return say()


@dataclass
class Talker:
    """One person with a token, who says one thing after another."""

    client: HttpClient
    said: AsyncIterator[LoadMessage]
    streams: bool = True
    turns: list[TimedTurn] = field(default_factory=list)
    is_leaving: bool = False  # after the turn that is under way
    _session: str = ""
    _in_session: int = 0

    async def open_session(self) -> None:
        """Begin a conversation. Raises as ``HttpClient.request``, and ``RuntimeError`` where it is refused."""
        answer = await self.client.request("POST", "/api/sessions", {})
        if answer.status != 201:
            raise RuntimeError(f"no conversation: {answer.status} {answer.body[:200]!r}")
        self._session, self._in_session = answer.json()["session_id"], 0

    async def talk(self, until: float, think_seconds: float, most_turns: int = 0) -> None:
        """Turns with pauses for thought until a time of ``time.monotonic``, or so many."""
        while not self.is_leaving and time.monotonic() < until and not (most_turns and len(self.turns) >= most_turns):
            turn = await self.turn()
            pause = think_seconds - (time.monotonic() - turn.began) if think_seconds else 0.0
            await asyncio.sleep(min(max(pause, 1.0 if turn.error else 0.0), max(0.0, until - time.monotonic())))

    async def turn(self) -> TimedTurn:
        """Say the next thing; the turn is recorded whatever comes of it."""
        message = await anext(self.said)
        turn = TimedTurn(message.kind, time.monotonic())
        self.turns.append(turn)
        try:
            if not self._session or self._in_session >= MESSAGES_A_SESSION:
                await self.open_session()
                turn.began = time.monotonic()
            self._in_session += 1
            async with asyncio.timeout(REQUEST_SECONDS):
                await self._say(message, turn)
        except BrokenConnection as error:
            turn.error = f"{BROKEN} {error}"
        except (OSError, RuntimeError) as error:
            turn.error = type(error).__name__
        return turn

    async def _say(self, message: LoadMessage, turn: TimedTurn) -> None:
        path = f"/api/sessions/{self._session}/messages"
        if not self.streams:
            answer = await self.client.request("POST", path, {"content": message.text})
            if answer.status == 200:
                turn.first_word = turn.last_word = time.monotonic() - turn.began
            else:
                _note_refusal(turn, Head(answer.status, dict(answer.headers)), answer.body)
            return
        head, pieces = await self.client.stream(f"{path}?stream=true", {"content": message.text})
        async with aclosing(pieces):
            if head.status == 200:
                await _listen(pieces, turn)
            else:
                _note_refusal(turn, head, b"".join([piece async for piece in pieces]))


async def _listen(pieces: AsyncIterator[bytes], turn: TimedTurn) -> None:
    rest = b""
    async for piece in pieces:
        *frames, rest = (rest + piece).split(b"\n\n")
        for frame in frames:
            turn.note_event(frame)
    if turn.last_word is None and not turn.error:
        turn.error = f"{BROKEN} without its end"


def _note_refusal(turn: TimedTurn, head: Head, body: bytes) -> None:
    turn.error = f"{head.status} {_code_in(body)}"
    turn.refusal = head.headers.get("retry-after", "")


def _code_in(body: bytes) -> str:
    found = _CODE.search(body)
    return found[1].decode() if found else "without a code"


async def gather_errors(*running: Any) -> None:
    """Await all of them; the first failure is raised once all have ended."""
    ended = await asyncio.gather(*running, return_exceptions=True)
    for each in ended:
        if isinstance(each, BaseException):
            raise each
