"""A user's explicit feedback on a memory: whether it serves them."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from django.urls import path
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from drift.models import Feedback
from finclaw.api.items import ItemOutput
from finclaw.api.memories import ItemViews
from finclaw.api.operations import LEARNS, raises
from finclaw.api.serializers import StrictSerializer
from memory.governance import feedback

COMMENT_CHARS = 500
_WELCOMED: Final = frozenset({Feedback.Rating.THUMBS_UP, Feedback.Rating.HELPFUL, Feedback.Rating.AGREE})


class FeedbackInput(StrictSerializer):
    rating = serializers.ChoiceField(choices=Feedback.Rating.choices)
    comment = serializers.CharField(
        max_length=COMMENT_CHARS, default="", allow_blank=True, help_text="Read by nobody yet, and not kept."
    )


class FeedbackView(ItemViews):
    @raises(*LEARNS)
    @extend_schema(operation_id="memory_feedback", request=FeedbackInput, responses=ItemOutput)
    def post(self, request: Request, memory_id: UUID) -> Response:
        """Say whether a memory serves you; one that is repeatedly called wrong is no longer used."""
        given = self.valid(FeedbackInput)
        signal: feedback.Signal = "positive" if given["rating"] in _WELCOMED else "negative"
        return self.once(
            200, lambda: feedback.give_feedback(self.permit, memory_id, signal, given["comment"]), self.represent
        )


urlpatterns = [path("memories/<uuid:memory_id>/feedback", FeedbackView.as_view(), name="feedback")]
