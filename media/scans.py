"""The background job that checks an uploaded file: what is safe is kept as the scanner cleaned it, what is not goes."""

from __future__ import annotations

from functools import partial
from typing import Any, Final
from uuid import UUID

import structlog
from django.conf import settings
from django.db.models import QuerySet
from django.utils import timezone

from foundation.coroutines import call_in_thread
from foundation.database.acting_user import acting_as
from foundation.outbox import services as outbox
from foundation.outbox.jobs import Job
from foundation.telemetry.metrics import MEDIA_SCANS
from media import storage
from media.content_types import CONTENT_TYPES
from media.exceptions import ContentGone
from media.extraction.services import read_later
from media.keys import unwrap_of
from media.models import MediaFile
from media.scanning.clamav import require_unknown_to_clamav
from media.scanning.policy_scanner import PolicyScanner
from media.scanning.ports import ScannerInterrupted, ScannerPort, ScannerUnavailable
from media.scanning.types import CleanContent, RefusalReason, Refused
from media.services import open_if_there, save_object, whole_content

MOST_GROWTH: Final = 2
"""How many times ``MEDIA_MAX_BYTES`` a cleaned copy may have: a small picture may be drawn to a large one."""
Status = MediaFile.SecurityStatus
log = structlog.get_logger(__name__)


def scan(job: Job) -> None:
    """Check one file and note its ``security_status``. While the scanner is down the file is ``failed``, and the job is
    tried again like any; one that is interrupted to the last attempt was too costly.
    """
    media_id = UUID(job.payload["media"])
    with job.acting():
        media = _unchecked(media_id).first()
        key = unwrap_of(job.user_id, media.wrapped_key) if media else b""
        pieces = open_if_there(media) if media else None
    if media is None:
        with job.completing():
            return
    try:
        clean = call_in_thread(partial(find_safe, whole_content(pieces), media.media_type))
    except ContentGone:
        _refuse(job, media, RefusalReason.CONTENT_GONE)
    except Refused as refusal:
        _refuse(job, media, refusal.reason)
    except ScannerUnavailable as error:
        _note_failure(job, media, error)
    else:
        _keep(job, media, clean, key)


def find_safe(content: bytes, media_type: str, policy: ScannerPort | None = None) -> CleanContent:
    """What is kept of the content, once every scanner found it safe. Raises ``Refused`` and ``ScannerUnavailable``."""
    clean = (policy or PolicyScanner()).scan(content, CONTENT_TYPES[media_type])
    if settings.MEDIA_CLAMAV:
        require_unknown_to_clamav(settings.MEDIA_CLAMAV, content, seconds=settings.MEDIA_CLAMAV_SECONDS)
    if len(clean.content or b"") > MOST_GROWTH * settings.MEDIA_MAX_BYTES:
        raise Refused(RefusalReason.TOO_LARGE_INSIDE)
    return clean


def _note_failure(job: Job, media: MediaFile, error: ScannerUnavailable) -> None:
    """Note that a file was not checked, and raise the error so that it is tried again; refuse it at the last attempt
    where every one was interrupted.
    """
    if isinstance(error, ScannerInterrupted) and job.message.is_last_attempt:
        _refuse(job, media, RefusalReason.TOO_COSTLY)
        return
    log.warning("scanner_unavailable", error=str(error))
    with job.acting():
        outbox.require_lease(job.message)
        _note(media, Status.FAILED, RefusalReason.SCANNER_UNAVAILABLE)
    raise error


def _refuse(job: Job, media: MediaFile, reason: RefusalReason) -> None:
    """Note that a file is unsafe, and delete its content."""
    with job.completing():
        _note(media, Status.UNSAFE, reason, stored_name="", stored_size=0)
    remove_content(media)


def remove_content(media: MediaFile) -> None:
    """Delete what the storage has of a file whose row is gone or keeps nothing: not where another job has found it
    safe, or the same bytes were sent again meanwhile.
    """
    with acting_as(media.user_id):
        current = MediaFile.objects.select_for_update().filter(pk=media.pk).first()
        if current is None or not current.stored_name:
            storage.remove(media.user_id, [media.pk])


def _keep(job: Job, media: MediaFile, clean: CleanContent, key: bytes) -> None:
    """Note that a file is safe, store its cleaned copy and its thumbnail, and have its text read."""
    found = clean.finding
    fields: dict[str, Any] = {"media_type": found.media_type, "pages": found.pages}
    fields |= {"width": found.width, "height": found.height, "has_thumbnail": clean.thumbnail is not None}
    kept = original = media.stored_name
    if clean.content is not None:
        kept = _store(media, storage.CLEAN, clean.content, key)
        fields |= {"stored_name": kept, "stored_size": len(clean.content)}
    if clean.thumbnail is not None:
        _store(media, storage.THUMBNAIL, clean.thumbnail, key)
    with job.completing():
        is_noted = _note(media, Status.SAFE, None, **fields)
        if is_noted:
            read_later(media)
    if not is_noted:  # it was forgotten, or another job has checked it
        remove_content(media)
    elif kept != original:
        storage.remove_object(original)


def _store(media: MediaFile, part: str, content: bytes, key: bytes) -> str:
    name = storage.name_of(media.user_id, media.pk, part)
    save_object(media, name, key, [content])
    return name


def _note(media: MediaFile, status: MediaFile.SecurityStatus, reason: RefusalReason | None, **fields: Any) -> bool:
    """Set what was found; returns whether it was: not where the file was forgotten or another job has checked it."""
    found = {"security_status": status, "security_reason": reason or "", "scanned_at": timezone.now()}
    is_noted = bool(_unchecked(media.pk).update(**found, **fields))
    if is_noted:
        MEDIA_SCANS.labels(status=status.value).inc()
    return is_noted


def _unchecked(media_id: UUID) -> QuerySet[MediaFile]:
    """The file while no job has found it safe or unsafe."""
    return MediaFile.objects.filter(pk=media_id, security_status__in=(Status.PENDING, Status.FAILED))
