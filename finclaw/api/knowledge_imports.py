"""Imports of files into what an organisation knows, by its owners and admins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final

from django.urls import path
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import UnsupportedMediaType
from rest_framework.request import Request
from rest_framework.response import Response

from finclaw.api.base import NonAtomicView
from finclaw.api.operations import READS_BODY, raises
from finclaw.api.serializers import QuerySerializer
from knowledge.importing.services import import_for
from knowledge.importing.types import Format, ImportReport, LineOutcome, LineReport

_FORMATS: Final[Mapping[str, Format]] = {
    "text/csv": "csv",
    "application/jsonl": "jsonl",
    "application/x-ndjson": "jsonl",
    "text/markdown": "markdown",
}


class KnowledgeImportQuery(QuerySerializer):
    dry_run = serializers.BooleanField(default=False, help_text="Whether to say only what would happen.")


class KnowledgeLineOutput(serializers.Serializer[LineReport]):
    line = serializers.IntegerField(help_text="Where the entry begins in the file.")
    outcome = serializers.ChoiceField(choices=LineOutcome.choices, help_text="What becomes of it.")
    external_id = serializers.CharField(help_text="Your own id of it; empty for none.")
    knowledge_id = serializers.UUIDField(allow_null=True, help_text="The id of its entry; null where none is stored.")
    reason = serializers.CharField(help_text="Why it is refused; empty where it is not.")


class KnowledgeImportOutput(serializers.Serializer[ImportReport]):
    is_written = serializers.BooleanField(help_text="Whether the file was imported; false after a dry run.")
    counts = serializers.SerializerMethodField(help_text="How many entries have each outcome.")
    lines = KnowledgeLineOutput(many=True, help_text="Every entry of the file, in its order.")

    @extend_schema_field(serializers.DictField(child=serializers.IntegerField()))
    def get_counts(self, report: ImportReport) -> dict[str, int]:
        return {outcome.value: report.count(outcome) for outcome in LineOutcome}


class KnowledgeImportsView(NonAtomicView):
    query_inputs: ClassVar = {"POST": KnowledgeImportQuery}

    @raises("permission_denied", "not_found", "import_refused", "import_under_way", *READS_BODY)
    @extend_schema(
        operation_id="knowledge_import",
        parameters=[KnowledgeImportQuery],
        request=dict.fromkeys(_FORMATS, OpenApiTypes.BINARY),
        responses=KnowledgeImportOutput,
    )
    def post(self, request: Request) -> Response:
        """Import a file of entries as the body, or only say what would happen to each. All is written or nothing.

        CSV names the fields in its first row; JSON lines hold an object each; in Markdown a heading of the second level
        is the subject of an entry, under it lines such as ``- kind: rule``, then its text. An entry with an
        ``external_id`` changes the one of that id, in the fields given; importing the same file again changes nothing.
        """
        file_format = _FORMATS.get((request.content_type or "").partition(";")[0].strip().lower())
        if file_format is None:
            raise UnsupportedMediaType(request.content_type or "")
        report = import_for(self.user, request._request.body, file_format, dry_run=self.query["dry_run"])
        return Response(KnowledgeImportOutput(report).data)


urlpatterns = [path("knowledge/imports", KnowledgeImportsView.as_view(), name="knowledge_imports")]
