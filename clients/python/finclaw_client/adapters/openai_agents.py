"""The session of OpenAI's Agents SDK, kept in FinClaw: ``pip install 'finclaw-client[openai-agents]'``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from agents import TResponseInputItem
from agents.memory import SessionSettings
from anyio.to_thread import run_sync

from finclaw_client.adapters.stored_conversation import ChatLine, Role, StoredConversation
from finclaw_client.sync.client import FinClaw

ROLES = frozenset({"user", "assistant"})


class FinClawSession:
    """The session of one conversation (see ``StoredConversation`` for what is kept of it, and under which consent).

    Of an item its role and text are kept: calls of tools and what they answered, reasoning, images and files are not.
    ``pop_item`` is refused, since FinClaw forgets a conversation as a whole, or what was learned, but no single
    message. ``clear_session`` forgets the conversation and what was learned from it, for good.
    """

    def __init__(self, client: FinClaw, session_id: str = "", session_settings: SessionSettings | None = None) -> None:
        self._conversation = StoredConversation(client, session_id)
        self.session_settings = session_settings

    @property
    def session_id(self) -> str:
        """The id of the conversation in FinClaw; empty until the first message."""
        return self._conversation.session_id

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """What was said, the earliest first; with ``limit`` the latest so many."""
        most = limit if limit is not None or self.session_settings is None else self.session_settings.limit
        lines = await run_sync(self._conversation.messages)
        latest = lines if most is None else lines[max(0, len(lines) - most) :]
        return [cast(TResponseInputItem, {"role": line.role, "content": line.text}) for line in latest]

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Add what the user and the assistant said; other items are left out."""
        await run_sync(self._conversation.add, list(_chat_lines(items)))

    async def pop_item(self) -> TResponseInputItem | None:
        """Refused."""
        raise NotImplementedError("FinClaw forgets no single message; clear_session forgets the conversation.")

    async def clear_session(self) -> None:
        """Forget the conversation."""
        await run_sync(self._conversation.forget)


def _chat_lines(items: list[TResponseInputItem]) -> Iterator[ChatLine]:
    for item in items:
        fields = cast(Mapping[str, Any], item)
        if fields.get("role") in ROLES:
            yield ChatLine(cast(Role, fields["role"]), _text_of(fields["content"]))


def _text_of(content: str | list[Mapping[str, Any]]) -> str:
    """The text of an item, whose content is a text or parts."""
    return content if isinstance(content, str) else "\n".join(part["text"] for part in content if part.get("text"))
