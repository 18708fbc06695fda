"""The context a user states about how they work, for all conversations."""

from __future__ import annotations

from typing import Any

from django.urls import path
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from finclaw.api.base import ApiView
from finclaw.api.operations import STATES, raises
from finclaw.api.serializers import QuerySerializer, StrictSerializer
from finclaw.brain.research import services as research
from memory.models import UserContext
from memory.research import profile_context

_OPTIONAL: dict[str, Any] = {"required": False, "allow_null": True}


class StatedInput(StrictSerializer):
    """``null`` or an empty text states nothing; a field left out stays unchanged."""

    language_preference = serializers.ChoiceField(choices=UserContext.Language.choices, **_OPTIONAL)
    research_depth = serializers.ChoiceField(choices=UserContext.ResearchDepth.choices, **_OPTIONAL)
    risk_prompt_preference = serializers.ChoiceField(choices=UserContext.RiskPrompt.choices, **_OPTIONAL)
    user_focus_reason = serializers.CharField(max_length=500, allow_blank=True, **_OPTIONAL)
    research_style = serializers.CharField(max_length=500, allow_blank=True, **_OPTIONAL)
    user_stated_position_context = serializers.CharField(max_length=500, allow_blank=True, **_OPTIONAL)
    time_horizon = serializers.CharField(max_length=200, allow_blank=True, **_OPTIONAL)
    constraints = serializers.CharField(max_length=500, allow_blank=True, **_OPTIONAL)


class ContextInput(StatedInput):
    """``null`` or an empty text clears a field; a field left out stays unchanged."""

    confirm_financial = serializers.BooleanField(default=False)


class FieldsInput(QuerySerializer):
    field = serializers.MultipleChoiceField(choices=profile_context.FIELDS, required=False, default=set)


class ContextOutput(serializers.Serializer[Any]):
    """Fields that were never stated, or lack consent, are ``null``."""

    language_preference = serializers.ChoiceField(choices=UserContext.Language.choices, allow_null=True)
    research_depth = serializers.ChoiceField(choices=UserContext.ResearchDepth.choices, allow_null=True)
    risk_prompt_preference = serializers.ChoiceField(choices=UserContext.RiskPrompt.choices, allow_null=True)
    user_focus_reason = serializers.CharField(allow_null=True)
    research_style = serializers.CharField(allow_null=True)
    user_stated_position_context = serializers.CharField(allow_null=True)
    time_horizon = serializers.CharField(allow_null=True)
    constraints = serializers.CharField(allow_null=True)
    training_excluded = serializers.BooleanField(
        allow_null=True, help_text="Whether no training example may draw on it: you took that consent back."
    )
    updated_at = serializers.DateTimeField(allow_null=True)


class ContextView(ApiView):
    query_input = FieldsInput

    @extend_schema(operation_id="context_retrieve", responses=ContextOutput)
    def get(self, request: Request, user_id: str) -> Response:
        """What you stated."""
        self.require_me(user_id)
        return Response(self._represent())

    @raises(*STATES)
    @extend_schema(operation_id="context_update", request=ContextInput, responses=ContextOutput)
    def patch(self, request: Request, user_id: str) -> Response:
        """State or change fields. Positions, horizons and constraints require ``confirm_financial``."""
        self.require_me(user_id)
        given = self.valid(ContextInput)
        confirmed = given.pop("confirm_financial")
        values = {name: value or "" for name, value in given.items()}
        return self.once(
            200,
            lambda: research.state_in_profile(self.permit, values, confirm_financial=confirmed),
            self._represent,
        )

    @raises("consent_outdated", "erasure_in_progress")
    @extend_schema(
        operation_id="context_clear",
        parameters=[OpenApiParameter("field", str, many=True, enum=profile_context.FIELDS)],
        responses={200: ContextOutput},
    )
    def delete(self, request: Request, user_id: str) -> Response:
        """Clear the named fields; with none named, all of them."""
        self.require_me(user_id)
        fields = self.query["field"]
        return self.once(200, lambda: profile_context.clear_profile_fields(self.permit, fields), self._represent)

    def _represent(self, _: object = None) -> Any:
        context = profile_context.profile_context(self.permit)
        stated: dict[str, Any] = {name: getattr(context, name, "") or None for name in profile_context.FIELDS}
        about = {name: getattr(context, name, None) for name in ("training_excluded", "updated_at")}
        return ContextOutput(stated | about).data


urlpatterns = [path("users/<str:user_id>/context", ContextView.as_view(), name="context")]
