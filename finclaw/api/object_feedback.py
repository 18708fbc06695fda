"""Feedback on a research object: a rating, with an optional comment."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.urls import path
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from drift.models import Feedback
from drift.services import feedback_of, give_feedback
from finclaw.api.base import ApiView
from finclaw.api.serializers import StrictSerializer

COMMENT_CHARS = 1_000
REFERENCE_CHARS = 120


class ObjectFeedbackInput(StrictSerializer):
    related_object_ref = serializers.CharField(
        max_length=REFERENCE_CHARS,
        help_text="``snapshot:``, ``thread:``, ``refresh:``, ``checkpoint:``, ``report:``, ``memory:``, ``message:``,"
        " ``event:`` or ``profile:``, and its id; of a report its task's.",
    )
    rating = serializers.ChoiceField(choices=Feedback.Rating.choices)
    comment = serializers.CharField(max_length=COMMENT_CHARS, required=False, allow_blank=True, default="")


class ObjectFeedbackOutput(serializers.ModelSerializer[Feedback]):
    feedback_id = serializers.UUIDField(source="id")
    related_object_ref = serializers.CharField(source="object_ref")

    class Meta:
        model = Feedback
        fields = ("feedback_id", "related_object_ref", "rating", "comment", "created_at")


class ObjectFeedbackView(ApiView):
    @extend_schema(operation_id="feedback_create", request=ObjectFeedbackInput, responses={201: ObjectFeedbackOutput})
    def post(self, request: Request) -> Response:
        """Rate one of your research objects. Nothing about you is changed by it."""
        given = self.valid(ObjectFeedbackInput)
        rated = (given["related_object_ref"], given["rating"], given["comment"])
        return self.once(201, lambda: give_feedback(self.permit, self.user, *rated), self._represent)

    def _represent(self, key: str) -> Any:
        return ObjectFeedbackOutput(feedback_of(self.permit, UUID(key))).data


urlpatterns = [path("feedback", ObjectFeedbackView.as_view(), name="object_feedback")]
