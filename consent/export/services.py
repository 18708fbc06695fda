"""Request an export of everything about a user, download it by its link, and delete it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import BinaryIO
from uuid import UUID

from django.conf import settings
from django.core.signing import BadSignature, TimestampSigner
from django.db.models import QuerySet
from django.utils import timezone

from consent.export import storage
from consent.export.lifecycle import UNFINISHED, State, advance_export
from consent.models import DataExport, Tombstone
from foundation.accounts.models import User
from foundation.accounts.services import lock_user
from foundation.database.acting_user import acting_as
from foundation.exceptions import NotFound, require_found
from foundation.long_tasks import announce_end
from foundation.outbox import services as outbox

EXPORT_TOPIC = "consent.export"
_SALT = "download of an export"


@dataclass(frozen=True)
class ExportDownload:
    """An opened archive and the name to save it under; whoever takes it closes the file."""

    file: BinaryIO
    name: str


def request_export(user: User, *, source: str) -> DataExport:
    """The user's unfinished export, or else a new one that a worker will build: a user has one at a time.

    ``source`` is "web", "api", "operator" or "command".
    """
    with acting_as(user.pk):
        lock_user(user.pk)
        unfinished = exports_of(user).filter(state__in=UNFINISHED).first()
        if unfinished is not None:
            return unfinished
        export = DataExport.objects.create(user=user, source=source)
        outbox.enqueue(EXPORT_TOPIC, user_id=user.pk, payload={"export": str(export.pk)}, key=export.pk)
        return export


def cancel_export(user: User, export_id: UUID) -> bool:
    """Cancel an export that is not ready yet; returns False for one that has ended.

    A worker that builds it finds out at its next step and leaves no file. Call acting for the user. Raises
    ``NotFound``.
    """
    cancelled = advance_export(export_of(user, export_id).pk, State.CANCELLED, finished_at=timezone.now())
    if cancelled:
        announce_end(DataExport.objects.all(), user.pk, export_id, by_user=True)
    return cancelled


def exports_of(user: User) -> QuerySet[DataExport]:
    """The person's exports, the latest first. To be read while acting for them."""
    return DataExport.objects.filter(user=user).order_by("-created_at")


def export_of(user: User, export_id: UUID) -> DataExport:
    """One of the user's exports. Raises ``NotFound``, for another's too."""
    return require_found(exports_of(user).filter(pk=export_id).first())


def download_link(export: DataExport, now: datetime) -> str | None:
    """The signed part of the address that opens the archive without signing in; None where there is none to open."""
    if export.state != State.READY or export.expires_at is None or export.expires_at <= now:
        return None
    return _signer().sign(f"{export.user_id.hex}{export.pk.hex}")


def open_export(token: str) -> ExportDownload:
    """The archive behind a download link. Raises ``NotFound`` for a forged or expired link, and for an archive that is
    gone or holds data to be erased.
    """
    user_id, export_id = _ids_in_token(token)
    with acting_as(user_id):
        export = DataExport.objects.filter(pk=export_id, state=State.READY, expires_at__gt=timezone.now()).first()
        # The worker deletes the file later, but erased data must be invisible from the request on.
        if export is None or _erasures_since(export).exists():
            raise NotFound()
    try:
        file = storage.path_of(user_id, export_id).open("rb")
    except FileNotFoundError:
        raise NotFound() from None
    return ExportDownload(file, f"finclaw-{export.created_at:%Y-%m-%d}.zip")


def was_erased(export: DataExport) -> bool:
    """Whether an erasure deleted the archive while its link was valid, or is about to. Call acting for its user.

    No row records it: any erasure deletes all archives that exist then. An archive that newer ones had replaced by then
    was gone already, so it does not count.
    """
    if export.finished_at is None or export.expires_at is None:
        return False
    in_time = _erasures_since(export).filter(requested_at__lt=export.expires_at)
    first = in_time.order_by("requested_at").first()
    if first is None:
        return False
    whole = DataExport.objects.filter(user_id=export.user_id, sha256__gt="")
    newer = whole.filter(finished_at__gt=export.finished_at, finished_at__lt=first.requested_at)
    return newer.count() < settings.EXPORT_KEEP


def _erasures_since(export: DataExport) -> QuerySet[Tombstone]:
    made = export.finished_at or export.created_at
    return Tombstone.objects.filter(user_id=export.user_id, requested_at__gt=made)


def downloadable_exports_of(user_id: UUID, now: datetime) -> QuerySet[DataExport]:
    """The archives that can be fetched now, the latest first. To be read while acting for them."""
    found = DataExport.objects.filter(user_id=user_id, state=State.READY, expires_at__gt=now)
    return found.order_by("-created_at")


def files_of(user_id: UUID) -> list[Path]:
    """Every file that exports of this user left on disk, half-written ones too; needs no database."""
    return storage.files_of(user_id)


def remove_exports_of(user_id: UUID) -> int:
    """Delete every file of the user's exports; returns how many. Exports that were ready become expired.

    For erasures. An export that is still being built detects on its own that it is outdated.
    """
    with acting_as(user_id):
        DataExport.objects.filter(user_id=user_id, state=State.READY).update(state=State.EXPIRED)
    return storage.remove_files_of(user_id)


def _signer() -> TimestampSigner:
    return TimestampSigner(salt=_SALT)


def _ids_in_token(token: str) -> tuple[UUID, UUID]:
    try:
        ids = _signer().unsign(token, max_age=timedelta(hours=settings.EXPORT_LINK_HOURS))
        return UUID(ids[:32]), UUID(ids[32:])
    except (BadSignature, ValueError):
        raise NotFound() from None
