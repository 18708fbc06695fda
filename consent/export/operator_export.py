"""An export that an operator writes for a user, to a folder of their choice, with an audit event."""

from __future__ import annotations

from pathlib import Path

from django.utils import timezone

from consent.export import storage
from consent.export.archive import write_archive
from consent.export.archive_job import audit_export, require_current_snapshot
from foundation.accounts.models import User
from foundation.accounts.services import lock_user
from foundation.database.acting_user import acting_as, snapshot_as


def write_operator_export(user: User, folder: Path) -> Path:
    """Write a new export ZIP in ``folder``, readable by its owner only; returns its path.

    Raises ``SnapshotOutdated`` when something was erased meanwhile, and ``OSError`` for a folder that takes no file.
    """
    now = timezone.now()
    target = folder / f"finclaw-{user.pk}-{now:%Y%m%dT%H%M%SZ}.zip"
    with storage.partial_file(folder, target.stem) as file:
        with snapshot_as(user.pk):
            contents = write_archive(file, user.pk, now, lambda percent: None)
        size, _ = storage.flush_and_hash(file)
        with acting_as(user.pk):
            lock_user(user.pk)
            require_current_snapshot(user.pk, contents)
            audit_export(user.pk, "export.handed_out", contents, size)
            Path(file.name).rename(target)
    return target
