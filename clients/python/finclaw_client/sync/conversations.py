# Made of finclaw_client/aio by `make client`.
"""Conversations and the turns in them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, Unpack

import httpx2

from finclaw_client import models
from finclaw_client.errors import UnreachableError
from finclaw_client.requests import path
from finclaw_client.sync.connection import Resource
from finclaw_client.sync.rows import Rows
from finclaw_client.turn_events import AnswerStored, TurnEvent, read_turn_event

EVENTS: Final = "text/event-stream"


class Sessions(Resource):
    """Conversations."""

    def create(self, **session: Unpack[models.SessionInput]) -> models.SessionOutput:
        """Open a conversation; with ``remember=False`` nothing is learned from it."""
        return self._send(models.SessionOutput, "POST", "sessions", session)

    def list(self, **query: Unpack[models.SessionListParametersQuery]) -> Rows[models.SessionOutput]:
        """The conversations, latest first."""
        return Rows(self._connection, "sessions", query)

    def get(self, session_id: str) -> models.SessionOutput:
        """One conversation."""
        return self._get(models.SessionOutput, path("sessions", session_id))

    def messages(
        self, session_id: str, **query: Unpack[models.MessageListParametersQuery]
    ) -> Rows[models.MessageOutput]:
        """Its messages, in order."""
        return Rows(self._connection, path("sessions", session_id, "messages"), query)

    def update(self, session_id: str, **change: Unpack[models.PatchedTitleInput]) -> models.SessionOutput:
        """Rename it."""
        return self._send(models.SessionOutput, "PATCH", path("sessions", session_id), change)

    def end(self, session_id: str, **end: Unpack[models.EndBody]) -> models.EndOutput:
        """End a turn that another model answered; with consent, FinClaw writes an event about it."""
        return self._send(models.EndOutput, "POST", path("sessions", session_id, "end"), end)

    def archive(self, session_id: str) -> models.SessionOutput:
        """Close it for new messages; with consent, what was said in it becomes events."""
        return self._send(models.SessionOutput, "POST", path("sessions", session_id, "archive"))

    def delete(self, session_id: str) -> models.DeletionReceiptOutput:
        """Forget the conversation and what was learned from it."""
        return self._send(models.DeletionReceiptOutput, "DELETE", path("sessions", session_id))


class Turns(Resource):
    """What the user says, and what FinClaw answers."""

    def send(self, session_id: str, content: str, *, key: str | None = None) -> models.TurnOutput:
        """Send a message and get the answer."""
        address = path("sessions", session_id, "messages")
        return self._send(models.TurnOutput, "POST", address, {"content": content}, key=key)

    @contextmanager
    def stream(self, session_id: str, content: str, *, key: str | None = None) -> Iterator[Iterator[TurnEvent]]:
        """Send a message and get the answer piece by piece. Leaving before ``AnswerStored`` takes the message back."""
        address, query = path("sessions", session_id, "messages"), {"stream": True}
        with self._connection.response(
            "POST", address, {"content": content}, query=query, key=key, media_type=EVENTS
        ) as response:
            yield _turn_events(httpx2.EventSource(response))


def _turn_events(source: httpx2.EventSource) -> Iterator[TurnEvent]:
    is_stored = False
    for sent in source:
        event = read_turn_event(sent.event, sent.json(), source.response.headers)
        is_stored = is_stored or isinstance(event, AnswerStored)
        if event is not None:
            yield event
    if not is_stored:
        raise UnreachableError("The answer broke off before it was stored; send the message again.")
