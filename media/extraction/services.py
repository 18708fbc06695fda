"""The job that reads a file once it was found safe, and keeps its text with it."""

from __future__ import annotations

from uuid import UUID

from django.conf import settings

from consent.sensitive.services import redact_text
from consent.services import permit_for
from foundation.accounts.models import User
from foundation.accounts.services import lock_user
from foundation.outbox import services as outbox
from foundation.outbox.jobs import Job
from foundation.personal_data import ConsentScope
from media.extraction.isolation import extract_apart
from media.extraction.passages import split_passages
from media.extraction.types import ExtractedText, ExtractionFailed, ExtractionLimits, Unread
from media.models import MediaFile, MediaPassage
from media.services import open_file, queue_once

EXTRACT_TOPIC = "media.extract"
INDEX_TOPIC = "memory.index_files"
"""The topic of the job that makes a file's text searchable, once the file is part of a message."""


def extract(job: Job) -> None:
    """Read the text of a safe file. A file that cannot be read says why, and is not tried again. Raises
    ``SandboxUnavailable`` where no reader can be started, which says nothing of the file: that is tried again.
    """
    media_id = UUID(job.payload["media"])
    with job.acting():
        waiting = MediaFile.objects.filter(pk=media_id, text_state=MediaFile.TextState.WAITING)
        media = waiting.filter(security_status=MediaFile.SecurityStatus.SAFE).first()
        pieces = open_file(media) if media is not None else ()
    found = _read(media, b"".join(pieces)) if media is not None else None
    with job.completing():
        if media is not None and found is not None:
            job.result |= _store(media, found)


def read_later(media: MediaFile) -> None:
    """Queue the reading of a file that was found safe; call acting for its user."""
    queue_once(EXTRACT_TOPIC, media)


def index_later(user_id: UUID, media_id: UUID) -> None:
    """Queue the file's text for search, where the messages that it is part of may be learned from."""
    outbox.enqueue(
        INDEX_TOPIC, user_id=user_id, payload={"media": str(media_id)}, scope=ConsentScope.MEMORY_LEARNING.value
    )


def _read(media: MediaFile, content: bytes) -> ExtractedText | Unread:
    limits = ExtractionLimits(settings.MEDIA_READ_PAGES, settings.MEDIA_READ_CHARACTERS, settings.MEDIA_READ_SECONDS)
    try:
        return extract_apart(content, media.media_type, limits, speech_reader=settings.MEDIA_SPEECH_READER)
    except ExtractionFailed as failure:
        return failure.reason


def _store(media: MediaFile, found: ExtractedText | Unread) -> dict[str, int | str]:
    """Keep what was read, unless the file was forgotten or read meanwhile; returns what the job tells."""
    lock_user(media.user_id)
    current = MediaFile.objects.select_for_update().filter(pk=media.pk, text_state=MediaFile.TextState.WAITING).first()
    if current is None:
        return {}
    if isinstance(found, Unread):
        current.text_state, current.unread_reason = MediaFile.TextState.UNREAD, found.value
        current.save(update_fields=["text_state", "unread_reason"])
        return {"unread": found.value}
    current.text_state, current.text_is_cut = MediaFile.TextState.READ, found.is_cut
    current.save(update_fields=["text_state", "text_is_cut"])
    passages = MediaPassage.objects.bulk_create(_passages(current, found))
    index_later(current.user_id, current.pk)
    return {"passages": len(passages)}


def _passages(media: MediaFile, found: ExtractedText) -> list[MediaPassage]:
    """The rows of a file's text, without what is never written down, such as passwords and card numbers."""
    version = permit_for(User.objects.get(pk=media.user_id)).version
    return [
        MediaPassage(
            user_id=media.user_id,
            media=media,
            position=position,
            page=passage.page,
            file_name=media.name,
            text=redact_text(passage.text),
            consent_version=version,
        )
        for position, passage in enumerate(split_passages(found.pages), 1)
    ]
