"""What else people do while the talkers talk: search, bring in exports of other assistants, export, and forget."""

from __future__ import annotations

import asyncio
import time
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from bench.chat_exports import write
from bench.load.figures import FigureTable, percentile
from bench.load.http_client import Answer, BrokenConnection, HttpClient
from bench.load.talkers import gather_errors

PAUSE_SECONDS: Final = {"search": 0.5, "import": 20.0, "export": 20.0, "erasure": 10.0}
IMPORTED_CONVERSATIONS, IMPORTED_MESSAGES = 20, 400
_POLL_SECONDS: Final = 0.5
_OVER: Final = {"done", "refused", "failed", "ready", "completed", "escalated", "expired"}


class UnexpectedAnswer(RuntimeError):
    """An answer with another status than expected."""


class OtherWork:
    """People each of whom does one kind of work again and again. ``tokens`` hold one for each kind, or nobody works."""

    def __init__(self, port: int, tokens: Sequence[str]) -> None:
        works = {"search": self._search, "import": self._import, "export": self._export, "erasure": self._erase}
        self._works = [
            (name, work, HttpClient(port, token)) for (name, work), token in zip(works.items(), tokens, strict=False)
        ]
        self._seconds: dict[str, list[float]] = defaultdict(list)
        self._errors: dict[str, Counter[str]] = defaultdict(Counter)
        self._number = 0

    async def work(self) -> None:
        """Until cancelled."""
        try:
            await gather_errors(*(self._repeat(*each) for each in self._works))
        finally:
            for _, _, client in self._works:
                client.close()

    def figures(self) -> FigureTable:
        """A row a kind: how often, how long it took until it was over, and its errors."""
        return {
            name: {
                "done": len(self._seconds[name]),
                **{f"p{rank} s": round(percentile(self._seconds[name], rank), 3) for rank in (50, 95)},
                "errors": self._errors[name].total(),
                **self._errors[name],
            }
            for name, _, _ in self._works
        }

    async def _repeat(self, name: str, work: Callable[[HttpClient], Awaitable[None]], client: HttpClient) -> None:
        while True:
            began = time.monotonic()
            try:
                await work(client)
            except UnexpectedAnswer as error:
                self._errors[name][str(error)] += 1
            except (BrokenConnection, OSError) as error:
                self._errors[name][type(error).__name__] += 1
            else:
                self._seconds[name].append(time.monotonic() - began)
            await asyncio.sleep(PAUSE_SECONDS[name])

    async def _search(self, client: HttpClient) -> None:
        self._number += 1
        body = {"query": f"What do I follow and where do I live, case {self._number}?"}
        _expect(await client.request("POST", "/api/memories/search", body), 200)

    async def _import(self, client: HttpClient) -> None:
        self._number += 1
        with TemporaryDirectory() as folder:
            file = Path(folder, "conversations.json")
            write(file, IMPORTED_CONVERSATIONS, IMPORTED_MESSAGES, "chatgpt", seed=self._number)
            data = file.read_bytes()
        started = _expect(await client.request("POST", "/api/imports", data), 202)
        await _until_over(client, f"/api/imports/{started.json()['import_id']}")

    async def _export(self, client: HttpClient) -> None:
        started = _expect(await client.request("POST", "/api/users/me/export", {}), 202)
        await _until_over(client, f"/api/exports/{started.json()['export_id']}")

    async def _erase(self, client: HttpClient) -> None:
        """Say something in a new conversation, and forget it."""
        session = _expect(await client.request("POST", "/api/sessions", {}), 201).json()["session_id"]
        said = {"content": "I follow the coin that nobody should know of."}
        _expect(await client.request("POST", f"/api/sessions/{session}/messages", said), 200)
        forgotten = _expect(await client.request("DELETE", f"/api/sessions/{session}"), 202)
        await _until_over(client, f"/api/erasures/{forgotten.json()['tombstone_id']}")


def _expect(answer: Answer, status: int) -> Answer:
    if answer.status != status:
        raise UnexpectedAnswer(f"{answer.status} {answer.json().get('code', '')}")
    return answer


async def _until_over(client: HttpClient, path: str) -> None:
    while _expect(await client.request("GET", path), 200).json()["state"] not in _OVER:
        await asyncio.sleep(_POLL_SECONDS)
