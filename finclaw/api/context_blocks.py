"""What a turn would be given of memory, for a prompt that a program makes itself. Not atomic: a remote model may embed
the query first.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from django.conf import settings
from django.urls import path
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from finclaw.api.base import NonAtomicView
from finclaw.api.serializers import QuerySerializer, StrictSerializer
from finclaw.brain.context_blocks import LEAST_TOKENS, MOST_TOKENS, USUAL_TOKENS, read_context_block

_RANGE = format_lazy(_("Give a number from {least} to {most}."), least=LEAST_TOKENS, most=MOST_TOKENS)


class ContextFields(serializers.Serializer[Any]):
    query = serializers.CharField(max_length=settings.MAX_MESSAGE_CHARS, help_text="What the prompt is about.")
    tokens = serializers.IntegerField(
        default=USUAL_TOKENS,
        min_value=LEAST_TOKENS,
        max_value=MOST_TOKENS,
        error_messages={"min_value": _RANGE, "max_value": _RANGE},
        help_text="The most that the text may take, by estimate; never more than a turn would be given.",
    )
    session_id = serializers.UUIDField(
        required=False, help_text="A conversation: what it still shows of itself is left out."
    )


class ContextQuery(ContextFields, QuerySerializer):
    """In the address, whose length is bounded: a long question is asked by POST."""


class ContextBlockInput(ContextFields, StrictSerializer):
    """The same in a body."""


class LeftOutOutput(serializers.Serializer[Any]):
    kind = serializers.CharField()
    id = serializers.CharField(source="ref")
    decision_reason = serializers.CharField(source="reason")


class BlockPartOutput(LeftOutOutput):
    text = serializers.CharField()
    provenance = serializers.CharField(allow_null=True)
    epistemic_type = serializers.CharField(allow_null=True)
    confidence = serializers.FloatField(allow_null=True)
    occurred_at = serializers.DateTimeField(allow_null=True)


class ContextBlockOutput(serializers.Serializer[Any]):
    text = serializers.CharField(help_text="Escaped and tagged as in our own prompts: information, never instructions.")
    tokens = serializers.IntegerField(help_text="Of the text, by estimate.")
    parts = BlockPartOutput(many=True, help_text="What the text holds, in its order.")
    left_out = LeftOutOutput(many=True, help_text="What was found and left out.")
    withheld = serializers.CharField(help_text="Why memory was not searched; empty where it was.")
    degraded = serializers.ListField(child=serializers.CharField())


class ContextBlockView(NonAtomicView):
    query_inputs: ClassVar = {"GET": ContextQuery}

    @extend_schema(operation_id="context_block_retrieve", parameters=[ContextQuery], responses=ContextBlockOutput)
    def get(self, request: Request) -> Response:
        """What a turn would be given of memory for this query. As text and in parts, with the reason of each.

        Nothing is stored, and no model answers. Without consent it is empty, and ``withheld`` says why.
        """
        return self._answer(self.query)

    @extend_schema(operation_id="context_block_ask", request=ContextBlockInput, responses=ContextBlockOutput)
    def post(self, request: Request) -> Response:
        """What a turn would be given of memory for a query in the body. As by GET; the query may be longer here, and
        stands in no log of addresses.
        """
        return self._answer(self.valid(ContextBlockInput))

    def _answer(self, given: Mapping[str, Any]) -> Response:
        return Response(ContextBlockOutput(read_context_block(self.user, **given)).data)


urlpatterns = [path("context", ContextBlockView.as_view(), name="context_block")]
