"""One answer of a model server, put together from the events of its stream."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from time import monotonic

import openai

from foundation.llm.exceptions import ModelUnavailable
from foundation.llm.failures import no_json, unavailable
from foundation.llm.tool_calls import ToolCallAssembler
from foundation.llm.types import ANSWER_CUT, Prompt, Reply, TokenUsage, ToolCall
from foundation.llm.wire_format import CallPiece, Completion, CompletionChunk, TokenCounts
from foundation.text.storable import StorablePieces, storable_text, storable_value

ServerStream = openai.Stream[object]
_JSON = "application/json"
_EVENTS = "text/event-stream"


def events_of(stream: ServerStream) -> Iterator[CompletionChunk]:
    """The events of an answer; a server that does not stream sends one JSON document instead, which is one event."""
    if _content_type(stream).startswith(_JSON):
        yield Completion.model_validate(json.loads(stream.response.read())).as_chunk()
    else:
        yield from map(CompletionChunk.model_validate, stream)


def without_events(stream: ServerStream) -> ModelUnavailable:
    """The error for an answer that ended before its first event.

    An empty event stream may be due to the text that was sent. Any other empty answer, such as a gateway's page, is
    the provider's fault.
    """
    return unavailable("unusable_answer") if _content_type(stream).startswith(_EVENTS) else no_json()


def _content_type(stream: ServerStream) -> str:
    return stream.response.headers.get("content-type", "").lower()


class AnswerAssembler:
    """Gathers the text, tool calls and token counts of an answer, without the characters that PostgreSQL refuses."""

    def __init__(self) -> None:
        self._said: list[str] = []
        self._pieces = StorablePieces()
        self._asked_for: list[CallPiece] = []
        self._counts: TokenCounts | None = None
        self._ended = self._is_cut = False
        self._first_token_at: float | None = None

    def add(self, event: CompletionChunk) -> str:
        """Take an event in; returns what it adds to the text."""
        self._counts = event.usage or self._counts
        self._ended, self._is_cut = self._ended or event.is_final, self._is_cut or event.is_cut
        self._asked_for += event.call_pieces
        if self._first_token_at is None and (event.text or event.call_pieces):
            self._first_token_at = monotonic()
        text = self._pieces.add(event.text)
        self._said.append(text)
        return text

    def finish(self, prompt: Prompt, model_id: str, *, takes_tools: bool) -> Reply:
        """The whole answer. Raises ``ModelUnavailable`` where it broke off, or has neither text nor tool calls."""
        text = "".join(self._said) + self._pieces.end()
        calls = tuple(map(_storable_call, ToolCallAssembler(self._asked_for).calls())) if takes_tools else ()
        if not self._ended or not (text.strip() or calls):
            # A connection closed half-way looks like an end to the client: only a finish reason is one.
            raise unavailable("unusable_answer")
        degraded = (ANSWER_CUT,) if self._is_cut else ()
        return Reply(text, model_id, self._usage(prompt, text), degraded, calls, self._first_token_at)

    def _usage(self, prompt: Prompt, text: str) -> TokenUsage:
        counts = self._counts
        if counts is None:
            return TokenUsage.estimated(prompt, text)
        return TokenUsage(counts.prompt_tokens, counts.completion_tokens, counts.cached_tokens)


def _storable_call(call: ToolCall) -> ToolCall:
    """The call with arguments that PostgreSQL can store. Arguments that are not JSON are rejected later, where read."""
    arguments = storable_text(call.arguments)
    if "\\u" in arguments:
        with suppress(ValueError, RecursionError):
            arguments = json.dumps(storable_value(json.loads(arguments)), ensure_ascii=False)
    return ToolCall(storable_text(call.id), storable_text(call.name), arguments)
