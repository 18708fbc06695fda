"""Stores a conversation in FinClaw, for frameworks that call it a history, a memory or a session."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Final, Literal, TypeAlias

from finclaw_client.models import AddedMessage
from finclaw_client.sync.client import FinClaw

Role: TypeAlias = Literal["user", "assistant"]
MOST_IN_ONE_REQUEST: Final = 100
PAGE_SIZE: Final = 200


@dataclass(frozen=True)
class ChatLine:
    """What the user or the assistant said."""

    role: Role
    text: str


class StoredConversation:
    """What the user and the assistant said to each other, in order.

    FinClaw learns from what is added, so adding without the consent to learning raises ``ConsentError``. Messages of a
    system or a tool are not stored, nor are messages without words; of the others, only role and text are. FinClaw
    masks what must not be stored, such as a card's number. ``session_id`` is the id of one of the user's conversations;
    without one, the first message begins a new conversation.
    """

    def __init__(self, client: FinClaw, session_id: str = "") -> None:
        self.client, self.session_id = client, session_id

    def messages(self) -> list[ChatLine]:
        """All of it, the earliest first."""
        if not self.session_id:
            return []
        rows = self.client.sessions.messages(self.session_id, page_size=PAGE_SIZE)
        return [ChatLine(row["role"], row["content"]) for row in rows]

    def add(self, lines: Iterable[ChatLine]) -> None:
        """Add these messages at its end."""
        worded = (line for line in lines if line.text.strip())
        while batch := list(islice(worded, MOST_IN_ONE_REQUEST)):
            if not self.session_id:
                self.session_id = self.client.sessions.create()["session_id"]
            messages: list[AddedMessage] = [{"role": line.role, "content": line.text} for line in batch]
            self.client.memories.add(messages=messages, session_id=self.session_id)

    def forget(self) -> None:
        """Forget it with what was learned from it, for good; the next message begins another one."""
        if self.session_id:
            self.client.sessions.delete(self.session_id)
        self.session_id = ""
