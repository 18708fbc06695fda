"""Feedback on an object, a rating with an optional comment: given, listed and deleted by its user."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.urls import path
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from drift.models import Feedback
from drift.services import all_feedback_of, delete_feedback, feedback_of, give_feedback
from finclaw.api.base import ApiView
from finclaw.api.operations import located, raises
from finclaw.api.schema import NO_CONTENT, PAGE, page_of
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


class GivenFeedbackOutput(ObjectFeedbackOutput):
    """``seen_at`` is when an operator read it, ``note`` what they wrote about it."""

    class Meta:
        model = Feedback
        fields = (*ObjectFeedbackOutput.Meta.fields, "seen_at", "note")


class ObjectFeedbackView(ApiView):
    @extend_schema(operation_id="feedback_list", parameters=PAGE, responses=page_of(GivenFeedbackOutput))
    def get(self, request: Request) -> Response:
        """The feedback you gave, latest first. Operators of this service read it."""
        return self.page(all_feedback_of(self.permit), GivenFeedbackOutput, ordering="-created_at")

    @located("one_feedback", "feedback_id", status=201)
    @raises("not_found", "profile_consent_required", "erasure_in_progress")
    @extend_schema(operation_id="feedback_create", request=ObjectFeedbackInput, responses={201: ObjectFeedbackOutput})
    def post(self, request: Request) -> Response:
        """Rate one of your research objects. Nothing about you is changed by it."""
        given = self.valid(ObjectFeedbackInput)
        rated = (given["related_object_ref"], given["rating"], given["comment"])
        return self.once(201, lambda: give_feedback(self.permit, self.user, *rated), self._represent)

    def _represent(self, key: str) -> Any:
        return ObjectFeedbackOutput(feedback_of(self.permit, UUID(key))).data


class OneFeedbackView(ApiView):
    @extend_schema(operation_id="feedback_delete", responses=NO_CONTENT)
    def delete(self, request: Request, feedback_id: UUID) -> Response:
        """Delete one of them, with what was noted from it."""
        return self.once(204, lambda: delete_feedback(self.permit, feedback_id), lambda _: None)


urlpatterns = [
    path("feedback", ObjectFeedbackView.as_view(), name="object_feedback"),
    path("feedback/<uuid:feedback_id>", OneFeedbackView.as_view(), name="one_feedback"),
]
