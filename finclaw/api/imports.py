"""Imports of other assistants' export files: uploaded, watched, undone."""

from __future__ import annotations

from typing import Any, ClassVar, Final
from uuid import UUID

from django.urls import path
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import UnsupportedMediaType
from rest_framework.request import Request
from rest_framework.response import Response

from finclaw.api.base import ApiView, NonAtomicView
from finclaw.api.operations import FORGETS, LEARNS, located, raises
from finclaw.api.schema import PAGE, page_of
from finclaw.api.serializers import QuerySerializer
from finclaw.brain.long_tasks.services import start_task
from finclaw.import_undo import undo_import
from finclaw.models import LongTaskKind
from foundation.database.acting_user import acting_as
from memory.importing.chats.exported_chats import SOURCES
from memory.importing.file_imports import import_of, imports_of
from memory.importing.reading_progress import NOTHING_READ_YET, reading_progress_by_import
from memory.models import ChatImport

MEDIA_TYPES: Final = ("application/json", "application/zip", "application/octet-stream")
_CONVERSATIONS: Final = (
    {"uuid": "c1", "name": "Wine", "chat_messages": [{"uuid": "m1", "sender": "human", "text": "I own a vineyard."}]},
)


class ImportQuery(QuerySerializer):
    program = serializers.ChoiceField(
        choices=list(SOURCES),
        required=False,
        help_text="Which program wrote the file; found out if absent.",
    )


class UnderstoodOutput(serializers.Serializer[Any]):
    found_by_words = serializers.IntegerField(help_text="Messages that a search finds by their words.")
    found_by_meaning = serializers.IntegerField(help_text="Those of them that were read and learned from as well.")


class PastConsentOutput(serializers.Serializer[Any]):
    granted_at = serializers.DateTimeField()
    revoked_at = serializers.DateTimeField(allow_null=True)
    allowed = serializers.ListField(child=serializers.CharField(), help_text="The switches that were on.")


class ImportOutput(serializers.ModelSerializer[ChatImport]):
    import_id = serializers.UUIDField(source="id")
    read = serializers.IntegerField(help_text="Conversations so far, statements apart.")
    recorded = serializers.IntegerField(help_text="Messages and statements added.")
    known = serializers.IntegerField(help_text="Messages and statements that were there before.")
    left_out = serializers.IntegerField(help_text="Messages and statements that hold what must not be kept.")
    reason = serializers.CharField(help_text="Why it was refused, with the line; empty otherwise.")
    past_consents = PastConsentOutput(many=True, help_text="What an archive records of its own: told, never applied.")
    understood = serializers.SerializerMethodField()

    class Meta:
        model = ChatImport
        fields = (
            "import_id", "state", "assistant", "size", "conversations", "messages", "read", "recorded", "known",
            "left_out", "reason", "past_consents", "understood", "created_at", "finished_at",
        )  # fmt: skip

    @extend_schema_field(UnderstoodOutput)
    def get_understood(self, chat_import: ChatImport) -> dict[str, int]:
        """How far learning, which follows in the background, has come."""
        found = self.context["understood"].get(chat_import.pk, NOTHING_READ_YET)
        return {"found_by_words": found.found_by_words, "found_by_meaning": found.found_by_meaning}


def _show_import(chat_import: ChatImport) -> dict[str, Any]:
    understood = reading_progress_by_import(chat_import.user_id, [chat_import.pk])
    return ImportOutput(chat_import, context={"understood": understood}).data


class ImportsView(NonAtomicView):
    reads_body = False
    query_inputs: ClassVar = {"POST": ImportQuery}

    @located("import", "import_id", status=202)
    @raises(*LEARNS, "profile_consent_required", "import_under_way")
    @extend_schema(
        operation_id="import_create",
        parameters=[ImportQuery],
        request=dict.fromkeys(MEDIA_TYPES, OpenApiTypes.BINARY),
        examples=[OpenApiExample("conversations.json", _CONVERSATIONS, request_only=True)],
        responses={202: ImportOutput},
    )
    def post(self, request: Request) -> Response:
        """Upload an export file of another program as the body. ChatGPT and Claude: ``conversations.json``, or the ZIP
        that holds it; mem0, Zep, Letta and Hindsight: what their API lists, as JSON, or an agent file; FinClaw: the
        archive of an export. The file is checked as a whole and imported in the background: dates are kept, what a
        program held of you becomes memories, of conversations only your own words are learned from, and nothing is
        sent out. Importing the same file again adds nothing.
        """
        if (request.content_type or "").partition(";")[0].strip().lower() not in MEDIA_TYPES:
            raise UnsupportedMediaType(request.content_type or "")
        program = self.query.get("program", "")
        with self.acting() as permit:
            pass  # a large upload holds no transaction
        wanted = {"file": request._request, "origin": "api", "program": program}
        key = start_task(permit, self.user, LongTaskKind.IMPORT, wanted)
        with acting_as(self.user.pk):
            return Response(_show_import(import_of(self.user.pk, key)), 202)

    @extend_schema(operation_id="import_list", parameters=PAGE, responses=page_of(ImportOutput))
    def get(self, request: Request) -> Response:
        """Your imports, latest first."""
        with self.acting():
            imports = imports_of(self.user.pk)
            understood = reading_progress_by_import(self.user.pk, list(imports.values_list("pk", flat=True)))
            return self.page(imports, ImportOutput, ordering="-created_at", context={"understood": understood})


class ImportView(ApiView):
    @extend_schema(operation_id="import_retrieve", responses=ImportOutput)
    def get(self, request: Request, import_id: UUID) -> Response:
        """The progress of one import."""
        return Response(_show_import(import_of(self.user.pk, import_id)))

    @located("import", "import_id", status=202)
    @raises(*FORGETS, "import_under_way")
    @extend_schema(operation_id="import_undo", responses={202: ImportOutput})
    def delete(self, request: Request, import_id: UUID) -> Response:
        """Undo it: the conversations it began are forgotten, with everything learned from them."""
        undone, _ = undo_import(self.user, import_id, source="api")
        return Response(_show_import(undone), 202)


urlpatterns = [
    path("imports", ImportsView.as_view(), name="imports"),
    path("imports/<uuid:import_id>", ImportView.as_view(), name="import"),
]
