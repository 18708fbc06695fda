"""Any server that speaks the chat-completions protocol, through the official client."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from itertools import chain
from typing import Any
from urllib.parse import urlsplit

import openai
from openai.types.chat import ChatCompletionChunk

from foundation.llm import structured_answers, wire_format
from foundation.llm.call_limits import Deadline, with_retries
from foundation.llm.failures import translated_failures, unavailable
from foundation.llm.tool_calls import ToolCallAssembler, tool_request_fields
from foundation.llm.types import NO_TOOLS, CallLimits, Prompt, Reply, TokenUsage, ToolCall, ToolOffer

_Stream = openai.Stream[ChatCompletionChunk]


class OpenAICompatibleModel:
    """A model behind ``base_url``. Safe to share between threads."""

    is_offline = False

    def __init__(self, *, base_url: str, api_key: str, limits: CallLimits) -> None:
        self._limits = limits
        # OpenAI's newer models refuse `max_tokens`; other servers often know nothing else.
        self._limit_field = "max_completion_tokens" if urlsplit(base_url).hostname == "api.openai.com" else "max_tokens"
        # The client's own retries know no deadline. It insists on a key; local servers have none.
        self._client = openai.OpenAI(base_url=base_url, api_key=api_key or "none", max_retries=0)
        self._completions = self._client.chat.completions  # imports much, which no turn should wait for

    def call(
        self,
        prompt: Prompt,
        model_id: str,
        content_parts: Sequence[Mapping[str, Any]] | None = None,
        *,
        schema: Mapping[str, Any] | None = None,
        max_tokens: int | None = None,
        tools: ToolOffer = NO_TOOLS,
    ) -> Reply:
        """As ``LanguageModel.call``. Failures that may pass are retried within the time of one call."""
        request = self._request(prompt, model_id, content_parts, max_tokens) | tool_request_fields(tools)
        if schema is not None:
            request["response_format"] = structured_answers.response_format(schema)
        deadline = Deadline(self._limits.timeout_seconds)
        completion = with_retries(lambda: self._complete(request, deadline), self._limits)
        text = completion.text if schema is None else structured_answers.structured_text(completion.text, schema)
        calls = _calls(completion.call_pieces, request)
        return Reply(text, model_id, _usage(completion.usage, prompt, completion.text), tool_calls=calls)

    def stream(
        self,
        prompt: Prompt,
        model_id: str,
        content_parts: Sequence[Mapping[str, Any]] | None = None,
        *,
        max_tokens: int | None = None,
        tools: ToolOffer = NO_TOOLS,
    ) -> Generator[str, None, Reply]:
        """As ``LanguageModel.stream``. Only a stream that has not begun is retried."""
        request = self._request(prompt, model_id, content_parts, max_tokens) | tool_request_fields(tools)
        deadline = Deadline(self._limits.timeout_seconds)
        stream, first = with_retries(lambda: self._begin(request, deadline), self._limits)
        pieces: list[str] = []
        asked_for: list[wire_format.CallPiece] = []
        counts: wire_format.TokenCounts | None = None
        ended = False
        with translated_failures(), stream:
            for event in chain([first], stream):
                chunk = wire_format.CompletionChunk.model_validate(event)
                counts, ended = chunk.usage or counts, ended or chunk.is_final
                asked_for += chunk.call_pieces
                if chunk.text:
                    pieces.append(chunk.text)
                    yield chunk.text
        text, calls = "".join(pieces), _calls(asked_for, request)
        if not ended or not (text.strip() or calls):
            # A connection closed half-way looks like an end to the client: only a finish reason is one.
            raise unavailable("unusable_answer")
        return Reply(text, model_id, _usage(counts, prompt, text), tool_calls=calls)

    def _request(
        self,
        prompt: Prompt,
        model_id: str,
        content_parts: Sequence[Mapping[str, Any]] | None,
        max_tokens: int | None,
    ) -> dict[str, Any]:
        most = self._limits.max_output_tokens
        return {
            "model": model_id,
            "messages": wire_format.chat_messages(prompt, content_parts),
            self._limit_field: most if max_tokens is None else min(max_tokens, most),
        }

    def _complete(self, request: dict[str, Any], deadline: Deadline) -> wire_format.Completion:
        create = self._completions.with_streaming_response.create
        with translated_failures(), create(**request, timeout=deadline.timeout()) as response:
            deadline.bound(response.http_response)
            completion = wire_format.Completion.model_validate(response.parse())
        if not completion.text.strip() and not _calls(completion.call_pieces, request):
            raise unavailable("unusable_answer")
        return completion

    def _begin(self, request: dict[str, Any], deadline: Deadline) -> tuple[_Stream, ChatCompletionChunk]:
        """Start a stream and wait for its first event."""
        with translated_failures():
            stream = self._completions.create(
                **request,
                stream=True,
                stream_options={"include_usage": True},
                timeout=deadline.timeout(self._limits.first_token_timeout_seconds),
            )
            deadline.bound(stream.response)
            first = next(stream, None)
        if first is None:
            raise unavailable("unusable_answer")
        return stream, first


def _calls(pieces: Sequence[wire_format.CallPiece], request: Mapping[str, Any]) -> tuple[ToolCall, ...]:
    """The tool calls of an answer; none where the request offered none."""
    return ToolCallAssembler(pieces).calls() if request.get("tool_choice") == "auto" else ()


def _usage(counts: wire_format.TokenCounts | None, prompt: Prompt, answer: str) -> TokenUsage:
    return (
        TokenUsage(counts.prompt_tokens, counts.completion_tokens) if counts else TokenUsage.estimated(prompt, answer)
    )
