"""Data exports: requested, watched, downloaded by a link that expires."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction
from django.http import FileResponse
from django.urls import path, reverse
from django.utils import timezone
from django.utils.decorators import method_decorator
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from consent.export.services import download_link, export_of, exports_of, open_export
from consent.models import DataExport
from finclaw.api.base import ApiView, PublicView
from finclaw.api.operations import READS_BODY, located, raises
from finclaw.api.schema import PAGE, page_of
from finclaw.api.serializers import StrictSerializer
from finclaw.brain.long_tasks.services import start_task
from finclaw.models import LongTaskKind
from foundation.accounts.addresses import client_address
from foundation.accounts.attempts import AttemptPurpose, begin_attempt


class ExportOutput(serializers.ModelSerializer[DataExport]):
    export_id = serializers.UUIDField(source="id")
    progress = serializers.IntegerField(help_text="Per cent.")
    sha256 = serializers.CharField(allow_blank=True, help_text="Of the archive; empty until it is ready.")
    download_url = serializers.SerializerMethodField()

    class Meta:
        model = DataExport
        fields = ("export_id", "state", "progress", "size", "sha256", "expires_at", "download_url")

    def get_download_url(self, export: DataExport) -> str | None:
        """Opens the archive without signing in until it expires; null until it is ready."""
        token = download_link(export, timezone.now())
        if token is None:
            return None
        request: Request = self.context["request"]
        return request.build_absolute_uri(reverse("api:export_download", args=[token]))


class ExportRequestView(ApiView):
    @located("export", "export_id", status=202)
    @raises(*READS_BODY)
    @extend_schema(operation_id="export_create", request=None, responses={202: ExportOutput})
    def post(self, request: Request, user_id: str) -> Response:
        """Build an archive of all your data; returns the one in progress, if any."""
        self.require_me(user_id)
        self.valid(StrictSerializer)
        key = start_task(self.permit, self.user, LongTaskKind.EXPORT, {"source": "api"})
        return Response(ExportOutput(export_of(self.user, key), context={"request": request}).data, 202)


class ExportsView(ApiView):
    @extend_schema(operation_id="export_list", parameters=PAGE, responses=page_of(ExportOutput))
    def get(self, request: Request) -> Response:
        """Your exports, latest first."""
        return self.page(exports_of(self.user), ExportOutput, ordering="-created_at", context={"request": request})


class ExportView(ApiView):
    @extend_schema(operation_id="export_retrieve", responses=ExportOutput)
    def get(self, request: Request, export_id: UUID) -> Response:
        """The progress of one export, and its download link."""
        return Response(ExportOutput(export_of(self.user, export_id), context={"request": request}).data)


@method_decorator(transaction.non_atomic_requests, name="dispatch")  # a wrong link counts
class DownloadView(PublicView):
    """The link is the key: whoever holds it need not sign in."""

    authentication_classes = ()
    permission_classes = ()

    @extend_schema(
        operation_id="export_download",
        auth=[],
        responses={(200, "application/zip"): OpenApiResponse(OpenApiTypes.BINARY, description="The archive.")},
    )
    def get(self, request: Request, token: str) -> FileResponse:
        """The archive, streamed."""
        attempt = begin_attempt(AttemptPurpose.LINK, client_address(request.META))
        download = open_export(token)
        attempt.succeed()
        return FileResponse(
            download.file,
            as_attachment=True,
            filename=download.name,
            content_type="application/zip",
        )


urlpatterns = [
    path("users/<str:user_id>/export", ExportRequestView.as_view(), name="export_ask"),
    path("exports", ExportsView.as_view(), name="exports"),
    path("exports/<uuid:export_id>", ExportView.as_view(), name="export"),
    path("exports/download/<str:token>", DownloadView.as_view(), name="export_download"),
]
