"""LlamaIndex's memory of a chat, kept in FinClaw: ``pip install 'finclaw-client[llama-index]'``."""

from __future__ import annotations

from typing import Any, Self

from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.bridge.pydantic import Field, PrivateAttr
from llama_index.core.memory import BaseMemory

from finclaw_client.adapters.stored_conversation import ChatLine, Role, StoredConversation
from finclaw_client.sync.client import FinClaw


class FinClawMemory(BaseMemory):
    """The memory of one chat (see ``StoredConversation`` for what is kept of it, and under which consent).

    With ``context_tokens``, ``get(input)`` begins with what FinClaw remembers that bears on the input, as a system
    message of at most so many tokens. Of a message its text is kept: not its other blocks nor ``additional_kwargs``.
    ``reset`` and ``set`` forget the conversation and what was learned from it, for good.
    """

    context_tokens: int = Field(default=0, description="How long what is remembered may be; 0 leaves it out.")
    _conversation: StoredConversation = PrivateAttr()

    @classmethod
    def class_name(cls) -> str:
        """The name of the class in serialized form."""
        return "FinClawMemory"

    @classmethod
    def from_defaults(
        cls, client: FinClaw | None = None, session_id: str = "", context_tokens: int = 0, **options: Any
    ) -> Self:
        """The memory of a conversation of the user's, or of one that its first message begins."""
        memory = cls(context_tokens=context_tokens)
        memory._conversation = StoredConversation(client or FinClaw(), session_id)
        return memory

    @property
    def session_id(self) -> str:
        """The id of the conversation in FinClaw; empty until the first message."""
        return self._conversation.session_id

    def get(self, input: str | None = None, **options: Any) -> list[ChatMessage]:
        """What was said and, where ``context_tokens`` allow, what is remembered before it."""
        if not input or not self.context_tokens:
            return self.get_all()
        known = self._conversation.client.context(query=input, tokens=self.context_tokens)["text"]
        before = [ChatMessage(role=MessageRole.SYSTEM, content=known)] if known else []
        return before + self.get_all()

    def get_all(self) -> list[ChatMessage]:
        """What was said, the earliest first."""
        return [ChatMessage(role=line.role, content=line.text) for line in self._conversation.messages()]

    def put(self, message: ChatMessage) -> None:
        """Add what the user or the assistant said; other messages are left out."""
        self.put_messages([message])

    def put_messages(self, messages: list[ChatMessage]) -> None:
        """Add several messages."""
        roles: dict[MessageRole, Role] = {MessageRole.USER: "user", MessageRole.ASSISTANT: "assistant"}
        self._conversation.add(
            ChatLine(roles[message.role], message.content or "") for message in messages if message.role in roles
        )

    def set(self, messages: list[ChatMessage]) -> None:
        """Forget the conversation, and begin another one with these messages."""
        self.reset()
        self.put_messages(messages)

    def reset(self) -> None:
        """Forget the conversation."""
        self._conversation.forget()
