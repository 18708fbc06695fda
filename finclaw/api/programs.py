"""Programs that a user connected by OAuth: what they may do, and the kinds of memory that they are kept from."""

from __future__ import annotations

from uuid import UUID

from django.urls import path
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from finclaw.api.base import ApiView
from finclaw.api.schema import PAGE, page_of
from finclaw.api.tokens import WithheldKindsInput
from finclaw.connected_programs import withhold
from foundation.accounts.models import ConnectedProgram
from foundation.accounts.programs import connected_programs
from foundation.accounts.scopes import ALL_SCOPES
from foundation.exceptions import require_found
from memory.kinds import KINDS


class ProgramOutput(serializers.ModelSerializer[ConnectedProgram]):
    program_id = serializers.UUIDField(source="id")
    scopes = serializers.ListField(child=serializers.ChoiceField(choices=ALL_SCOPES))
    withheld_kinds = serializers.ListField(child=serializers.ChoiceField(choices=KINDS))

    class Meta:
        model = ConnectedProgram
        fields = ("program_id", "name", "scopes", "withheld_kinds", "connected_at", "last_used_at")


class ProgramsView(ApiView):
    @extend_schema(operation_id="program_list", parameters=PAGE, responses=page_of(ProgramOutput))
    def get(self, request: Request) -> Response:
        """The programs that may act in your name, the latest first."""
        return self.page(connected_programs(self.user), ProgramOutput, ordering="-connected_at")


class OneProgramView(ApiView):
    @extend_schema(operation_id="program_update", request=WithheldKindsInput, responses=ProgramOutput)
    def patch(self, request: Request, program_id: UUID) -> Response:
        """Keep a program from kinds of memory, from its next request on.

        It does not see them, and writes none of them directly. What its user says through it is learned as theirs all
        the same, and may change what it does not see. The list replaces the one before. A type of memory takes events,
        portraits and the chats that the program did not begin with it, and `event` portraits and these chats: they
        tell the same in other words. A chat that it began it sees whole, with what its user is told there elsewhere.
        """
        program = require_found(connected_programs(self.user).filter(pk=program_id).first())
        withhold(self.user, program, self.valid(WithheldKindsInput)["withheld_kinds"])
        return Response(ProgramOutput(program).data)


urlpatterns = [
    path("auth/programs", ProgramsView.as_view(), name="programs"),
    path("auth/programs/<uuid:program_id>", OneProgramView.as_view(), name="one_program"),
]
