"""The chat-completions protocol: the request we write, and the fields we read of a server's answer.

Servers that call themselves compatible omit fields or send null; a response without a choice is not an answer.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidatorFunctionWrapHandler, WrapValidator

from foundation.llm.types import Message, Prompt, ToolCall, ToolRound

_CUT: Final = frozenset({"length", "max_tokens"})
_WINDOWS: Final = (  # vLLM, OpenRouter, Groq, LM Studio, llama.cpp
    "max_model_len", "context_length", "context_window", "loaded_context_length", "n_ctx", "n_ctx_train"
)  # fmt: skip
_WIRE_PARTS: Final = frozenset({"image_url", "input_audio", "file"})


class _ServerMessage(BaseModel):
    model_config = ConfigDict(from_attributes=True)


class TokenCounts(_ServerMessage):
    """The server's own count, where it gives one.

    OpenAI, vLLM and Qwen give the cached tokens in ``prompt_tokens_details``, DeepSeek in a field beside it.
    """

    prompt_tokens: int
    completion_tokens: int
    prompt_tokens_details: Any = None
    prompt_cache_hit_tokens: Any = None

    @property
    def cached_tokens(self) -> int:
        """How many tokens of the prompt were cached, 0 where the server does not say; never more than it has."""
        details = self.prompt_tokens_details
        nested = details.get("cached_tokens") if isinstance(details, dict) else getattr(details, "cached_tokens", None)
        stated = next((count for count in (nested, self.prompt_cache_hit_tokens) if isinstance(count, int)), 0)
        return max(0, min(stated, self.prompt_tokens))


def _counts_or_none(value: Any, read: ValidatorFunctionWrapHandler) -> TokenCounts | None:
    """Return None for a count that cannot be read, instead of failing: the answer beside it is worth more."""
    try:
        counts: TokenCounts | None = read(value)
    except ValidationError:
        return None
    return counts


_Counts = Annotated[TokenCounts | None, WrapValidator(_counts_or_none)]


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


class _ChunkChoice(_ServerMessage):
    delta: _AssistantMessage | None = None
    finish_reason: str | None = None


class CompletionChunk(_ServerMessage):
    """One event of a streamed answer; the last may hold no choice, only the usage."""

    choices: list[_ChunkChoice] = Field(default_factory=list)
    usage: _Counts = None

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

    @property
    def is_cut(self) -> bool:
        """Whether the answer ends here because it may not be longer."""
        return any((choice.finish_reason or "").lower() in _CUT for choice in self.choices)


class _CompletionChoice(_ServerMessage):
    message: _AssistantMessage
    finish_reason: str | None = None


class Completion(_ServerMessage):
    """A whole answer, of a server that does not stream."""

    choices: list[_CompletionChoice] = Field(min_length=1)
    usage: _Counts = None

    def as_chunk(self) -> CompletionChunk:
        """The answer as a stream of one event."""
        choice = self.choices[0]
        whole = _ChunkChoice(delta=choice.message, finish_reason=choice.finish_reason or "stop")
        return CompletionChunk(choices=[whole], usage=self.usage)


def chat_messages(prompt: Prompt, content_parts: Sequence[Mapping[str, Any]] | None) -> list[dict[str, Any]]:
    """The prompt as chat messages, one system message at most, and that one first.

    ``content_parts`` follow the user's last message, tool rounds come last.
    """
    system = [{"role": "system", "content": prompt.system}] if prompt.system else []
    *before, last = prompt.turns
    earlier = [message for turn in before for message in _turn_messages(turn)]
    asked, *after = _turn_messages(last)
    if content_parts:
        asked["content"] = [{"type": "text", "text": asked["content"]}, *_wire_parts(content_parts)]
    looked_up = [message for tool_round in prompt.rounds for message in tool_round_messages(tool_round)]
    return [*system, *earlier, asked, *after, *looked_up]


def _turn_messages(turn: Message) -> list[dict[str, Any]]:
    """A turn as chat messages: what was said, then what was looked up."""
    looked_up = [message for tool_round in turn.rounds for message in tool_round_messages(tool_round)]
    return [{"role": turn.role, "content": turn.content}, *looked_up]


def tool_round_messages(tool_round: ToolRound) -> list[dict[str, Any]]:
    """One round of tool calls as chat messages: the calls, then each result under the id of its call."""
    answers = zip(tool_round.calls, tool_round.answers, strict=True)
    told = [{"role": "tool", "tool_call_id": call.id, "content": text} for call, text in answers]
    return [tool_calls_message(tool_round.text, tool_round.calls), *told]


def tool_calls_message(said: str, calls: Sequence[ToolCall]) -> dict[str, Any]:
    """The chat message of an assistant that calls tools."""
    return {"role": "assistant", "content": said or None, "tool_calls": list(map(tool_call_shape, calls))}


def tool_call_shape(call: ToolCall) -> dict[str, Any]:
    """A tool call as it stands in a message."""
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}


def part_text(part: Mapping[str, Any]) -> str:
    """The text a content block stands for: its own, or the fallback of an image, sound or file."""
    return str(part.get("text") or part.get("text_fallback") or "")


def _wire_parts(content_parts: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    for part in content_parts:
        if part.get("type") in _WIRE_PARTS:
            yield dict(part)
        elif text := part_text(part):
            yield {"type": "text", "text": text}


def stated_window(listed: Any, model_id: str) -> int | None:
    """The context window of a model in a server's list of models: each server has a name of its own for it."""
    models = listed.get("data") if isinstance(listed, dict) else None
    for model in models if isinstance(models, list) else ():
        if isinstance(model, dict) and model.get("id") == model_id:
            meta = model.get("meta")
            stated = [model.get(name) for name in _WINDOWS]
            stated += [meta.get(name) for name in _WINDOWS] if isinstance(meta, dict) else []
            return next((tokens for tokens in stated if isinstance(tokens, int)), None)
    return None
