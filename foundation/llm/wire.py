"""The chat-completions protocol: what we write, and the little we read of what servers answer.

Servers that call themselves compatible leave fields out or null; whatever lacks a choice is no answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field

from foundation.llm.types import Prompt

_WIRE_PARTS: Final = frozenset({"image_url", "input_audio", "file"})


class _Wire(BaseModel):
    model_config = ConfigDict(from_attributes=True)


class TokenCounts(_Wire):
    """The server's own count, where it gives one."""

    prompt_tokens: int
    completion_tokens: int


class _Answer(_Wire):
    content: str | None = None


class _Choice(_Wire):
    message: _Answer


class Completion(_Wire):
    """A whole answer."""

    choices: list[_Choice] = Field(min_length=1)
    usage: TokenCounts | None = None

    @property
    def text(self) -> str:
        """The answer's text, "" when the server sent none."""
        return self.choices[0].message.content or ""


class _ChunkChoice(_Wire):
    delta: _Answer | None = None
    finish_reason: str | None = None


class Chunk(_Wire):
    """One event of a streamed answer; the last may hold no choice, only the usage."""

    choices: list[_ChunkChoice] = Field(default_factory=list)
    usage: TokenCounts | None = None

    @property
    def text(self) -> str:
        """What this event adds to the answer."""
        return "".join(choice.delta.content or "" for choice in self.choices[:1] if choice.delta)

    @property
    def is_final(self) -> bool:
        """Whether the answer ends here."""
        return any(choice.finish_reason for choice in self.choices)


def messages(prompt: Prompt, content_parts: Sequence[Mapping[str, Any]] | None) -> list[dict[str, Any]]:
    """The prompt as chat messages; ``content_parts`` follow the text of the user's last message."""
    earlier = [{"role": message.role, "content": message.content} for message in prompt.messages[:-1]]
    asked: dict[str, Any] = {"role": "user", "content": prompt.question}
    if content_parts:
        asked["content"] = [{"type": "text", "text": prompt.question}, *_wire_parts(content_parts)]
    return [*_system(prompt.system), *earlier, *_system(prompt.closing), asked]


def _system(text: str) -> list[dict[str, Any]]:
    return [{"role": "system", "content": text}] if text else []


def part_text(part: Mapping[str, Any]) -> str:
    """The text a content block stands for: its own, or the fallback of one that is no text (seed B §4)."""
    return str(part.get("text") or part.get("text_fallback") or "")


def _wire_parts(content_parts: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    for part in content_parts:
        if part.get("type") in _WIRE_PARTS:
            yield dict(part)
        elif text := part_text(part):
            yield {"type": "text", "text": text}
