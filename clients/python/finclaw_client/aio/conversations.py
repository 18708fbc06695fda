"""Conversations and the turns in them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final, Unpack

import httpx2

from finclaw_client import models
from finclaw_client.aio.connection import AsyncResource
from finclaw_client.aio.rows import AsyncRows
from finclaw_client.errors import UnreachableError
from finclaw_client.requests import path
from finclaw_client.turn_events import AnswerStored, TurnEvent, read_turn_event

EVENTS: Final = "text/event-stream"


class AsyncSessions(AsyncResource):
    """Conversations."""

    async def create(self, **session: Unpack[models.SessionInput]) -> models.SessionOutput:
        """Open a conversation; with ``remember=False`` nothing is learned from it."""
        return await self._send(models.SessionOutput, "POST", "sessions", session)

    def list(self, **query: Unpack[models.SessionListParametersQuery]) -> AsyncRows[models.SessionOutput]:
        """The conversations, latest first."""
        return AsyncRows(self._connection, "sessions", query)

    async def get(self, session_id: str) -> models.SessionOutput:
        """One conversation."""
        return await self._get(models.SessionOutput, path("sessions", session_id))

    def messages(
        self, session_id: str, **query: Unpack[models.MessageListParametersQuery]
    ) -> AsyncRows[models.MessageOutput]:
        """Its messages, in order."""
        return AsyncRows(self._connection, path("sessions", session_id, "messages"), query)

    async def update(self, session_id: str, **change: Unpack[models.PatchedTitleInput]) -> models.SessionOutput:
        """Rename it."""
        return await self._send(models.SessionOutput, "PATCH", path("sessions", session_id), change)

    async def end(self, session_id: str, **end: Unpack[models.EndBody]) -> models.EndOutput:
        """End a turn that another model answered; with consent, FinClaw writes an event about it."""
        return await self._send(models.EndOutput, "POST", path("sessions", session_id, "end"), end)

    async def archive(self, session_id: str) -> models.SessionOutput:
        """Close it for new messages; with consent, what was said in it becomes events."""
        return await self._send(models.SessionOutput, "POST", path("sessions", session_id, "archive"))

    async def delete(self, session_id: str) -> models.DeletionReceiptOutput:
        """Forget the conversation and what was learned from it."""
        return await self._send(models.DeletionReceiptOutput, "DELETE", path("sessions", session_id))


class AsyncTurns(AsyncResource):
    """What the user says, and what FinClaw answers."""

    async def send(self, session_id: str, content: str, *, key: str | None = None) -> models.TurnOutput:
        """Send a message and get the answer."""
        address = path("sessions", session_id, "messages")
        return await self._send(models.TurnOutput, "POST", address, {"content": content}, key=key)

    @asynccontextmanager
    async def stream(
        self, session_id: str, content: str, *, key: str | None = None
    ) -> AsyncIterator[AsyncIterator[TurnEvent]]:
        """Send a message and get the answer piece by piece. Leaving before ``AnswerStored`` takes the message back."""
        address, query = path("sessions", session_id, "messages"), {"stream": True}
        async with self._connection.response(
            "POST", address, {"content": content}, query=query, key=key, media_type=EVENTS
        ) as response:
            yield _turn_events(httpx2.EventSource(response))


async def _turn_events(source: httpx2.EventSource) -> AsyncIterator[TurnEvent]:
    is_stored = False
    async for sent in source:
        event = read_turn_event(sent.event, sent.json(), source.response.headers)
        is_stored = is_stored or isinstance(event, AnswerStored)
        if event is not None:
            yield event
    if not is_stored:
        raise UnreachableError("The answer broke off before it was stored; send the message again.")
