"""Validates the messages of a chat as OpenAI's clients write them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

from django.utils.translation import gettext as _
from rest_framework import serializers

from finclaw.brain.programs.chats import ChatMessage
from foundation.llm.types import ToolCall

_ROLES: Final[Mapping[str, Literal["instructions", "user", "assistant", "tool"]]] = {
    "system": "instructions", "developer": "instructions", "user": "user", "assistant": "assistant", "tool": "tool",
}  # fmt: skip


class ChatMessageField(serializers.DictField):
    """One message of a chat."""

    def to_internal_value(self, data: Any) -> Any:
        return read_message(super().to_internal_value(data))


def read_message(given: Mapping[str, Any]) -> ChatMessage:
    """The message. Raises DRF's ``ValidationError`` for one with anything but text and calls of functions."""
    role = _ROLES.get(str(given.get("role")))
    if role is None:
        raise serializers.ValidationError(_("Roles are system, developer, user, assistant and tool."))
    content, calls = given.get("content"), given.get("tool_calls") or []
    return ChatMessage(
        role,
        "" if role == "assistant" and content is None else read_text(content),
        tuple(map(_called_function, calls if isinstance(calls, list) else [calls])),
        str(given.get("tool_call_id", "")),
    )


def read_tool_call(key: object, function: object) -> ToolCall:
    """The call of a function, which has a name and arguments. Raises DRF's ``ValidationError``."""
    match (key, function):
        case (str(), {"name": str(name), "arguments": str(arguments)}):
            return ToolCall(str(key), name, arguments)
    raise serializers.ValidationError(_("A tool call needs an id, and the name and arguments of its function."))


def _called_function(call: object) -> ToolCall:
    given = call if isinstance(call, dict) else {}
    return read_tool_call(given.get("id"), given.get("function"))


def read_text(content: object) -> str:
    """The words of a message, given as text or as parts of text. Raises DRF's ``ValidationError``."""
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
    if not isinstance(parts, list) or not all(isinstance(part, dict) for part in parts):
        raise serializers.ValidationError(_("The content of a message is text, or a list of parts."))
    texts = [part.get("refusal" if part.get("type") == "refusal" else "text") for part in parts]
    kinds = {str(part.get("type")) for part in parts} - {"text", "input_text", "output_text", "refusal"}
    if kinds or not all(isinstance(text, str) for text in texts):
        raise serializers.ValidationError(_("Only text is taken, no part of another type."))
    return "\n".join(map(str, texts))
