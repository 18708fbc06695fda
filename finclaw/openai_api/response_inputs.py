"""Translates the body of a response into that of a chat completion, since both request the same turn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from django.utils.translation import gettext as _
from rest_framework import serializers

from finclaw.api.serializers import ID_CHARS, BoundedList
from finclaw.openai_api.chat_requests import KEPT_FOR_MODEL, LABELS, MOST_MESSAGES, ModelCallInput
from foundation.exceptions import ValidationFailed
from foundation.llm.wire_format import tool_calls_message
from memory.services.awaited_tools import AwaitedRound

_UNREAD: Final = frozenset({"reasoning", "item_reference"})
"""Items that programs send back from earlier answers, and that are ignored here."""


class ResponseInput(ModelCallInput):
    """A response as OpenAI's clients ask for it; ``input`` is a text or a list of items."""

    kept_for_model = KEPT_FOR_MODEL
    labels = (*LABELS, "include", "truncation", "service_tier", "stream_options")
    input = BoundedList(child=serializers.DictField(), max_length=MOST_MESSAGES, min_length=1)
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


def as_chat(given: Mapping[str, Any], before: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The body of the equivalent chat completion, with the messages ``before`` in front. Raises ``ValidationFailed``
    for items other than messages, function calls and their outputs.
    """
    instructions = [{"role": "system", "content": given["instructions"]}] if given.get("instructions") else []
    said = [*instructions, *before]
    for item in given["input"]:
        _append_item(said, item)
    fields = {name: given[name] for name in (*KEPT_FOR_MODEL, "model", "stream") if name in given}
    if "tools" in given:
        fields["tools"] = [_nest_by_type(tool) for tool in given["tools"]]
    if isinstance(given.get("tool_choice"), dict):
        fields["tool_choice"] = _nest_by_type(given["tool_choice"])
    return {**fields, **_answer_fields(given), "messages": said}


def awaited_messages(rounds: Iterable[AwaitedRound]) -> list[dict[str, Any]]:
    """Rounds of tool calls as messages of a chat: each round's calls, then what the tools said."""
    said = list[dict[str, Any]]()
    for asked in rounds:
        said.append(tool_calls_message(asked.said, asked.calls))
        answered = zip(asked.calls, asked.answers, strict=False)  # the last is not answered yet
        said += [{"role": "tool", "tool_call_id": call.id, "content": text} for call, text in answered]
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


def _append_item(said: list[Any], item: Mapping[str, Any]) -> None:
    """Add an item of the input to a chat's messages; consecutive function calls become one message."""
    kind = str(item.get("type", "message"))
    if kind == "function_call":
        if not said or said[-1].get("role") != "assistant":
            said.append({"role": "assistant", "content": None})
        function = {"name": item.get("name"), "arguments": item.get("arguments")}
        calls = said[-1].get("tool_calls", [])
        call = {"id": item.get("call_id"), "type": "function", "function": function}
        said[-1] = said[-1] | {"tool_calls": [*calls, call]}
    elif kind == "function_call_output":
        said.append({"role": "tool", "tool_call_id": item.get("call_id"), "content": item.get("output")})
    elif kind == "message" and isinstance(item.get("role"), str):
        said.append({"role": item["role"], "content": item.get("content")})
    elif kind not in _UNREAD:
        told = _("Items are messages, function calls and their outputs.")
        raise ValidationFailed(details={"input": [told]})


def _nest_by_type(flat: Mapping[str, Any]) -> dict[str, Any]:
    """A function, choice or format with its parts nested under the name of its type, as in chat completions."""
    kind = str(flat.get("type"))
    return {"type": kind, kind: {name: value for name, value in flat.items() if name != "type"}}
