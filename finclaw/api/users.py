"""The signed-in user."""

from __future__ import annotations

from typing import Any

from django.urls import path
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from consent.sensitive.services import screen_text
from finclaw.api.base import NonAtomicView
from finclaw.api.consents import ConsentOutput, current_consent
from finclaw.api.serializers import StrictSerializer, TimeZoneField
from foundation.accounts.attempts import AttemptPurpose, begin_attempt
from foundation.accounts.groups import groups_of
from foundation.accounts.models import ChatGroup, User
from foundation.accounts.notices import NOTICE_VERSION, acknowledge_notice, has_acknowledged, notice_sentences
from foundation.accounts.services import update_profile


class UserInput(StrictSerializer):
    display_name = serializers.CharField(max_length=60, required=False, allow_blank=True)
    time_zone = TimeZoneField(max_length=64, required=False)
    asks_follow_ups = serializers.BooleanField(
        required=False, help_text="Whether the assistant asks questions of its own accord."
    )
    acknowledged_notice = serializers.IntegerField(
        required=False, min_value=0, max_value=32_767, help_text="The version of the ``notice`` that was read."
    )


class GroupNameOutput(serializers.ModelSerializer[ChatGroup]):
    group_id = serializers.UUIDField(source="id")

    class Meta:
        model = ChatGroup
        fields = ("group_id", "name")


class OnboardingOutput(serializers.Serializer[Any]):
    complete = serializers.BooleanField()
    missing = serializers.ListField(child=serializers.ChoiceField(choices=["acknowledgement", "profile_consent"]))


class NoticeOutput(serializers.Serializer[Any]):
    version = serializers.IntegerField()
    sentences = serializers.ListField(child=serializers.CharField())
    acknowledged_at = serializers.DateTimeField(allow_null=True, help_text="Null until this version is.")


class UserOutput(serializers.Serializer[Any]):
    user_id = serializers.UUIDField()
    username = serializers.CharField()
    display_name = serializers.CharField(allow_blank=True)
    time_zone = serializers.CharField()
    asks_follow_ups = serializers.BooleanField(help_text="Whether the assistant asks questions of its own accord.")
    tenant_id = serializers.UUIDField(allow_null=True)
    role = serializers.ChoiceField(choices=User.Role.choices)
    groups = GroupNameOutput(many=True)
    consent = ConsentOutput(allow_null=True)
    onboarding = OnboardingOutput()
    notice = NoticeOutput()


class MeView(NonAtomicView):
    @extend_schema(operation_id="user_retrieve", responses=UserOutput)
    def get(self, request: Request) -> Response:
        """The signed-in user, their groups and consent, and what onboarding still asks."""
        with self.acting():
            return Response(self._represent())

    @extend_schema(operation_id="user_update", request=UserInput, responses=UserOutput)
    def patch(self, request: Request) -> Response:
        """Change the name, the time zone or the follow-up questions; acknowledge the notice."""
        changes = self.valid(UserInput)
        if "display_name" in changes:
            changes["display_name"] = screen_text("display_name", changes["display_name"]).text
        if changes.get("display_name", self.user.display_name) != self.user.display_name:
            begin_attempt(AttemptPurpose.DISPLAY_NAME, str(self.user.pk))

        with self.acting():
            return self.once(200, lambda: self._update(changes), lambda _: self._represent())

    def _update(self, changes: dict[str, Any]) -> None:
        if (version := changes.pop("acknowledged_notice", None)) is not None:
            acknowledge_notice(self.user, version)
        update_profile(self.user, **changes)

    def _represent(self) -> Any:
        acknowledged = has_acknowledged(self.user)
        steps = {"acknowledgement": acknowledged, "profile_consent": self.permit.has_decided}
        missing = [step for step, is_done in steps.items() if not is_done]
        joined = {
            "user_id": self.user.pk,
            "username": self.user.username,
            "display_name": self.user.display_name,
            "time_zone": self.user.time_zone,
            "asks_follow_ups": self.user.asks_follow_ups,
            "tenant_id": self.user.tenant_id,
            "role": self.user.role,
            "groups": groups_of(self.user),
            "consent": current_consent(self.user),
            "onboarding": {"complete": not missing, "missing": missing},
            "notice": {
                "version": NOTICE_VERSION,
                "sentences": notice_sentences(),
                "acknowledged_at": self.user.notice_acknowledged_at if acknowledged else None,
            },
        }
        return UserOutput(joined).data


urlpatterns = [path("users/me", MeView.as_view(), name="me")]
