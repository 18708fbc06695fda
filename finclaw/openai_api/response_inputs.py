"""Translates the body of a response into that of a chat completion, since both request the same turn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

from django.utils.translation import gettext as _
from rest_framework import serializers

from finclaw.api.serializers import ID_CHARS, BoundedList
from finclaw.brain.programs.chats import ChatMessage
from finclaw.openai_api.chat_messages import read_message, read_text, read_tool_call
from finclaw.openai_api.chat_requests import (
    IGNORED_FIELDS,
    KEPT_FOR_MODEL,
    MOST_MESSAGES,
    ModelCallInput,
    fields_for_model,
)

_UNREAD: Final = frozenset({"reasoning", "item_reference"})
"""Items that programs send back from earlier answers, and that are ignored here."""


class InputItemField(serializers.DictField):
    """One item of an input, as a message of a chat; None for one that is ignored."""

    def to_internal_value(self, data: Any) -> Any:
        item = super().to_internal_value(data)
        kind, call_id = str(item.get("type", "message")), item.get("call_id")
        if kind == "function_call":
            return ChatMessage("assistant", calls=(read_tool_call(call_id, item),))
        if kind == "function_call_output":
            return ChatMessage("tool", read_text(item.get("output")), call_id=str(call_id))
        if kind == "message" and "role" in item:
            return read_message(item)
        if kind in _UNREAD:
            return None
        raise serializers.ValidationError(_("Items are messages, function calls and their outputs."))


class ResponseInput(ModelCallInput):
    """A response as OpenAI's clients ask for it; ``input`` is a text or a list of items."""

    kept_for_model = KEPT_FOR_MODEL
    ignored_fields = (*IGNORED_FIELDS, "include", "truncation", "service_tier", "stream_options")
    input = BoundedList(child=InputItemField(), max_length=MOST_MESSAGES, min_length=1)
    instructions = serializers.CharField(required=False, allow_blank=True, trim_whitespace=False)
    previous_response_id = serializers.CharField(required=False, max_length=ID_CHARS)
    conversation = serializers.CharField(required=False, max_length=ID_CHARS)
    text = serializers.DictField(required=False)
    reasoning = serializers.DictField(required=False)
    max_output_tokens = serializers.IntegerField(required=False, min_value=1)

    def to_internal_value(self, data: Any) -> Any:
        given = dict(data) if isinstance(data, dict) else data
        match given:
            case {"input": str(text)}:
                given["input"] = [{"role": "user", "content": text}]
        match given:
            case {"conversation": {"id": str(key)}}:
                given["conversation"] = key
        return super().to_internal_value(given)

    def validate_store(self, store: Any) -> bool:
        if not isinstance(store, bool):
            raise serializers.ValidationError(_("Give true or false."))
        return store

    @staticmethod
    def is_function(tool: Any) -> bool:
        return isinstance(tool, dict) and tool.get("type") == "function" and isinstance(tool.get("name"), str)

    def validate(self, given: dict[str, Any]) -> dict[str, Any]:
        if "conversation" in given and "previous_response_id" in given:
            told = _("Name a conversation or a previous response, not both.")
            raise serializers.ValidationError({"conversation": [told]})
        return given


def as_chat(given: Mapping[str, Any], before: Iterable[ChatMessage]) -> dict[str, Any]:
    """The body of the equivalent chat completion, with the messages ``before`` in front."""
    instructions = [ChatMessage("instructions", given["instructions"])] if given.get("instructions") else []
    fields = fields_for_model(given)
    if "tools" in fields:
        fields["tools"] = [_nest_by_type(tool) for tool in fields["tools"]]
    if isinstance(fields.get("tool_choice"), dict):
        fields["tool_choice"] = _nest_by_type(fields["tool_choice"])
    messages = _with_calls_together([*instructions, *before, *filter(None, given["input"])])
    return {**fields, **_answer_fields(given), "model": given["model"], "messages": messages}


def _with_calls_together(messages: Iterable[ChatMessage]) -> list[ChatMessage]:
    """The messages, of which function calls in a row, each an item of its own, are one of the assistant's."""
    said = list[ChatMessage]()
    for message in messages:
        if message.calls and not message.text and said and said[-1].role == "assistant":
            said[-1] = replace(said[-1], calls=(*said[-1].calls, *message.calls))
        else:
            said.append(message)
    return said


def _answer_fields(given: Mapping[str, Any]) -> dict[str, Any]:
    """The fields about the answer's form and length, under their names in chat completions."""
    text, form = given.get("text", {}), given.get("text", {}).get("format")
    if isinstance(form, dict) and form.get("type") == "json_schema":
        form = _nest_by_type(form)
    fields = {
        "reasoning_effort": given.get("reasoning", {}).get("effort"),
        "verbosity": text.get("verbosity"),
        "max_completion_tokens": given.get("max_output_tokens"),
        "response_format": form,
    }
    return {name: value for name, value in fields.items() if value is not None}


def _nest_by_type(flat: Mapping[str, Any]) -> dict[str, Any]:
    """A function, choice or format with its parts nested under the name of its type, as in chat completions."""
    kind = str(flat.get("type"))
    return {"type": kind, kind: {name: value for name, value in flat.items() if name != "type"}}
