"""LangChain's chat history, kept in FinClaw: ``pip install 'finclaw-client[langchain]'``."""

from __future__ import annotations

from collections.abc import Sequence

from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from finclaw_client.adapters.stored_conversation import ChatLine, StoredConversation
from finclaw_client.sync.client import FinClaw


class FinClawChatMessageHistory(BaseChatMessageHistory):
    """The history of one conversation (see ``StoredConversation`` for what is kept of it, and under which consent).

    Of a message its text is kept: not its id, its name, tool calls, images nor ``additional_kwargs``. ``clear`` forgets
    the conversation and what was learned from it, for good.
    """

    def __init__(self, client: FinClaw, session_id: str = "") -> None:
        super().__init__()
        self._conversation = StoredConversation(client, session_id)

    @property
    def session_id(self) -> str:
        """The id of the conversation in FinClaw; empty until the first message."""
        return self._conversation.session_id

    @property
    def messages(self) -> list[BaseMessage]:  # type: ignore[override]
        """What was said, the earliest first."""
        return [
            HumanMessage(line.text) if line.role == "user" else AIMessage(line.text)
            for line in self._conversation.messages()
        ]

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Add what the user and the assistant said; other messages are left out."""
        self._conversation.add(
            ChatLine("user" if isinstance(message, HumanMessage) else "assistant", str(message.text))
            for message in messages
            if isinstance(message, HumanMessage | AIMessage)
        )

    def clear(self) -> None:
        """Forget the conversation."""
        self._conversation.forget()
