"""Deletes what the storage has and no row knows, and has files checked again whose job was lost."""

from __future__ import annotations

from datetime import timedelta
from typing import Final
from uuid import UUID

from django.utils import timezone

from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE
from foundation.outbox.models import OutboxMessage
from foundation.telemetry.metrics import MEDIA_ORPHANS
from media import storage
from media.models import MediaFile
from media.uploads import SCAN_TOPIC, queue_scan

ORPHAN_AFTER: Final = timedelta(hours=1)


def sweep_media() -> int:
    """Delete objects older than an hour that belong to no file; returns how many. For the schedule."""
    requeue_unchecked()
    return sum(_remove_orphans_of(user_id) for user_id in storage.user_ids())


def requeue_unchecked() -> int:
    """Queue the scan of files that have waited for an hour without a job; returns how many."""
    before = timezone.now() - ORPHAN_AFTER
    with in_role(OPERATOR_ROLE):
        waiting = list(
            MediaFile.objects.filter(security_status=MediaFile.SecurityStatus.PENDING, created_at__lt=before)
        )
    lost = [media for media in waiting if not _is_queued(media)]
    for media in lost:
        with acting_as(media.user_id):
            queue_scan(media)
    return len(lost)


def _is_queued(media: MediaFile) -> bool:
    with acting_as(media.user_id):
        return OutboxMessage.objects.filter(
            topic=SCAN_TOPIC, payload__media=str(media.pk), state__in=OutboxMessage.UNFINISHED
        ).exists()


def _remove_orphans_of(user_id: UUID) -> int:
    before = timezone.now() - ORPHAN_AFTER
    known = _known_names(user_id)
    orphans = [name for name in storage.objects_of(user_id) if name not in known]
    old = [name for name in orphans if storage.is_older(name, before)]
    for name in old:
        storage.remove_object(name)
    MEDIA_ORPHANS.inc(len(old))
    return len(old)


def _known_names(user_id: UUID) -> set[str]:
    """The objects that rows refer to, those of files that are being erased too: their erasure deletes them."""
    with in_role(OPERATOR_ROLE):
        rows = MediaFile.with_erased.filter(user_id=user_id).values_list("pk", "stored_name", "has_thumbnail")
        return {
            name
            for media_id, stored, has_thumbnail in rows
            for name in (stored, storage.name_of(user_id, media_id, storage.THUMBNAIL) if has_thumbnail else "")
            if name
        }
