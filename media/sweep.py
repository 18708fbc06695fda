"""Deletes what the storage has and no row knows, and has files checked and read again whose job was lost or failed."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import islice
from typing import Final
from uuid import UUID

from django.db.models import Q
from django.utils import timezone

from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE
from foundation.outbox.models import OutboxMessage
from foundation.telemetry.metrics import MEDIA_ORPHANS
from media import storage
from media.extraction.services import EXTRACT_TOPIC
from media.models import MediaFile
from media.services import job_key, queue_once
from media.uploads import SCAN_TOPIC

ORPHAN_AFTER: Final = timedelta(hours=1)
MOST_REQUEUED: Final = 500
"""How many files one sweep queues to be checked, and how many to be read; the others wait for the next."""
LOOKED_UP_AT_ONCE: Final = 1_000
Status = MediaFile.SecurityStatus


def sweep_media() -> int:
    """Delete objects older than an hour that belong to no file; returns how many. For the schedule."""
    requeue_unchecked()
    requeue_unread()
    return sum(_remove_orphans_of(user_id) for user_id in storage.user_ids())


def requeue_unchecked() -> int:
    """Queue the scan of files that were not checked, an hour old and due (``_is_due``); returns how many."""
    return _requeue(SCAN_TOPIC, Q(security_status=Status.PENDING) | Q(security_status=Status.FAILED))


def requeue_unread() -> int:
    """Queue the reading of safe files that were not read, those from before files were read too; as above."""
    return _requeue(EXTRACT_TOPIC, Q(security_status=Status.SAFE, text_state=MediaFile.TextState.WAITING))


def _requeue(topic: str, waiting: Q) -> int:
    now = timezone.now()
    due = list(islice(_due_files(topic, waiting, now), MOST_REQUEUED))
    for media in due:
        with acting_as(media.user_id):
            queue_once(topic, media)
    return len(due)


def _due_files(topic: str, waiting: Q, now: datetime) -> Iterator[MediaFile]:
    """The files that are due, the oldest first; looks up no more of those that wait than are asked for."""
    files = MediaFile.objects.filter(waiting, created_at__lt=now - ORPHAN_AFTER).order_by("pk")
    last = UUID(int=0)
    while True:
        with in_role(OPERATOR_ROLE):
            page = {job_key(topic, media.pk): media for media in files.filter(pk__gt=last)[:LOOKED_UP_AT_ONCE]}
            jobs = OutboxMessage.objects.in_bulk(list(page))
        yield from (media for key, media in page.items() if _is_due(media, jobs.get(key), now))
        if len(page) < LOOKED_UP_AT_ONCE:
            return
        last = max(media.pk for media in page.values())


def _is_due(media: MediaFile, job: OutboxMessage | None, now: datetime) -> bool:
    """Whether a file that waits has no job, or one that ended and has rested for as long as the file was old when it
    did: each pause is twice the last, so that a file that nothing can check is tried ever less often.
    """
    if job is None:
        return True
    ended = job.finished_at
    return job.state not in OutboxMessage.UNFINISHED and (ended is None or now - ended >= ended - media.created_at)


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
        files = list(MediaFile.with_erased.filter(user_id=user_id).only("id", "stored_name", "has_thumbnail"))
    thumbnails = {storage.name_of(user_id, media.pk, storage.THUMBNAIL) for media in files if media.has_thumbnail}
    return thumbnails | {media.stored_name for media in files}
