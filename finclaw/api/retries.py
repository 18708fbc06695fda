"""Trying again: a stored message whose answer the model failed is answered anew."""

from __future__ import annotations

from uuid import UUID

from django.http.response import HttpResponseBase
from django.urls import path
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request

from finclaw.api.operations import TURNS, raises
from finclaw.api.turn_answers import EVENTS, TurnOutput, TurnView
from finclaw.brain.turn import repeated_request


class RetryView(TurnView):
    @raises(*TURNS)
    @extend_schema(
        operation_id="message_retry",
        request=None,
        parameters=[OpenApiParameter("stream", bool, description=EVENTS)],
        responses={(200, "application/json"): TurnOutput, (200, "text/event-stream"): OpenApiTypes.STR},
    )
    def post(self, request: Request, message_id: UUID) -> HttpResponseBase:
        """Ask the model anew for a message of yours. It is named by its id or that of its answer, where ``degraded`` of
        that answer holds ``model_unavailable``; any other answer stands (409). The new answer takes the place of the
        old one. Where the model fails again everything stays as it is: 503 ``model_unavailable``, in a stream
        ``error``.
        """
        submission = self.claim()
        return self.answer(submission, lambda: repeated_request(self.user, message_id, submission.reply_id))


urlpatterns = [path("messages/<uuid:message_id>/retry", RetryView.as_view(), name="message_retry")]
