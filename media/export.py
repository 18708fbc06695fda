"""The content of a user's files, for the archive of an export."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import UUID

import structlog
from cryptography.exceptions import InvalidTag

from foundation.exceptions import NotFound
from media.content_types import CONTENT_TYPES
from media.models import MediaFile
from media.services import read_file

FOLDER = "media/content"
log = structlog.get_logger(__name__)


def exported_files(user_id: UUID) -> Iterator[tuple[str, list[bytes]]]:
    """The path in the archive and the content of each of the user's files that was found safe, as it is kept. Call
    acting for them. One whose content is lost or damaged is left out; its row is in the archive.
    """
    safe = MediaFile.objects.filter(user_id=user_id, security_status=MediaFile.SecurityStatus.SAFE)
    for media in safe.order_by("pk").iterator(chunk_size=100):
        known = CONTENT_TYPES.get(media.media_type)
        try:
            content = read_file(media)
        except (NotFound, InvalidTag) as error:
            log.warning("content_not_exported", media=str(media.pk), error=type(error).__name__)
            continue
        yield f"{FOLDER}/{media.pk}.{known.ending if known else 'bin'}", [content]
