"""Consent: granted, read and withdrawn."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any
from uuid import UUID

from django.urls import path
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from consent.models import ProfileConsent
from consent.services import consent_versions, grant_consent, permit_for, withdraw_consent
from finclaw.api.base import ApiView
from finclaw.api.operations import STATES, located, raises
from finclaw.api.schema import PAGE, page_of
from finclaw.api.serializers import QuerySerializer, StrictSerializer
from finclaw.brain.research.services import state_in_profile
from foundation.accounts.models import User
from foundation.accounts.notices import require_acknowledgement
from foundation.exceptions import NotFound
from foundation.personal_data import ConsentScope
from foundation.telemetry.onboarding_steps import count_preferences, count_step
from memory.models import UserContext

SCOPES = [scope.value for scope in ConsentScope]


class PreferencesInput(StrictSerializer):
    language_preference = serializers.ChoiceField(choices=UserContext.Language.choices, required=False)
    research_depth = serializers.ChoiceField(choices=UserContext.ResearchDepth.choices, required=False)
    risk_prompt_preference = serializers.ChoiceField(choices=UserContext.RiskPrompt.choices, required=False)
    user_focus_reason = serializers.CharField(max_length=500, required=False, allow_blank=True)


class ConsentInput(StrictSerializer):
    save_to_thread = serializers.BooleanField()
    save_to_profile = serializers.BooleanField()
    training_use_allowed = serializers.BooleanField()
    memory_learning_allowed = serializers.BooleanField()
    preferences = PreferencesInput(required=False)
    acknowledged_notice = serializers.IntegerField(
        required=False,
        min_value=0,
        max_value=32_767,
        help_text="The version of the ``notice`` of ``/api/users/me`` that was read; a first decision requires it.",
    )


class WithdrawalInput(QuerySerializer):
    scope = serializers.MultipleChoiceField(choices=SCOPES, required=False, default=set)


class ConsentOutput(serializers.ModelSerializer[ProfileConsent]):
    consent_id = serializers.UUIDField(source="id")

    class Meta:
        model = ProfileConsent
        fields = ("consent_id", "version", *SCOPES, "granted_at", "changed_at", "revoked_at", "source")


class EffectsOutput(serializers.Serializer[Any]):
    profile_contexts_deleted = serializers.IntegerField()
    thread_contexts_blocked = serializers.IntegerField()
    training_candidates_revoked = serializers.IntegerField()
    queued_work_cancelled = serializers.IntegerField()
    purge_due_at = serializers.DateTimeField(allow_null=True)


class WithdrawalOutput(serializers.Serializer[Any]):
    consent = ConsentOutput()
    effects = EffectsOutput()


def current_consent(user: User) -> ProfileConsent | None:
    """The user's latest consent, a revoked one included."""
    return ProfileConsent.objects.latest_of(user.pk)


class ConsentView(ApiView):
    @extend_schema(operation_id="consent_retrieve", responses=ConsentOutput)
    def get(self, request: Request, user_id: str) -> Response:
        """The current version of your consent; 404 if you never decided."""
        self.require_me(user_id)
        consent = current_consent(self.user)
        if consent is None:
            raise NotFound(_("No consent has been given yet."))
        return Response(ConsentOutput(consent).data)

    @located("consent", "user_id", status=201)
    @raises(*STATES)
    @extend_schema(operation_id="consent_grant", request=ConsentInput, responses={201: ConsentOutput})
    def post(self, request: Request, user_id: str) -> Response:
        """Say what may be remembered: creates a new version, or after a revocation a new consent. The same again
        changes nothing. A first decision needs the notice to be acknowledged.
        """
        self.require_me(user_id)
        given = self.valid(ConsentInput)
        return self.once(201, lambda: self._grant(given), self._represent)

    def _grant(self, given: dict[str, Any]) -> dict[str, Any]:
        preferences = given.pop("preferences", {})
        notice = given.pop("acknowledged_notice", None)
        if notice is not None or not self.permit.has_decided:
            require_acknowledgement(self.user, notice)
        consent = grant_consent(
            self.user, [scope for scope in ConsentScope if given[scope.value]], source=ProfileConsent.Source.API
        )
        if preferences:
            state_in_profile(permit_for(self.user), preferences)
        if not self.permit.has_decided:
            _count_first_decision({name: value for name, value in preferences.items() if value})
        return {"version": consent.version}

    def _represent(self, version: int) -> Any:
        return ConsentOutput(consent_versions(self.user).get(version=version)).data


def _count_first_decision(stated: dict[str, str]) -> None:
    count_step("consent")
    if stated:
        count_preferences(stated)


class ConsentHistoryView(ApiView):
    @extend_schema(operation_id="consent_history", parameters=PAGE, responses=page_of(ConsentOutput))
    def get(self, request: Request, user_id: str) -> Response:
        """Every version, latest first."""
        self.require_me(user_id)
        return self.page(consent_versions(self.user), ConsentOutput, ordering="-version")


class OneConsentView(ApiView):
    query_input = WithdrawalInput

    @raises("consent_outdated", "erasure_in_progress")
    @extend_schema(
        operation_id="consent_withdraw",
        parameters=[OpenApiParameter("scope", str, many=True, enum=SCOPES)],
        responses={200: WithdrawalOutput},
    )
    def delete(self, request: Request, user_id: str, consent_id: UUID) -> Response:
        """Withdraw the named scopes; with none named, everything at once."""
        self.require_me(user_id)
        scopes = [ConsentScope(name) for name in self.query["scope"]]
        return self.once(200, lambda: self._withdraw(consent_id, scopes), self._represent)

    def _withdraw(self, consent_id: UUID, scopes: list[ConsentScope]) -> dict[str, Any]:
        consent, effects = withdraw_consent(self.user, consent_id, scopes, source=ProfileConsent.Source.API)
        due = effects.purge_due_at
        return {"version": consent.version, "effects": asdict(effects) | {"purge_due_at": due and due.isoformat()}}

    def _represent(self, made: dict[str, Any]) -> Any:
        effects, due = made["effects"], made["effects"]["purge_due_at"]
        joined = {
            "consent": consent_versions(self.user).get(version=made["version"]),
            "effects": effects | {"purge_due_at": parse_datetime(due) if due else None},
        }
        return WithdrawalOutput(joined).data


urlpatterns = [
    path("users/<str:user_id>/profile-consent", ConsentView.as_view(), name="consent"),
    path("users/<str:user_id>/profile-consent/history", ConsentHistoryView.as_view(), name="consent_history"),
    path("users/<str:user_id>/profile-consent/<uuid:consent_id>", OneConsentView.as_view(), name="one_consent"),
]
