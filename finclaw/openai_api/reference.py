"""Describes the answers and errors of OpenAI's protocol for the API's reference."""

from __future__ import annotations

from typing import Any

from drf_spectacular.types import OpenApiTypes
from rest_framework import serializers

from finclaw.statuses import STATUS_OF


class OpenAIErrorFields(serializers.Serializer[Any]):
    message = serializers.CharField()
    type = serializers.CharField()
    param = serializers.CharField(allow_null=True)
    code = serializers.ChoiceField(choices=sorted(STATUS_OF))
    details = serializers.DictField(required=False)


class OpenAIErrorBody(serializers.Serializer[Any]):
    """Every error of these addresses."""

    error = OpenAIErrorFields()


class ChatCompletionOutput(serializers.Serializer[Any]):
    id = serializers.CharField()
    object = serializers.CharField()
    created = serializers.IntegerField()
    model = serializers.CharField()
    choices = serializers.ListField(child=serializers.DictField())
    usage = serializers.DictField(required=False)


class ResponseOutput(serializers.Serializer[Any]):
    id = serializers.CharField()
    object = serializers.CharField()
    created_at = serializers.IntegerField()
    status = serializers.CharField()
    model = serializers.CharField()
    output = serializers.ListField(child=serializers.DictField())
    conversation = serializers.DictField(allow_null=True)
    previous_response_id = serializers.CharField(allow_null=True)
    incomplete_details = serializers.DictField(allow_null=True)
    error = serializers.DictField(allow_null=True)
    usage = serializers.DictField(allow_null=True)


class InputItemsOutput(serializers.Serializer[Any]):
    object = serializers.CharField()
    data = serializers.ListField(child=serializers.DictField())  # type: ignore[assignment]
    first_id = serializers.CharField(allow_null=True)
    last_id = serializers.CharField(allow_null=True)
    has_more = serializers.BooleanField()


class EmbeddingsOutput(serializers.Serializer[Any]):
    object = serializers.CharField()
    model = serializers.CharField()
    data = serializers.ListField(child=serializers.DictField())  # type: ignore[assignment]
    usage = serializers.DictField()


class ModelOutput(serializers.Serializer[Any]):
    id = serializers.CharField()
    object = serializers.CharField()
    created = serializers.IntegerField()
    owned_by = serializers.CharField()


class ModelsOutput(serializers.Serializer[Any]):
    object = serializers.CharField()
    data = ModelOutput(many=True)  # type: ignore[assignment]


def streamed(output: type[serializers.Serializer[Any]]) -> dict[tuple[int, str], Any]:
    """The answers of a turn: the whole, or its events."""
    return {(200, "application/json"): output, (200, "text/event-stream"): OpenApiTypes.STR}
