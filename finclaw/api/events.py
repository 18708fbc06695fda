"""Cognitive events: self-contained sentences about what happened."""

from __future__ import annotations

from typing import Any

from django.urls import path, re_path
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from consent.models import ErasureScope
from finclaw.api.base import ApiView
from finclaw.api.erasures import DeletionReceiptOutput, ForgettingView, SourcesQuery
from finclaw.api.masking import MayBeMasked, masked_in
from finclaw.api.operations import FORGETS, LEARNS, located, raises
from finclaw.api.schema import PAGE, page_of
from finclaw.api.serializers import StrictSerializer
from finclaw.api.turn_ends import REQUEST_ID
from memory.historian.events import MAX_EVENT_CHARS, correct_event, event_of, events_of, parts_of
from memory.models import CognitiveEvent

_REF = rf"{REQUEST_ID}:[0-9]{{1,10}}(?:\.[0-9]{{1,4}})?"
_EVENT_ID = OpenApiParameter(
    "event_id",
    str,
    OpenApiParameter.PATH,
    description="``request_id:end_seq``, or one part of it: ``request_id:end_seq.part``",
)


class EventSourceOutput(serializers.Serializer[dict[str, str]]):
    """A sentence that an event was made of, and the message it is from."""

    message = serializers.UUIDField()
    quote = serializers.CharField()


class EventOutput(serializers.ModelSerializer[CognitiveEvent]):
    message_ids = serializers.ListField(child=serializers.UUIDField())
    sources = EventSourceOutput(many=True)

    class Meta:
        model = CognitiveEvent
        fields = (
            "event_id", "request_id", "end_seq", "part", "perspective", "canonical_text", "did_what", "new_info",
            "has_new_info", "timestamp_utc", "timestamp_local", "timezone", "speaks_of_start", "speaks_of_end",
            "location_abs", "request_type", "user_id", "group_id", "session_id", "sender_id", "message_ids", "sources",
            "schema_version", "created_at",
        )  # fmt: skip


class EventPartsOutput(EventOutput):
    """An event: its first part, and under ``parts`` all of them."""

    parts = EventOutput(many=True)

    class Meta(EventOutput.Meta):
        fields = (*EventOutput.Meta.fields, "parts")  # type: ignore[assignment]


class EventCorrectionInput(StrictSerializer):
    canonical_text = serializers.CharField(max_length=MAX_EVENT_CHARS)


class CorrectedEventOutput(MayBeMasked, EventOutput):
    class Meta(EventOutput.Meta):
        fields = (*EventOutput.Meta.fields, "masked")  # type: ignore[assignment]


class EventsView(ApiView):
    @extend_schema(operation_id="event_list", parameters=PAGE, responses=page_of(EventOutput))
    def get(self, request: Request) -> Response:
        """Your events and those of your groups, latest first; none without memory_learning_allowed."""
        return self.page(events_of(self.permit), EventOutput, ordering="-timestamp_utc")


class EventView(ForgettingView):
    query_inputs = {"DELETE": SourcesQuery}

    @extend_schema(
        operation_id="event_retrieve",
        parameters=[_EVENT_ID],
        responses=EventPartsOutput,
    )
    def get(self, request: Request, event_id: str) -> Response:
        """One event: its first part, and under ``parts`` all of them."""
        parts = EventOutput(parts_of(self.permit, event_id), many=True).data
        return Response(dict(parts[0]) | {"parts": parts})

    @raises(*LEARNS)
    @extend_schema(
        operation_id="event_correct",
        parameters=[_EVENT_ID],
        request=EventCorrectionInput,
        responses=CorrectedEventOutput,
    )
    def patch(self, request: Request, event_id: str) -> Response:
        """Correct an event of your own: your words replace its text in all perspectives. Of an event of several parts
        they replace the named part, else all.
        """
        text = self.valid(EventCorrectionInput)["canonical_text"]
        masked = masked_in([self.user.name], canonical_text=text)
        return self.once(
            200,
            lambda: {"event": correct_event(self.permit, event_id, text).ref},
            lambda ref: self._represent(ref) | masked,
        )

    @located("erasure", "tombstone_id", status=202)
    @raises(*FORGETS)
    @extend_schema(
        operation_id="event_delete",
        parameters=[_EVENT_ID, SourcesQuery],
        responses={202: DeletionReceiptOutput},
    )
    def delete(self, request: Request, event_id: str) -> Response:
        """Forget an event in all perspectives: the named part, else all."""
        return self.forget(ErasureScope.EVENT, event_id, self.query["sources"])

    def _represent(self, event_id: str) -> dict[str, Any]:
        return dict(EventOutput(event_of(self.permit, event_id)).data)


urlpatterns = [
    path("events", EventsView.as_view(), name="events"),
    re_path(rf"^events/(?P<event_id>{_REF})$", EventView.as_view(), name="event"),
]
