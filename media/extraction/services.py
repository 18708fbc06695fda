"""The job that reads a file once it was found safe, and keeps its text with it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final
from uuid import UUID

from django.conf import settings

from consent.permit import Permit
from consent.sensitive.services import redact_text
from consent.services import hold_permit, permit_for
from foundation.accounts.models import User
from foundation.accounts.services import lock_user
from foundation.coroutines import call_in_thread
from foundation.exceptions import require_found
from foundation.outbox import services as outbox
from foundation.outbox.jobs import Job
from foundation.personal_data import ConsentScope
from media.exceptions import ContentGone, MediaNotReadAgain
from media.extraction.isolation import extract_apart
from media.extraction.passages import split_passages
from media.extraction.types import (
    ExtractedText,
    ExtractionFailed,
    ExtractionInterrupted,
    ExtractionLimits,
    Unread,
)
from media.models import MediaFile, MediaPassage
from media.services import files_of, open_if_there, queue_once, whole_content

EXTRACT_TOPIC = "media.extract"
INDEX_TOPIC = "memory.index_files"
"""The topic of the job that makes a file's text searchable, once the file is part of a message."""
_MOST_SECONDS: Final = 280.0
"""Of the clock, for one reading: a worker's task is killed after ten minutes, and begins jobs for five."""
TextState = MediaFile.TextState


def extract(job: Job) -> None:
    """Read the text of a safe file. A file that cannot be read says why, and is not tried again.

    Raises ``SandboxUnavailable`` where no reader can be started and, the first time, ``ExtractionInterrupted`` where
    one is ended by the clock: neither says anything of the file, so that the job is tried again.
    """
    media_id = UUID(job.payload["media"])
    with job.acting():
        waiting = MediaFile.objects.filter(pk=media_id, text_state=TextState.WAITING)
        media = waiting.filter(security_status=MediaFile.SecurityStatus.SAFE).first()
        pieces = open_if_there(media) if media is not None else None
    found = _read(job, media, pieces) if media is not None else None
    with job.completing():
        if media is not None and found is not None:
            job.result |= _store(media, found)


def read_later(media: MediaFile) -> None:
    """Queue the reading of a file that was found safe; call acting for its user."""
    queue_once(EXTRACT_TOPIC, media)


def can_be_read_again(media: MediaFile) -> bool:
    """Whether its user may have a file read once more: its first reading took too long."""
    is_too_slow = media.text_state == TextState.UNREAD and media.unread_reason == Unread.TOO_SLOW
    return is_too_slow and not media.is_second_reading


def read_again(permit: Permit, media_id: UUID) -> MediaFile:
    """Have one of the user's files read once more, with more time. Of one that is being read nothing changes, but that
    it gets a job where it has lost its own.

    Call acting for the user. Raises ``NotFound``, ``MediaNotReadAgain``, ``ConsentOutdated`` and ``ErasureInProgress``.
    """
    hold_permit(permit)
    media = require_found(files_of(permit).select_for_update().filter(pk=media_id).first())
    if not media.is_safe or media.text_state != TextState.WAITING:
        if not can_be_read_again(media):
            raise MediaNotReadAgain()
        media.text_state, media.unread_reason, media.is_second_reading = TextState.WAITING, "", True
        media.save(update_fields=["text_state", "unread_reason", "is_second_reading"])
    read_later(media)
    return media


def index_later(user_id: UUID, media_id: UUID) -> None:
    """Queue the file's text for search, where the messages that it is part of may be learned from."""
    outbox.enqueue(
        INDEX_TOPIC, user_id=user_id, payload={"media": str(media_id)}, scope=ConsentScope.MEMORY_LEARNING.value
    )


def _read(job: Job, media: MediaFile, pieces: Iterator[bytes] | None) -> ExtractedText | Unread:
    try:
        content = whole_content(pieces)
        reader = settings.MEDIA_SPEECH_READER
        return call_in_thread(
            partial(extract_apart, content, media.media_type, _limits_of(media), speech_reader=reader)
        )
    except ContentGone:
        return Unread.CONTENT_GONE
    except ExtractionInterrupted as interruption:
        if job.message.attempts == 1 and not job.message.is_last_attempt:
            raise
        return interruption.reason
    except ExtractionFailed as failure:
        return failure.reason


def _limits_of(media: MediaFile) -> ExtractionLimits:
    seconds = settings.MEDIA_READ_AGAIN_SECONDS if media.is_second_reading else settings.MEDIA_READ_SECONDS
    return ExtractionLimits(
        settings.MEDIA_READ_PAGES, settings.MEDIA_READ_CHARACTERS, seconds, min(2 * seconds, _MOST_SECONDS)
    )


def _store(media: MediaFile, found: ExtractedText | Unread) -> dict[str, int | str]:
    """Keep what was read, unless the file was forgotten or read meanwhile; returns what the job tells."""
    lock_user(media.user_id)
    current = MediaFile.objects.select_for_update().filter(pk=media.pk, text_state=TextState.WAITING).first()
    if current is None:
        return {}
    if isinstance(found, Unread):
        current.text_state, current.unread_reason = TextState.UNREAD, found.value
        current.save(update_fields=["text_state", "unread_reason"])
        return {"unread": found.value}
    current.text_state, current.text_is_cut = TextState.READ, found.is_cut
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
