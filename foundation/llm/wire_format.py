"""The chat-completions protocol: the request we write, and the fields we read of a server's answer.

Servers that call themselves compatible leave fields out or null; whatever lacks a choice is no answer.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field

from foundation.llm.types import Prompt, ToolRound

_WIRE_PARTS: Final = frozenset({"image_url", "input_audio", "file"})


class _ServerMessage(BaseModel):
    model_config = ConfigDict(from_attributes=True)


class TokenCounts(_ServerMessage):
    """The server's own count, where it gives one."""

    prompt_tokens: int
    completion_tokens: int


class _CalledFunction(_ServerMessage):
    name: str | None = None
    arguments: str | dict[str, Any] | None = None


class CallPiece(_ServerMessage):
    """A tool call, or the part of it that one event of a stream carries."""

    index: int | None = None
    id: str | None = None
    function: _CalledFunction | None = None

    @property
    def name(self) -> str:
        """The tool's name, "" in the pieces after the first."""
        return (self.function and self.function.name) or ""

    @property
    def arguments(self) -> str:
        """JSON, or a part of it. Some servers send the object itself."""
        given = self.function.arguments if self.function else None
        return json.dumps(given) if isinstance(given, dict) else given or ""


class _AssistantMessage(_ServerMessage):
    content: str | None = None
    tool_calls: list[CallPiece] | None = None


class _CompletionChoice(_ServerMessage):
    message: _AssistantMessage


class Completion(_ServerMessage):
    """A whole answer."""

    choices: list[_CompletionChoice] = Field(min_length=1)
    usage: TokenCounts | None = None

    @property
    def text(self) -> str:
        """The answer's text, "" when the server sent none."""
        return self.choices[0].message.content or ""

    @property
    def call_pieces(self) -> list[CallPiece]:
        """The tool calls asked for."""
        return self.choices[0].message.tool_calls or []


class _ChunkChoice(_ServerMessage):
    delta: _AssistantMessage | None = None
    finish_reason: str | None = None


class CompletionChunk(_ServerMessage):
    """One event of a streamed answer; the last may hold no choice, only the usage."""

    choices: list[_ChunkChoice] = Field(default_factory=list)
    usage: TokenCounts | None = None

    @property
    def text(self) -> str:
        """What this event adds to the answer."""
        return "".join(choice.delta.content or "" for choice in self.choices[:1] if choice.delta)

    @property
    def call_pieces(self) -> list[CallPiece]:
        """What this event adds to the tool calls asked for."""
        return [piece for choice in self.choices[:1] if choice.delta for piece in choice.delta.tool_calls or []]

    @property
    def is_final(self) -> bool:
        """Whether the answer ends here."""
        return any(choice.finish_reason for choice in self.choices)


def chat_messages(prompt: Prompt, content_parts: Sequence[Mapping[str, Any]] | None) -> list[dict[str, Any]]:
    """The prompt as chat messages; ``content_parts`` follow the user's last message, tool rounds come last."""
    earlier = [{"role": message.role, "content": message.content} for message in prompt.messages[:-1]]
    asked: dict[str, Any] = {"role": "user", "content": prompt.question}
    if content_parts:
        asked["content"] = [{"type": "text", "text": prompt.question}, *_wire_parts(content_parts)]
    looked_up = [message for tool_round in prompt.rounds for message in _tool_round_messages(tool_round)]
    return [*_system_message(prompt.system), *earlier, *_system_message(prompt.closing), asked, *looked_up]


def _tool_round_messages(tool_round: ToolRound) -> list[dict[str, Any]]:
    """One round of tool calls as chat messages: the calls, then each result under the id of its call."""
    calls = [
        {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
        for call in tool_round.calls
    ]
    asked = {"role": "assistant", "content": tool_round.said or None, "tool_calls": calls}
    answers = zip(tool_round.calls, tool_round.answers, strict=True)
    return [asked, *({"role": "tool", "tool_call_id": call.id, "content": text} for call, text in answers)]


def _system_message(text: str) -> list[dict[str, Any]]:
    return [{"role": "system", "content": text}] if text else []


def part_text(part: Mapping[str, Any]) -> str:
    """The text a content block stands for: its own, or the fallback of an image, sound or file."""
    return str(part.get("text") or part.get("text_fallback") or "")


def _wire_parts(content_parts: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    for part in content_parts:
        if part.get("type") in _WIRE_PARTS:
            yield dict(part)
        elif text := part_text(part):
            yield {"type": "text", "text": text}
