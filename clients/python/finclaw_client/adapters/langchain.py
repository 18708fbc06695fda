"""LangChain's chat history, kept in FinClaw: ``pip install 'finclaw-client[langchain]'``."""

from __future__ import annotations

from collections.abc import Sequence

from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from finclaw_client.adapters.kept_conversation import KeptConversation, Said
from finclaw_client.sync.client import FinClaw


class FinClawChatMessageHistory(BaseChatMessageHistory):
    """The history of one conversation (see ``KeptConversation`` for what is kept of it, and under which consent).

    Of a message its text is kept: not its id, its name, tool calls, images nor ``additional_kwargs``. ``clear`` forgets
    the conversation and what was learned from it, for good.
    """

    def __init__(self, client: FinClaw, session_id: str = "") -> None:
        super().__init__()
        self._kept = KeptConversation(client, session_id)

    @property
    def session_id(self) -> str:
        """The id of the conversation in FinClaw; empty until the first message."""
        return self._kept.session_id

    @property
    def messages(self) -> list[BaseMessage]:  # type: ignore[override]
        """What was said, the earliest first."""
        return [
            HumanMessage(said.text) if said.role == "user" else AIMessage(said.text) for said in self._kept.messages()
        ]

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Add what the user and the assistant said; other messages are left out."""
        self._kept.add(
            Said("user" if isinstance(message, HumanMessage) else "assistant", str(message.text))
            for message in messages
            if isinstance(message, HumanMessage | AIMessage)
        )

    def clear(self) -> None:
        """Forget the conversation."""
        self._kept.forget()
