"""How the assistant speaks: persona documents, the mode of a conversation, reply preferences."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.urls import path
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from consent.models import ErasureScope
from finclaw.api.base import ApiView
from finclaw.api.erasures import DeletionReceiptOutput, ForgettingView, SourcesQuery
from finclaw.api.masking import MayBeMasked, masked_in
from finclaw.api.operations import FORGETS, LEARNS, STATES, located, raises
from finclaw.api.schema import NO_CONTENT, page_of
from finclaw.api.serializers import StrictSerializer
from finclaw.api.sessions import SessionViews
from foundation.sanitization.services import excluded_lines
from foundation.sanitization.types import ExcludedLine, ExclusionReason
from personas.models.documents import MAX_CHARS
from personas.services import states
from personas.services.documents import documents_for, names_allowed_in, write_user_document
from personas.services.mode_choice import choose_mode
from personas.services.preferences import dismiss_waiting, preference_of, preferences_of, waiting_preferences
from personas.services.write_back import confirm_preference
from personas.types import MODES, ModeInForce, PersonaText, PersonaTexts, Preference

DOCUMENT_KINDS = ("soul", "identity", "user")


class StateInput(StrictSerializer):
    mode = serializers.ChoiceField(choices=MODES)
    ttl_turns = serializers.IntegerField(
        min_value=1,
        max_value=states.MAX_TTL_TURNS,
        required=False,
        allow_null=True,
        help_text="How many of your messages it lasts; as your operators set it unless said.",
    )
    notes = serializers.CharField(max_length=states.MAX_NOTE_CHARS, required=False, default="", allow_blank=True)


class ModeInput(StrictSerializer):
    mode = serializers.ChoiceField(choices=MODES)


class StateOutput(serializers.Serializer[ModeInForce]):
    mode = serializers.ChoiceField(choices=MODES)
    mode_source = serializers.ChoiceField(choices=["default", "user", "rule"])
    since = serializers.DateTimeField(allow_null=True, help_text="``null`` for the default.")
    ttl_turns = serializers.IntegerField(help_text="What is left of it; 0 for the default, which does not end.")
    notes = serializers.CharField(
        help_text="What you asked for and for how long, as noted from your message, or what you wrote with a mode."
    )


class DocumentInput(StrictSerializer):
    body = serializers.CharField(max_length=MAX_CHARS, allow_blank=True, help_text="Empty: it goes, with its versions.")


class DocumentOutput(serializers.Serializer[PersonaText]):
    """``version`` 0 is the text shipped with FinClaw, or an unwritten one."""

    kind = serializers.ChoiceField(choices=DOCUMENT_KINDS)
    body = serializers.CharField()
    version = serializers.IntegerField()
    updated_at = serializers.DateTimeField(allow_null=True)


class LeftOutLine(serializers.Serializer[ExcludedLine]):
    """``itself``: the line gives orders or holds code. ``together``: only all lines together do."""

    line = serializers.IntegerField(min_value=1)
    why = serializers.ChoiceField(choices=[why.value for why in ExclusionReason])


class WrittenDocumentOutput(MayBeMasked, DocumentOutput):
    left_out = LeftOutLine(many=True, required=False, help_text="Lines that are kept and never read to a model.")


class DocumentsOutput(serializers.Serializer[PersonaTexts]):
    soul = DocumentOutput()
    identity = DocumentOutput()
    user = DocumentOutput()


class PreferenceOutput(serializers.Serializer[Preference]):
    """``waiting`` is used nowhere before the user confirms it; what was learned is the memory of ``memory_id``."""

    id = serializers.UUIDField()
    key = serializers.CharField()
    value = serializers.CharField()
    text = serializers.CharField()
    confidence = serializers.FloatField()
    source = serializers.ChoiceField(  # type: ignore[assignment]  # DRF's own attribute by this name is the instance's
        choices=["explicit", "repeated", "confirmed", "waiting"]
    )
    waiting = serializers.BooleanField()
    memory_id = serializers.UUIDField(allow_null=True)
    updated_at = serializers.DateTimeField()


class SessionPersonaView(SessionViews):
    @extend_schema(operation_id="session_persona_retrieve", responses=StateOutput)
    def get(self, request: Request, session_id: UUID) -> Response:
        """Your mode in this conversation; in a group each member has their own."""
        return Response(self._represent(session_id))

    @raises("profile_consent_required", "persona_modes_off")
    @extend_schema(operation_id="session_persona_update", request=StateInput, responses=StateOutput)
    def put(self, request: Request, session_id: UUID) -> Response:
        """Choose the mode from your next message on."""
        given = self.valid(StateInput)
        return self.once(
            200,
            lambda: states.set_mode(self.permit, self.session(session_id), **given),
            lambda _: self._represent(session_id),
        )

    @extend_schema(operation_id="session_persona_clear", responses={200: StateOutput})
    def delete(self, request: Request, session_id: UUID) -> Response:
        """Return to the default mode."""
        return self.once(
            200, lambda: states.clear_mode(self.permit, self.session(session_id)), lambda _: self._represent(session_id)
        )

    def _represent(self, session_id: UUID) -> Any:
        return StateOutput(states.mode_of(self.permit, self.session(session_id))).data


class DocumentsView(ApiView):
    @extend_schema(operation_id="persona_documents", responses=DocumentsOutput)
    def get(self, request: Request) -> Response:
        """The persona documents of your organisation, and your own."""
        return Response(DocumentsOutput(documents_for(self.permit, self.user)).data)


class UserDocumentView(ApiView):
    @extend_schema(operation_id="persona_user_document", responses=DocumentOutput)
    def get(self, request: Request) -> Response:
        """How you want to be served, in your words; empty without save_to_profile."""
        return Response(self._represent())

    @raises(*STATES)
    @extend_schema(
        operation_id="persona_user_document_update", request=DocumentInput, responses={200: WrittenDocumentOutput}
    )
    def put(self, request: Request) -> Response:
        """Say how you want to be served. Needs save_to_profile; it never changes what the assistant may do."""
        body = self.valid(DocumentInput)["body"]
        masked = masked_in(names_allowed_in(self.user, body), body=body)
        return self.once(
            200, lambda: write_user_document(self.permit, self.user, body), lambda _: self._written() | masked
        )

    def _written(self) -> Any:
        shown = self._represent()
        lines = [LeftOutLine(line).data for line in excluded_lines(shown["body"])]
        return shown | ({"left_out": lines} if lines else {})

    def _represent(self) -> Any:
        return DocumentOutput(documents_for(self.permit, self.user).user).data


class PreferencesView(ApiView):
    @extend_schema(operation_id="persona_preference_list", responses=page_of(PreferenceOutput))
    def get(self, request: Request) -> Response:
        """Your reply preferences: those that wait for your confirmation, then those in force; always on one page."""
        found = [*waiting_preferences(self.permit), *preferences_of(self.permit)]
        return Response(
            {"results": [PreferenceOutput(preference).data for preference in found], "next": None, "previous": None}
        )


class PreferenceViews(ApiView):
    """The common part of the views that change one preference."""

    def preference(self, key: str) -> Any:
        """The preference that a write left in force. Raises ``NotFound``."""
        return PreferenceOutput(preference_of(self.permit, UUID(key))).data


class ModeView(PreferenceViews):
    @raises(*LEARNS, "persona_modes_off", "persona_write_back_off")
    @extend_schema(operation_id="persona_mode_choose", request=ModeInput, responses=PreferenceOutput)
    def put(self, request: Request) -> Response:
        """Choose the mode in which your conversations begin. Needs memory_learning_allowed."""
        mode = self.valid(ModeInput)["mode"]
        return self.once(200, lambda: choose_mode(self.permit, mode).id, self.preference)


class PreferenceView(ForgettingView):
    query_input = SourcesQuery

    @located("erasure", "tombstone_id", status=202)
    @raises(*FORGETS)
    @extend_schema(
        operation_id="persona_preference_delete",
        parameters=[SourcesQuery],
        responses={202: DeletionReceiptOutput} | NO_CONTENT,
    )
    def delete(self, request: Request, preference_id: UUID) -> Response:
        """Dismiss a preference that waits, or forget a learned one. The former is gone at once (204); the latter is
        forgotten like any memory (202, with the receipt).
        """
        waits = any(preference.id == preference_id for preference in waiting_preferences(self.permit))
        named = (ErasureScope.ITEM, str(preference_id), self.query["sources"])
        return self.once(
            204 if waits else 202,
            lambda: None if dismiss_waiting(self.permit, preference_id) else self._accept(*named),
            lambda key: self._receipt(key) if key else None,
        )


class PreferenceConfirmView(PreferenceViews):
    @raises(*LEARNS, "persona_write_back_off")
    @extend_schema(operation_id="persona_preference_confirm", request=None, responses=PreferenceOutput)
    def post(self, request: Request, preference_id: UUID) -> Response:
        """Confirm it: it is in force from now on, as something you told."""
        return self.once(200, lambda: confirm_preference(self.permit, preference_id).id, self.preference)


urlpatterns = [
    path("sessions/<uuid:session_id>/persona", SessionPersonaView.as_view(), name="session_persona"),
    path("persona/mode", ModeView.as_view(), name="persona_mode"),
    path("persona/documents", DocumentsView.as_view(), name="persona_documents"),
    path("persona/documents/user", UserDocumentView.as_view(), name="persona_user_document"),
    path("persona/preferences", PreferencesView.as_view(), name="persona_preferences"),
    path("persona/preferences/<uuid:preference_id>", PreferenceView.as_view(), name="persona_preference"),
    path(
        "persona/preferences/<uuid:preference_id>/confirm",
        PreferenceConfirmView.as_view(),
        name="persona_preference_confirm",
    ),
]
