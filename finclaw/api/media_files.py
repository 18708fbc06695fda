"""Uploaded files: sent, watched while they are checked, downloaded, forgotten."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from io import BytesIO
from typing import Any, Final
from uuid import UUID

from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import FileUploadHandler
from django.http import HttpRequest, StreamingHttpResponse
from django.urls import path
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import UnsupportedMediaType
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.throttling import BaseThrottle

from consent.models import ErasureScope
from finclaw.api.base import ApiView, NonAtomicView
from finclaw.api.erasures import DeletionReceiptOutput, ForgettingView
from finclaw.api.operations import FORGETS, located, raises
from finclaw.api.schema import PAGE, page_of
from finclaw.api.throttling import UserThrottle
from finclaw.server.uploads import FileRefused
from foundation.database.acting_program import acting_program
from foundation.database.acting_user import acting_as
from foundation.exceptions import ValidationFailed
from media.extraction.services import can_be_read_again, read_again
from media.models import MediaFile
from media.services import file_of, files_of, open_file, open_thumbnail, require_safe
from media.uploads import EncryptedUpload, store_upload
from memory.exceptions import KindWithheld

FORM: Final = "multipart/form-data"
FIELD: Final = "file"
THUMBNAIL_TYPE: Final = "image/jpeg"
_HARMLESS: Final = "default-src 'none'; sandbox"


class EncryptedFile(UploadedFile):  # type: ignore[type-arg]  # no generic when it runs
    """A file of a form whose content Django's parser has written nowhere but to its ``upload``, which encrypts it."""

    def __init__(self, name: str, upload: EncryptedUpload) -> None:
        super().__init__(BytesIO(), name, size=upload.size)
        self.upload = upload

    def close(self) -> None:
        self.upload.close()


class EncryptingUploadHandler(FileUploadHandler):
    """Encrypts the one file of a form while it is read, and stops at the first byte too many."""

    upload: EncryptedUpload | None = None

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        """Begin a file. Raises ``FileRefused`` for a second one, or one of another field."""
        super().new_file(*args, **kwargs)
        if self.field_name != FIELD or self.upload is not None:
            raise FileRefused(_("Send one file, in the field “file”."))
        self.upload = EncryptedUpload()

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        """Take more of it. Raises ``MediaTooLarge``."""
        if self.upload is not None:
            self.upload.feed(raw_data)

    def file_complete(self, file_size: int) -> EncryptedFile | None:
        """The complete file."""
        if self.upload is None:
            return None
        self.upload.finish()
        return EncryptedFile(self.file_name or "", self.upload)

    def upload_interrupted(self) -> None:
        """Give its room back."""
        if self.upload is not None:
            self.upload.close()


class MediaThrottle(UserThrottle):
    """Limits how many files a user sends."""

    scope = "media"


class MediaUploadInput(serializers.Serializer[Any]):
    file = serializers.FileField()


class MediaOutput(serializers.ModelSerializer[MediaFile]):
    media_id = serializers.UUIDField(source="id")
    can_be_read_again = serializers.SerializerMethodField(
        help_text="Whether its reading took too long, the first time."
    )
    in_use = serializers.SerializerMethodField(help_text="Whether a message has it as a part.")

    def get_can_be_read_again(self, media: MediaFile) -> bool:
        return can_be_read_again(media)

    def get_in_use(self, media: MediaFile) -> bool:
        return bool(media.uses.all())  # of a list, fetched with it

    class Meta:
        model = MediaFile
        fields = (
            "media_id", "name", "kind", "media_type", "size", "sha256", "security_status", "security_reason", "width",
            "height", "pages", "has_thumbnail", "text_state", "unread_reason", "text_is_cut", "can_be_read_again",
            "in_use", "created_at",
        )  # fmt: skip


class MediaView(NonAtomicView):
    reads_body = False
    parser_classes = (MultiPartParser,)  # a browser's session reads the form for its token

    def initialize_request(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Request:
        """Encrypt each byte of the file as the form is read: a browser's is read to find its token."""
        if request.method == "POST":
            request.upload_handlers = [EncryptingUploadHandler(request)]
        return super().initialize_request(request, *args, **kwargs)

    def get_throttles(self) -> list[BaseThrottle]:
        """Uploads count against a rate of their own besides."""
        own = [MediaThrottle()] if self.request.method == "POST" else []
        return [*super().get_throttles(), *own]

    @located("media_file", "media_id", status=202)
    @raises(
        "profile_consent_required", "consent_outdated", "erasure_in_progress", "payload_too_large", "kind_withheld",
        "unsupported_media_type", "media_quota_reached",
    )  # fmt: skip
    @extend_schema(operation_id="media_create", request={FORM: MediaUploadInput}, responses={202: MediaOutput})
    def post(self, request: Request) -> Response:
        """Upload a file: a picture, PDF, Word, text or sound, told by its content. It is checked in the background,
        and part of no message before ``security_status`` is ``safe``. A picture is kept without the place and camera
        that it names. The same bytes again are the same file.
        """
        if (request.content_type or "").partition(";")[0].strip().lower() != FORM:
            raise UnsupportedMediaType(request.content_type or "")
        if acting_program().withheld:
            raise KindWithheld()
        file = request._request.FILES.get(FIELD)
        if not isinstance(file, EncryptedFile):
            raise ValidationFailed(details={FIELD: [_("Choose a file first.")]})
        media = store_upload(self.user, file.upload, file.name or "")
        with acting_as(self.user.pk):
            return Response(MediaOutput(media).data, 202)

    @extend_schema(operation_id="media_list", parameters=PAGE, responses=page_of(MediaOutput))
    def get(self, request: Request) -> Response:
        """Your files, latest first, refused ones too."""
        with self.acting() as permit:
            return self.page(files_of(permit).prefetch_related("uses"), MediaOutput, ordering="-created_at")


class MediaFileView(ForgettingView):
    @extend_schema(operation_id="media_retrieve", responses=MediaOutput)
    def get(self, request: Request, media_id: UUID) -> Response:
        """One file, and whether it was found safe."""
        return Response(MediaOutput(file_of(self.permit, media_id)).data)

    @raises(*FORGETS)
    @located("erasure", "tombstone_id", status=202)
    @extend_schema(operation_id="media_delete", responses={202: DeletionReceiptOutput})
    def delete(self, request: Request, media_id: UUID) -> Response:
        """Forget a file with its thumbnail and what was read in it; messages that had it keep their words."""
        return self.forget(ErasureScope.MEDIA, str(media_id))


class MediaReadingView(ApiView):
    def get_throttles(self) -> list[BaseThrottle]:
        """A reading counts like an upload, too."""
        return [*super().get_throttles(), MediaThrottle()]

    @located("media_file", "media_id", status=202)
    @raises(
        "profile_consent_required", "consent_outdated", "erasure_in_progress", "kind_withheld", "media_not_read_again"
    )
    @extend_schema(operation_id="media_read_again", request=None, responses={202: MediaOutput})
    def post(self, request: Request, media_id: UUID) -> Response:
        """Read a file once more whose reading took too long, with more time. While it is being read nothing changes."""
        if acting_program().withheld:
            raise KindWithheld()
        self.permit.require_decision()
        again = partial(read_again, self.permit, media_id)
        return self.once(202, again, lambda _: MediaOutput(file_of(self.permit, media_id)).data)


class MediaContentView(NonAtomicView):
    @raises("media_not_safe")
    @extend_schema(
        operation_id="media_content",
        responses={(200, "application/octet-stream"): OpenApiResponse(OpenApiTypes.BINARY, description="The file.")},
    )
    def get(self, request: Request, media_id: UUID) -> StreamingHttpResponse:
        """The file as it is kept, under its own type, to be saved and never run."""
        with self.acting() as permit:
            [media] = require_safe(permit, [media_id])
            pieces = open_file(media)
        answer = _harmless(pieces, media.media_type)
        answer.headers["Content-Length"] = str(media.stored_size)
        answer.headers["Content-Disposition"] = content_disposition_header(True, media.name) or "attachment"
        return answer


class MediaThumbnailView(NonAtomicView):
    @raises("media_not_safe")
    @extend_schema(
        operation_id="media_thumbnail",
        responses={(200, THUMBNAIL_TYPE): OpenApiResponse(OpenApiTypes.BINARY, description="The picture, small.")},
    )
    def get(self, request: Request, media_id: UUID) -> StreamingHttpResponse:
        """The thumbnail of a picture, at most 320 pixels wide and high."""
        with self.acting() as permit:
            [media] = require_safe(permit, [media_id])
            pieces = open_thumbnail(media)
        return _harmless(pieces, THUMBNAIL_TYPE)


def _harmless(pieces: Iterator[bytes], content_type: str) -> StreamingHttpResponse:
    """An answer that a browser neither runs nor takes for anything else."""
    answer = StreamingHttpResponse(pieces, content_type=content_type)
    answer.headers["X-Content-Type-Options"] = "nosniff"
    answer.headers["Content-Security-Policy"] = _HARMLESS
    answer.headers["Cross-Origin-Resource-Policy"] = "same-origin"
    return answer


urlpatterns = [
    path("media", MediaView.as_view(), name="media"),
    path("media/<uuid:media_id>", MediaFileView.as_view(), name="media_file"),
    path("media/<uuid:media_id>/reading", MediaReadingView.as_view(), name="media_reading"),
    path("media/<uuid:media_id>/content", MediaContentView.as_view(), name="media_content"),
    path("media/<uuid:media_id>/thumbnail", MediaThumbnailView.as_view(), name="media_thumbnail"),
]
