"""Cleans up exports every hour: expired ones, and files without an export."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from uuid import UUID

import structlog
from django.utils import timezone

from consent.export import storage
from consent.export.lifecycle import UNFINISHED, State, advance_export
from consent.models import DataExport
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE
from foundation.telemetry.metrics import EXPORT_ORPHANS, EXPORTS

log = structlog.get_logger(__name__)
# Longer than any build may take (``Q_CLUSTER["timeout"]``): a file is moved into place before its row says so.
ORPHAN_AFTER = timedelta(hours=1)


def expire_exports() -> int:
    """Delete the archives whose link has expired, and files that belong to no export; returns how many exports expired.

    Scheduled; idempotent.
    """
    now = timezone.now()
    with in_role(OPERATOR_ROLE):
        alive = list(DataExport.objects.filter(state__in=(State.READY, *UNFINISHED)))
    ready = [export for export in alive if export.state == State.READY]
    over = [export for export in ready if _has_expired(export, now)]
    expired = sum(_expire_export(export) for export in over)
    orphans = storage.remove_orphans(
        _ids(export for export in ready if export not in over),
        _ids(export for export in alive if export.state in UNFINISHED),
        now - ORPHAN_AFTER,
    )
    EXPORT_ORPHANS.inc(orphans)
    if expired or orphans:
        log.info("exports_swept", expired=expired, orphans=orphans)
    return expired


def _has_expired(export: DataExport, now: datetime) -> bool:
    """Whether the download term is over, or the archive is gone."""
    assert export.expires_at is not None  # a constraint of the table
    return export.expires_at <= now or not storage.path_of(export.user_id, export.pk).exists()


def _expire_export(export: DataExport) -> bool:
    with acting_as(export.user_id):
        expired = advance_export(export.pk, State.EXPIRED)
    storage.remove_archive(export.user_id, export.pk)
    EXPORTS.labels(outcome="expired").inc(expired)
    return expired


def _ids(exports: Iterable[DataExport]) -> set[UUID]:
    return {export.pk for export in exports}
