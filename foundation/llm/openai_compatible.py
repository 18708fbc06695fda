"""Calls any server that speaks the chat-completions protocol, through the official client."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from itertools import chain
from typing import Any, TypeVar
from urllib.parse import urlsplit

import openai

from foundation.llm import wire_format
from foundation.llm.admission_control import AdmissionControl
from foundation.llm.admission_rules import UNBOUNDED
from foundation.llm.answer_assembly import AnswerAssembler, ServerStream, events_of, without_events
from foundation.llm.answer_formats import FORMATS, AnswerFormat, FormatMemory, format_fields, with_schema
from foundation.llm.call_limits import Deadline, with_retries
from foundation.llm.chat_completions import ChatCompletions
from foundation.llm.exceptions import MalformedReply, ModelUnavailable
from foundation.llm.failures import is_transient, may_be_unsupported, translated_failures
from foundation.llm.rate_limits import most_tokens
from foundation.llm.stream_pace import StreamPace
from foundation.llm.structured_answers import structured_text
from foundation.llm.tool_calls import tool_request_fields
from foundation.llm.types import ANSWER_CUT, NO_TOOLS, CallLimits, Prompt, Reply, ToolOffer

_Request = Mapping[str, Any]
Answer = TypeVar("Answer")


class OpenAICompatibleModel:
    """A model behind ``base_url``. Safe to share between threads."""

    is_offline = False

    def __init__(
        self,
        *,
        base_url: str,
        api_key: str,
        limits: CallLimits,
        extra_body: Mapping[str, Any] | None = None,
        formats: FormatMemory | None = None,
        admissions: AdmissionControl | None = None,
    ) -> None:
        """``extra_body`` holds fields of the server's own that go with every request; without ``admissions`` nothing
        bounds how many calls are in flight, and no circuit opens.
        """
        self._limits = limits
        self._extra_body = dict(extra_body or {})
        self._formats = formats or FormatMemory()
        self._admissions = admissions or AdmissionControl(UNBOUNDED)
        self._pace = StreamPace(self._admissions.clock)
        # OpenAI's newer models refuse `max_tokens`; other servers often know nothing else.
        self._limit_field = "max_completion_tokens" if urlsplit(base_url).hostname == "api.openai.com" else "max_tokens"
        # The client's own retries ignore our deadline, so they are off. It requires a key; local servers need none.
        self._client = openai.OpenAI(base_url=base_url, api_key=api_key or "none", max_retries=0)
        self._completions = ChatCompletions(self._client)

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
        deadline = self._deadline()
        if schema is not None:
            return self._call_by_schema(prompt, request, schema, deadline)
        return self._retried(lambda: self._complete(prompt, request, deadline), deadline)

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
        deadline = self._deadline()
        stream, events = self._retried(lambda: self._begin(request, deadline), deadline)
        answer = AnswerAssembler()
        with stream:
            yield from self._pace.gather(_texts(events, answer, deadline))
        return answer.finish(prompt, model_id, takes_tools=_takes_tools(request))

    def call_in_format(
        self,
        prompt: Prompt,
        model_id: str,
        schema: Mapping[str, Any],
        asked: AnswerFormat,
        *,
        max_tokens: int | None = None,
    ) -> Reply:
        """One attempt to get JSON in this very format. Raises as ``call`` does; nothing is remembered."""
        request = _in_format(self._request(prompt, model_id, None, max_tokens), schema, asked)
        return _structured(self._complete(prompt, request, self._deadline()), schema, asked)

    def stated_window(self, model_id: str) -> int | None:
        """The context window in tokens as the server's list of models states it; None where it does not."""
        deadline = self._deadline()
        try:
            with translated_failures():
                listed = self._client.models.with_raw_response.list(timeout=deadline.timeout()).http_response
                return wire_format.stated_window(json.loads(listed.content), model_id)
        except ModelUnavailable:
            return None

    def _deadline(self) -> Deadline:
        return Deadline(self._limits.timeout_seconds, self._limits.first_token_timeout_seconds)

    def _call_by_schema(
        self, prompt: Prompt, request: _Request, schema: Mapping[str, Any], deadline: Deadline
    ) -> Reply:
        """Ask in the format that the server is known to take, and in those below it where it refuses."""
        known = self._formats.known_format(request["model"])
        for asked in known.to_try:
            is_proven = known.is_proven and asked == known.requested
            try:
                reply = self._complete_in_format(prompt, _in_format(request, schema, asked), deadline, is_proven)
            except ModelUnavailable as error:
                if is_proven or not may_be_unsupported(error):
                    raise  # it takes this format, so it refuses the prompt itself, as one that is too long
                refusal = error
            else:
                return self._checked(reply, schema, asked)
        raise refusal  # every format was refused, so something else is wrong and nothing is learned about them

    def _complete_in_format(self, prompt: Prompt, request: _Request, deadline: Deadline, is_proven: bool) -> Reply:
        """The answer. A 500 to a format that never worked is not retried with the same request."""

        def may_pass(error: BaseException) -> bool:
            return is_transient(error) and (is_proven or not may_be_unsupported(error))

        return self._retried(lambda: self._complete(prompt, request, deadline), deadline, may_pass)

    def _retried(
        self,
        attempt: Callable[[], Answer],
        deadline: Deadline,
        may_pass: Callable[[BaseException], bool] = is_transient,
    ) -> Answer:
        return with_retries(attempt, self._limits, deadline, may_pass, self._admissions.clock.sleep)

    def _checked(self, reply: Reply, schema: Mapping[str, Any], asked: AnswerFormat) -> Reply:
        """Return the reply if it satisfies the schema; note either way what the server can do with this format."""
        try:
            checked = _structured(reply, schema, asked)
        except MalformedReply as error:
            error.usage = reply.usage
            if ANSWER_CUT not in reply.degraded:
                self._formats.doubt(reply.model_id, asked)
            raise
        self._formats.prove(reply.model_id, asked)
        return checked

    def _request(
        self,
        prompt: Prompt,
        model_id: str,
        content_parts: Sequence[Mapping[str, Any]] | None,
        max_tokens: int | None,
    ) -> dict[str, Any]:
        wanted = (max_tokens, prompt.caller.max_tokens, self._limits.max_output_tokens)
        return {
            **prompt.caller.fields,
            "model": model_id,
            "messages": wire_format.chat_messages(prompt, content_parts),
            self._limit_field: min(tokens for tokens in wanted if tokens is not None),
            "extra_body": self._extra_body,
        }

    def _complete(self, prompt: Prompt, request: _Request, deadline: Deadline) -> Reply:
        """The whole answer. It is streamed too: only so can a server that hangs be told from one that writes slowly."""
        stream, events = self._begin(request, deadline)
        answer = AnswerAssembler()
        with stream:
            for event in events:
                deadline.note_answer()
                answer.add(event)
        return answer.finish(prompt, request["model"], takes_tools=_takes_tools(request))

    def _begin(self, request: _Request, deadline: Deadline) -> tuple[ExitStack, Iterator[wire_format.CompletionChunk]]:
        """Send the request once it may be sent, and wait for its first event; leaving the context ends it."""
        admission = self._admissions.enter(request["model"], most_tokens(request), deadline.patience())
        with ExitStack() as unless_begun:
            unless_begun.enter_context(admission)
            admission.is_trial = (
                "response_format" in request and not self._formats.known_format(request["model"]).is_proven
            )
            unless_begun.enter_context(translated_failures())
            stream: ServerStream = unless_begun.enter_context(
                self._completions.create(
                    **request, stream=True, stream_options={"include_usage": True}, timeout=deadline.timeout()
                )
            )
            deadline.bound(stream.response)
            admission.note_headers(stream.response.headers)
            events = admission.watch(events_of(stream))
            first = next(events, None)
            if first is None:
                raise without_events(stream)
            return unless_begun.pop_all(), chain([first], events)
        raise AssertionError("unreachable: nothing above is suppressed")


def _texts(events: Iterator[wire_format.CompletionChunk], answer: AnswerAssembler, deadline: Deadline) -> Iterator[str]:
    for event in events:
        if text := answer.add(event):
            yield text
        deadline.note_answer()  # what the reader took for it is not the server's silence


def _in_format(request: _Request, schema: Mapping[str, Any], asked: AnswerFormat) -> dict[str, Any]:
    stated = {} if asked == FORMATS[0] else {"messages": with_schema(request["messages"], schema)}
    return {**request, **stated, **format_fields(asked, schema)}


def _structured(reply: Reply, schema: Mapping[str, Any], asked: AnswerFormat) -> Reply:
    return replace(reply, text=structured_text(reply.text, schema, amid_words=asked == FORMATS[-1]))


def _takes_tools(request: _Request) -> bool:
    """Whether tool calls count in the answer: calls of tools that were not offered are dropped."""
    return bool(request.get("tools")) and request.get("tool_choice") != "none"
