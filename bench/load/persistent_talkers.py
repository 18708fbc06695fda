"""People who send a message again until it is answered, under the key that makes it one message."""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import uuid4

from bench.load.http_client import Answer, HttpClient

PAUSE_SECONDS: Final = 0.2
AGAIN_SECONDS: Final = 0.3
PATIENCE_SECONDS: Final = 120.0
_CONSONANTS: Final = "bdfgklmnprstvz"
_VOWELS: Final = "aeiou"


@dataclass
class PersistentTalker:
    """Somebody in one conversation, whose messages each have an ``Idempotency-Key``."""

    client: HttpClient
    number: int
    answered: dict[str, float] = field(default_factory=dict)  # when the request was sent that was answered
    sent_again: int = 0
    is_leaving: bool = False
    session: str = ""
    taught: list[str] = field(default_factory=list)
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    async def open_session(self) -> None:
        """Begin the conversation. Raises ``KeyError`` where it is refused."""
        self.session = (await self.client.request("POST", "/api/sessions", {})).json()["session_id"]

    async def talk(self) -> None:
        """One message after another until told to leave."""
        said = 0
        while not self.is_leaving:
            said += 1
            await self._say(f"I met guest {said} at table {self.number}.")
            await asyncio.sleep(PAUSE_SECONDS)

    async def answered_since(self, moment: float) -> None:
        """Wait until something is answered that was sent, perhaps again, after a time of ``time.monotonic``."""
        while max(self.answered.values(), default=0.0) < moment:
            self._news.clear()
            await self._news.wait()

    async def learns_again(self, moment: float) -> float:
        """When something told after a moment is remembered. Raises ``TimeoutError`` where it never is."""
        told = _made_up_name(int(moment * 1000))
        self.taught.append(told)
        said, key = {"content": f"I live in {told}."}, {"Idempotency-Key": str(uuid4())}
        async with HttpClient(self.client.port, self.client.token) as client, asyncio.timeout(PATIENCE_SECONDS):
            opened = await _insist(client, "POST", "/api/sessions", {})
            await _insist(client, "POST", f"/api/sessions/{opened.json()['session_id']}/messages", said, headers=key)
            while told not in (await _insist(client, "GET", "/api/memories")).body.decode():
                await asyncio.sleep(AGAIN_SECONDS)
        return time.monotonic()

    async def _say(self, text: str) -> None:
        key = str(uuid4())
        address = f"/api/sessions/{self.session}/messages"
        while True:
            sent = time.monotonic()
            try:
                answer = await self.client.request("POST", address, {"content": text}, headers={"Idempotency-Key": key})
            except OSError:
                status = 0
            else:
                status = answer.status
            if status == 200:
                self.answered[text] = sent
                self._news.set()
                return
            self.sent_again += 1
            await asyncio.sleep(AGAIN_SECONDS)


def _made_up_name(number: int) -> str:
    """Of a number the name of a town, in four syllables, as people say it: codes of digits are learned with doubt."""
    letters = ""
    for choices in (_CONSONANTS, _VOWELS) * 4:
        number, place = divmod(number, len(choices))
        letters += choices[place]
    return letters.capitalize()


async def _insist(client: HttpClient, *request: Any, **options: Any) -> Answer:
    """Ask until the answer is that it was done."""
    while True:
        with suppress(OSError):
            answer = await client.request(*request, **options)
            if 200 <= answer.status < 300:
                return answer
        await asyncio.sleep(AGAIN_SECONDS)


async def doubled_and_lost(talker: PersistentTalker) -> tuple[int, int]:
    """How many answered messages stand more than once, or without exactly one answer; how many do not stand there."""
    said: Counter[str] = Counter()
    answers: Counter[str] = Counter()
    last = ""
    async for message in _pages(talker.client, f"/api/sessions/{talker.session}/messages?page_size=100"):
        if message["role"] == "user":
            last = message["content"]
            said[last] += 1
        else:
            answers[last] += 1
    doubled = sum(said[text] > 1 or answers[text] > 1 for text in talker.answered)
    return doubled, sum(not (said[text] and answers[text]) for text in talker.answered)


async def learned_twice_or_never(talker: PersistentTalker) -> tuple[int, int]:
    """How many of the things taught are remembered more than once; how many are not."""
    times: Counter[str] = Counter()
    async for item in _pages(talker.client, "/api/memories?page_size=100"):
        times.update(told for told in talker.taught if told in json.dumps(item))
    return sum(times[told] > 1 for told in talker.taught), sum(not times[told] for told in talker.taught)


async def _pages(client: HttpClient, address: str) -> AsyncIterator[dict[str, Any]]:
    while address:
        page = (await client.request("GET", address)).json()
        for row in page["results"]:
            yield row
        following = page["next"] or ""
        address = following[following.find("/api/") :] if following else ""
