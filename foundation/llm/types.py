"""What goes to a language model and what comes back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from foundation.text import estimate_tokens

ModelRole = Literal["large", "small"]
THE_USER = "user"
"""How a prompt names the person it answers, among those it quotes."""


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: Literal["user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """The system prompt and the turns after it, oldest first; the last one is the user's.

    ``closing`` is system text that stands right before that last message.
    Raises ``ValueError`` when the last message is not the user's.
    """

    system: str
    messages: tuple[Message, ...]
    closing: str = ""

    def __post_init__(self) -> None:
        if not self.messages or self.messages[-1].role != "user":
            raise ValueError("a prompt ends with the user's message")

    @property
    def question(self) -> str:
        """The user's latest message."""
        return self.messages[-1].content


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call: as the server counted them, else estimated."""

    prompt_tokens: int
    completion_tokens: int

    @classmethod
    def estimated(cls, prompt: Prompt, answer: str) -> Usage:
        """The usage of a call whose server did not count, erring upwards."""
        asked = [prompt.system, prompt.closing, *(message.content for message in prompt.messages)]
        return cls(sum(map(estimate_tokens, asked)), estimate_tokens(answer))


@dataclass(frozen=True, slots=True)
class Reply:
    """A whole answer. ``degraded`` holds codes of the HTTP contract's ``degraded`` list."""

    text: str
    model_id: str
    usage: Usage
    degraded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CallLimits:
    """What one call may cost, in seconds, attempts and tokens.

    ``timeout_seconds`` bounds the whole call, retries and waiting between them included;
    ``first_token_timeout_seconds`` bounds every silence of a stream, the one before its first token included.
    """

    timeout_seconds: float
    first_token_timeout_seconds: float
    max_retries: int
    max_output_tokens: int
    first_backoff_seconds: float = 0.5
