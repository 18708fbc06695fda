"""Uploads files as a user does, and has them checked."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from rest_framework.test import APIClient

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.tasks import drain
from media.models import MediaFile
from media.services import read_file
from media.uploads import receive

MEDIA = "/api/media"


def upload(client: APIClient, content: bytes, name: str = "a.png", field: str = "file") -> Any:
    """Send a file as a form."""
    return client.post(MEDIA, {field: SimpleUploadedFile(name, content)}, format="multipart")


def checked(user: User, content: bytes | Iterable[bytes], name: str = "a.png") -> MediaFile:
    """A file of the user's, after its scan."""
    media = receive(user, [content] if isinstance(content, bytes) else content, name)
    drain()
    return reread(media)


def reread(media: MediaFile) -> MediaFile:
    """The file as it is now."""
    with acting_as(media.user_id):
        return MediaFile.objects.get(pk=media.pk)


def content_of(media: MediaFile) -> bytes:
    """What is kept of it."""
    with acting_as(media.user_id):
        return read_file(media)
