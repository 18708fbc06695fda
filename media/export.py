"""The content of a user's files, for the archive of an export."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import UUID

from foundation.exceptions import NotFound
from media.content_types import CONTENT_TYPES
from media.models import MediaFile
from media.services import open_file

FOLDER = "media/content"


def exported_files(user_id: UUID) -> Iterator[tuple[str, Iterator[bytes]]]:
    """The path in the archive and the content of each of the user's files that was found safe, as it is kept. Call
    acting for them.
    """
    safe = MediaFile.objects.filter(user_id=user_id, security_status=MediaFile.SecurityStatus.SAFE)
    for media in safe.order_by("pk").iterator(chunk_size=100):
        known = CONTENT_TYPES.get(media.media_type)
        try:
            pieces = open_file(media)
        except NotFound:  # the storage lost it
            continue
        yield f"{FOLDER}/{media.pk}.{known.ending if known else 'bin'}", pieces
