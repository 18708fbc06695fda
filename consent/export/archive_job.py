"""The background job that builds an export from one database snapshot and publishes the whole file at the end."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import IO
from uuid import UUID

from django.conf import settings
from django.utils import timezone

from consent.export import storage
from consent.export.archive import ArchiveContents, count_erasures, write_archive
from consent.export.exceptions import ExportCancelled, SnapshotOutdated
from consent.export.lifecycle import State, advance_export
from consent.models import AuditEvent, DataExport
from consent.models.exports import KEEP_EXPORTS
from foundation.accounts.services import lock_user
from foundation.database.acting_user import acting_as, commit_without_waiting, separate_connection, snapshot_as
from foundation.database.replica import reading_from_replica
from foundation.long_tasks import announce_end
from foundation.outbox import services as outbox
from foundation.outbox.exceptions import LostLease
from foundation.outbox.jobs import Job
from foundation.telemetry.metrics import EXPORTS
from foundation.webhooks.models import WebhookEvent
from foundation.webhooks.services import publish


def build_export(job: Job) -> None:
    """Handle an export job: write the archive from scratch and publish it.

    A job whose user or export is gone, or was cancelled, is completed without work. A failed attempt is retried like
    any job's; the export is marked as failed with the last attempt.
    """
    export = _begin_export(job)
    if export is None:
        with job.completing():
            return
    try:
        _build_archive(job, export)
    except LostLease:
        raise
    except ExportCancelled:
        with job.completing():
            return
    except Exception as error:
        if job.message.is_last_attempt:
            fail_export(job.user_id, export.pk, type(error).__name__)
        raise


def fail_export(user_id: UUID, export_id: UUID, error_class: str) -> bool:
    """Mark an export as failed with an error class; returns whether it was under way."""
    with acting_as(user_id):
        failed = advance_export(export_id, State.FAILED, error_class=error_class[:80], finished_at=timezone.now())
        if failed:
            announce_end(DataExport.objects.all(), user_id, export_id)
    EXPORTS.labels(outcome="failed").inc(failed)
    return failed


def _begin_export(job: Job) -> DataExport | None:
    export_id = UUID(job.payload["export"])
    with job.acting():
        advance_export(export_id, State.BUILDING, progress=0, error_class="", finished_at=None)
        return DataExport.objects.filter(pk=export_id, state=State.BUILDING).first()


def _build_archive(job: Job, export: DataExport) -> None:
    with storage.partial_export(job.user_id, export.pk) as file:
        # A standby may not know of an erasure yet: publishing compares with what the primary knows.
        with separate_connection() as thread, reading_from_replica(), snapshot_as(job.user_id):
            contents = write_archive(
                file,
                job.user_id,
                timezone.now(),
                lambda percent: thread.submit(_save_progress, job, export.pk, percent).result(),
            )
        _publish_archive(job, export, contents, file)


def _save_progress(job: Job, export_id: UUID, percent: int) -> None:
    """Store the progress. Raises ``LostLease`` where another worker has the job, and ``ExportCancelled``."""
    with job.acting():
        commit_without_waiting()  # up to 100 per export, and losing one in a crash does no harm
        outbox.require_lease(job.message)
        if not DataExport.objects.filter(pk=export_id, state=State.BUILDING).update(progress=percent):
            raise ExportCancelled()


def _publish_archive(job: Job, export: DataExport, contents: ArchiveContents, file: IO[bytes]) -> None:
    """Mark the export ready and put the file in its place: both or neither, unless the commit itself fails."""
    size, digest = storage.flush_and_hash(file)
    now = timezone.now()
    expires_at = min(now + timedelta(hours=settings.EXPORT_LINK_HOURS), export.created_at + KEEP_EXPORTS)
    ready = {"progress": 100, "size": size, "sha256": digest, "finished_at": now, "expires_at": expires_at}
    with job.completing():
        lock_user(job.user_id)
        require_current_snapshot(job.user_id, contents)
        if not advance_export(export.pk, State.READY, **ready):
            raise ExportCancelled()
        audit_export(job.user_id, "export.completed", contents, size, export_id=export.pk)
        publish(job.user_id, WebhookEvent.EXPORT_READY, export.pk)
        announce_end(DataExport.objects.all(), job.user_id, export.pk)
        surplus = _expire_surplus(job.user_id)
        Path(file.name).rename(storage.path_of(job.user_id, export.pk))
    for old in surplus:
        storage.remove_archive(job.user_id, old)
    EXPORTS.labels(outcome="expired").inc(len(surplus))
    EXPORTS.labels(outcome="ready").inc()


def require_current_snapshot(user_id: UUID, contents: ArchiveContents) -> None:
    """Raise ``SnapshotOutdated`` when the user requested an erasure since. Call with the user's row locked."""
    if count_erasures(user_id) != contents.erasures:
        raise SnapshotOutdated()


def audit_export(
    user_id: UUID, action: str, contents: ArchiveContents, size: int, *, export_id: UUID | None = None
) -> None:
    """Record that everything about a person was written out, in numbers."""
    counts = {"files": len(contents.manifest.files), "rows": contents.manifest.rows, "bytes": size}
    AuditEvent.objects.create(user_id=user_id, action=action, subject_id=export_id, counts=counts)


def _expire_surplus(user_id: UUID) -> list[UUID]:
    """Expire all ready exports but the latest few; returns which expired."""
    ready = DataExport.objects.filter(user_id=user_id, state=State.READY).order_by("-finished_at")
    surplus = list(ready.values_list("pk", flat=True)[settings.EXPORT_KEEP :])
    return [export_id for export_id in surplus if advance_export(export_id, State.EXPIRED)]
