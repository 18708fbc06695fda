"""Serves chat completions: a turn (a message and its answer) in OpenAI's shape, whole or as a stream of chunks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from django.http.response import HttpResponseBase
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from finclaw.api.operations import TURNS, raises
from finclaw.api.streaming import Body, event_frame
from finclaw.openai_api.chat_requests import ChatCompletionInput
from finclaw.openai_api.program_turns import SESSION_HEADER, ProgramTurnView, SpokenPiece
from finclaw.openai_api.reference import ChatCompletionOutput, streamed
from foundation.ids import creation_time_of
from foundation.llm.wire_format import tool_call_shape


class ChatCompletionsView(ProgramTurnView):
    messages_field = "messages"

    @raises(*TURNS, "sensitive_input", "context_length_exceeded", "model_not_found")
    @extend_schema(operation_id="openai_chat", request=ChatCompletionInput, responses=streamed(ChatCompletionOutput))
    def post(self, request: Request) -> HttpResponseBase:
        """Answer a chat as OpenAI's clients ask for it, with ``stream`` in chunks. The history that is sent says which
        conversation it is; an edited one begins a new conversation. Refusals, and what a skill says, are ordinary
        answers. ``tools`` are the program's, which runs what the model calls. The headers of the answer name the
        conversation (``X-FinClaw-Session``), its receipt (``X-FinClaw-Receipt``), and whether memory was open
        (``X-FinClaw-Memory``: on or off).
        """
        self.given = self.valid(ChatCompletionInput)
        return self.answer_chat(self.given, request.headers.get(SESSION_HEADER))

    def whole_answer(self, body: Body) -> HttpResponseBase:
        message: dict[str, Any] = {"role": "assistant", "content": body["reply"] or None, "refusal": None}
        if calls := body.get("tool_calls"):
            message["tool_calls"] = list(map(tool_call_shape, calls))
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": _finish_reason(body)}
        return self.with_headers(Response(self._framed("chat.completion", [choice]) | _show_usage(body)), body)

    def frames(self, pieces: Iterable[SpokenPiece]) -> Iterator[str]:
        """The chunks of a chat completion. A tool call comes whole, in one chunk."""
        yield self._chunk({"role": "assistant", "content": ""})
        for piece in pieces:
            if isinstance(piece, str):
                yield self._chunk({"content": piece})
            else:
                yield from self._last_chunks(piece)
        yield "data: [DONE]\n\n"

    def _last_chunks(self, body: Body) -> Iterator[str]:
        for index, call in enumerate(body.get("tool_calls") or ()):
            yield self._chunk({"tool_calls": [{"index": index} | tool_call_shape(call)]})
        yield self._chunk({}, _finish_reason(body))
        if self._tells_usage:
            yield event_frame(self._framed("chat.completion.chunk", []) | _show_usage(body))

    @property
    def _tells_usage(self) -> bool:
        return bool(self.given.get("stream_options", {}).get("include_usage"))

    def _chunk(self, delta: dict[str, Any], finish_reason: str | None = None) -> str:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
        usage = {"usage": None} if self._tells_usage else {}
        return event_frame(self._framed("chat.completion.chunk", [choice]) | usage)

    def _framed(self, kind: str, choices: list[dict[str, Any]]) -> dict[str, Any]:
        key = f"chatcmpl-{self.reply_id.hex}"
        return {
            "id": key,
            "object": kind,
            "created": creation_time_of(self.reply_id),
            "model": self.given["model"],
            "choices": choices,
        }


def _finish_reason(body: Body) -> str:
    return "tool_calls" if body.get("tool_calls") else str(body["finish_reason"])


def _show_usage(body: Body) -> dict[str, Any]:
    """The token counts of the answer; nothing for a repeated answer whose counts were not stored."""
    counts = body["usage"]
    if counts is None:
        return {}
    total = counts["prompt_tokens"] + counts["completion_tokens"]
    cached = {"prompt_tokens_details": {"cached_tokens": counts.get("cached_tokens", 0)}}
    told = {name: counts[name] for name in ("prompt_tokens", "completion_tokens")}
    return {"usage": told | {"total_tokens": total} | cached}
