"""Conversations: list, open, rename, archive, reopen, forget."""

from __future__ import annotations

from functools import partial
from typing import Any
from uuid import UUID

from django.urls import path
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from consent.models import ErasureScope
from finclaw.api.base import ApiView
from finclaw.api.erasures import DeletionReceiptOutput, ForgettingView
from finclaw.api.operations import FORGETS, STATES, located, raises
from finclaw.api.schema import PAGE, page_of
from finclaw.api.serializers import TITLE_CHARS, StrictSerializer, TimeZoneField
from finclaw.brain.recall.organisation_context import OrganisationContext, organisation_context
from foundation.accounts.models import Tenant, User
from memory.core import MEMORY
from memory.models import Session
from memory.services.sessions import rename, reopen, sessions_of, start_session
from memory.types import SummaryBlock
from personas.services.states import set_mode
from personas.types import MODES


class SessionInput(StrictSerializer):
    group_id = serializers.UUIDField(required=False, allow_null=True)
    thread_id = serializers.UUIDField(required=False, allow_null=True)
    persona_mode = serializers.ChoiceField(choices=MODES, required=False, allow_null=True)
    title = serializers.CharField(max_length=TITLE_CHARS, required=False, default="", allow_blank=True)
    time_zone = TimeZoneField(max_length=64, required=False, default="", allow_blank=True)
    location = serializers.CharField(max_length=120, required=False, default="", allow_blank=True)
    remember = serializers.BooleanField(default=True)


class TitleInput(StrictSerializer):
    title = serializers.CharField(max_length=TITLE_CHARS)


class SummaryBlockOutput(serializers.Serializer[SummaryBlock]):
    """A summary of messages ``from_seq`` to ``to_seq``; ``made_by`` a model, or ``extractive`` for quotations."""

    from_seq = serializers.IntegerField()
    to_seq = serializers.IntegerField()
    text = serializers.CharField()
    made_by = serializers.CharField()
    created_at = serializers.DateTimeField()


class OrganisationContextOutput(serializers.Serializer[OrganisationContext]):
    """Empty where there is none, and where you did not consent to be known as a person."""

    organisation = serializers.CharField(allow_blank=True)
    org_tier = serializers.ChoiceField(choices=Tenant.OrgTier.choices, allow_blank=True)
    role = serializers.ChoiceField(choices=User.Role.choices, allow_blank=True)
    group = serializers.CharField(allow_blank=True)


class SessionOutput(serializers.ModelSerializer[Session]):
    """A conversation, as the user who asks may see it."""

    session_id = serializers.UUIDField(source="id")
    org_context = serializers.SerializerMethodField()
    entity_slots = serializers.DictField(child=serializers.ListField(child=serializers.CharField()))
    summary_blocks = SummaryBlockOutput(many=True)

    class Meta:
        model = Session
        fields = (
            "session_id", "user_id", "group_id", "thread_id", "title", "remember", "time_zone", "location",
            "org_context", "entity_slots", "summary_blocks", "created_at", "last_active_at", "expires_at",
            "archived_at",
        )  # fmt: skip

    @extend_schema_field(OrganisationContextOutput)
    def get_org_context(self, session: Session) -> dict[str, str]:
        """Your organisation and role, or the group it takes place in."""
        told = organisation_context(self.context["permit"], self.context["user"], session)
        return dict(OrganisationContextOutput(told).data)


class SessionViews(ApiView):
    """The common part of the views of one session."""

    @property
    def asker(self) -> dict[str, Any]:
        """Whose eyes a session is shown to, as its serializer takes it."""
        return {"permit": self.permit, "user": self.user}

    def session(self, session_id: UUID) -> Session:
        """The session of the path, if it is in reach. Raises ``NotFound``."""
        return MEMORY.get_session(self.permit, session_id)

    def represent(self, key: str) -> Any:
        """The session that a write made or changed, as it is now."""
        return SessionOutput(self.session(UUID(key)), context=self.asker).data


class SessionsView(SessionViews):
    @extend_schema(operation_id="session_list", parameters=PAGE, responses=page_of(SessionOutput))
    def get(self, request: Request) -> Response:
        """Your conversations and those of your groups, latest first."""
        sessions = sessions_of(self.permit).select_related("group")
        return self.page(sessions, SessionOutput, ordering="-last_active_at", context=self.asker)

    @located("session", "session_id", status=201)
    @raises(*STATES, "not_found", "persona_modes_off")
    @extend_schema(operation_id="session_create", request=SessionInput, responses={201: SessionOutput})
    def post(self, request: Request) -> Response:
        """Open a conversation; with ``remember`` off nothing is learned from it."""
        given = self.valid(SessionInput)
        return self.once(201, lambda: self._start(given), self.represent)

    def _start(self, given: dict[str, Any]) -> Session:
        mode = given.pop("persona_mode", None)
        session = start_session(self.permit, self.user, program=self.program, **given)
        if mode is not None:
            set_mode(self.permit, session, mode)
        return session


class SessionView(SessionViews, ForgettingView):
    @extend_schema(operation_id="session_retrieve", responses=SessionOutput)
    def get(self, request: Request, session_id: UUID) -> Response:
        """One conversation."""
        return Response(SessionOutput(self.session(session_id), context=self.asker).data)

    @extend_schema(operation_id="session_update", request=TitleInput, responses=SessionOutput)
    def patch(self, request: Request, session_id: UUID) -> Response:
        """Rename the conversation."""
        title = self.valid(TitleInput)["title"]
        return self.once(200, lambda: rename(self.session(session_id), title), self.represent)

    @located("erasure", "tombstone_id", status=202)
    @raises(*FORGETS)
    @extend_schema(operation_id="session_delete", responses={202: DeletionReceiptOutput})
    def delete(self, request: Request, session_id: UUID) -> Response:
        """Forget the conversation and what was learned from it; in a group, your own part of it."""
        return self.forget(ErasureScope.SESSION, str(session_id))


class SessionArchiveView(SessionViews):
    @extend_schema(operation_id="session_archive", request=None, responses=SessionOutput)
    def post(self, request: Request, session_id: UUID) -> Response:
        """Close the conversation for new messages; with consent, what you said in it becomes events."""
        archive = partial(MEMORY.archive_session, self.permit, self.user, session_id)
        return self.once(200, lambda: archive().session_id, self.represent)


class SessionReopenView(SessionViews):
    @extend_schema(operation_id="session_reopen", request=None, responses=SessionOutput)
    def post(self, request: Request, session_id: UUID) -> Response:
        """Open an archived conversation for new messages again; its event stays."""
        return self.once(200, lambda: reopen(self.session(session_id)), self.represent)


urlpatterns = [
    path("sessions", SessionsView.as_view(), name="sessions"),
    path("sessions/<uuid:session_id>", SessionView.as_view(), name="session"),
    path("sessions/<uuid:session_id>/archive", SessionArchiveView.as_view(), name="archive"),
    path("sessions/<uuid:session_id>/reopen", SessionReopenView.as_view(), name="reopen"),
]
