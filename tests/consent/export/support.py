"""What the export tests share: an archive built through the queue, and a look inside it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from django.conf import settings
from django.utils import timezone

from consent.export import services, storage
from consent.export.archive import write_archive
from consent.export.manifest import MANIFEST, Manifest, read_manifest
from consent.models import DataExport
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.tasks import drain


def asked(user: User) -> DataExport:
    """An export that waits for a worker."""
    return services.request_export(user, source="api")


def now_of(export: DataExport) -> DataExport:
    """The row as it stands now."""
    with acting_as(export.user_id):
        return DataExport.objects.get(pk=export.pk)


def built(user: User) -> DataExport:
    """A new export of the user's, built by the worker: for tests with transactions of their own."""
    export = asked(user)
    drain()
    return now_of(export)


def archive_of(export: DataExport) -> Path:
    """Where its archive stands."""
    return storage.path_of(export.user_id, export.pk)


def exported(user: User) -> Path:
    """An archive of what is there of the user in the test's own transaction, without a worker."""
    settings.EXPORT_DIR.mkdir(exist_ok=True)
    archive: Path = settings.EXPORT_DIR / "archive.zip"
    with acting_as(user.pk), archive.open("wb") as file:
        write_archive(file, user.pk, timezone.now(), lambda percent: None)
    return archive


def manifest_of(archive: Path, user: User) -> Manifest:
    """The archive's manifest."""
    return read_manifest(text_of(archive, user, MANIFEST))


def text_of(archive: Path, user: User, path: str) -> bytes:
    """One file of the archive."""
    with ZipFile(archive) as bundle:
        return bundle.read(f"{user.pk}/{path}")


def rows_of(archive: Path, user: User, path: str) -> list[dict[str, Any]]:
    """The rows of one file."""
    text = text_of(archive, user, path)
    rows: list[dict[str, Any]] = (
        [json.loads(line) for line in text.splitlines()] if path.endswith(".jsonl") else json.loads(text)
    )
    return rows


def everything(archive: Path) -> bytes:
    """All that the archive says, in one piece."""
    with ZipFile(archive) as bundle:
        return b"\n".join(bundle.read(name) for name in bundle.namelist())
