"""Validates the body of a chat completion: fields for the model, mere labels, and unknown fields that are refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.utils.translation import gettext as _
from rest_framework import serializers

from finclaw.api.serializers import ID_CHARS, BoundedList, StrictSerializer
from finclaw.openai_api.chat_messages import ChatMessageField

MOST_MESSAGES: Final = 2_000
KEPT_FOR_MODEL: Final = (
    "temperature", "top_p", "top_k", "min_p", "stop", "seed", "presence_penalty", "frequency_penalty",
    "repetition_penalty", "logit_bias", "reasoning_effort", "verbosity", "response_format", "tools", "tool_choice",
    "parallel_tool_calls",
)  # fmt: skip
"""Fields that go to the model, with their strings screened. Others could select another model or prompt template, so
they are refused.
"""
IGNORED_FIELDS: Final = ("user", "safety_identifier", "metadata", "store", "prompt_cache_key", "prompt_cache_retention")
"""Fields that clients send and that change nothing: the token alone says who asks."""


class StreamOptionsInput(serializers.Serializer[Any]):
    include_usage = serializers.BooleanField(default=False)


class ModelCallInput(StrictSerializer):
    """What chat completions and responses have in common. A field that is null is as good as absent."""

    model = serializers.CharField(max_length=ID_CHARS)
    stream = serializers.BooleanField(default=False)
    kept_for_model: tuple[str, ...] = ()
    ignored_fields: tuple[str, ...] = ()

    def get_fields(self) -> dict[str, Any]:
        told = dict.fromkeys(self.kept_for_model, "Goes to the model as it is.")
        told |= dict.fromkeys(self.ignored_fields, "A label, which changes nothing.")
        passed = {name: serializers.JSONField(required=False, help_text=meant) for name, meant in told.items()}
        return super().get_fields() | passed

    def to_internal_value(self, data: Any) -> Any:
        """The fields that say something."""
        given = {name: value for name, value in data.items() if value is not None} if isinstance(data, dict) else data
        return super().to_internal_value(given)

    def validate_tools(self, tools: Any) -> Any:
        if not isinstance(tools, list) or not all(map(self.is_function, tools)):
            raise serializers.ValidationError(_("Give a list of functions."))
        return tools

    @staticmethod
    def is_function(tool: Any) -> bool:
        """Whether a tool is a function as the protocol writes one."""
        raise NotImplementedError


class ChatCompletionInput(ModelCallInput):
    """A chat completion as OpenAI's clients ask for it."""

    kept_for_model, ignored_fields = KEPT_FOR_MODEL, IGNORED_FIELDS
    messages = BoundedList(child=ChatMessageField(), max_length=MOST_MESSAGES, min_length=1)
    stream_options = StreamOptionsInput(required=False)
    max_tokens = serializers.IntegerField(required=False, min_value=1)
    max_completion_tokens = serializers.IntegerField(required=False, min_value=1)
    n = serializers.IntegerField(required=False, min_value=1, max_value=1)

    @staticmethod
    def is_function(tool: Any) -> bool:
        function = tool.get("function") if isinstance(tool, dict) and tool.get("type") == "function" else None
        return isinstance(function, dict) and isinstance(function.get("name"), str)


def fields_for_model(given: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a request that go to the model."""
    return {name: given[name] for name in KEPT_FOR_MODEL if name in given}
