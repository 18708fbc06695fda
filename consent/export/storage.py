"""Stores export archives on disk, in one folder per user, so that they are found without the database."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO
from uuid import UUID

from django.conf import settings

from foundation.private_files import make_private_folder

_PARTIAL = ".partial"
_WHOLE = ".zip"


def path_of(user_id: UUID, export_id: UUID) -> Path:
    """The path of an export's finished archive, which may not exist."""
    return _folder(user_id) / f"{export_id}{_WHOLE}"


def files_of(user_id: UUID) -> list[Path]:
    """Every file of this person's exports, half-written ones too."""
    return sorted(_folder(user_id).glob("*"))


def remove_files_of(user_id: UUID) -> int:
    """Delete all files of a user's exports; returns how many. A running export then fails to publish its file."""
    count = len(files_of(user_id))
    shutil.rmtree(_folder(user_id), ignore_errors=True)
    return count


def remove_archive(user_id: UUID, export_id: UUID) -> None:
    """Delete one export's archive, where there is one."""
    path_of(user_id, export_id).unlink(missing_ok=True)


@contextmanager
def partial_file(folder: Path, name: str) -> Iterator[IO[bytes]]:
    """A new private file that is deleted at the end unless it was moved into place; earlier attempts are deleted."""
    make_private_folder(folder)
    for left_over in folder.glob(f"{name}.*{_PARTIAL}"):
        left_over.unlink(missing_ok=True)
    with NamedTemporaryFile(dir=folder, prefix=f"{name}.", suffix=_PARTIAL, delete=False) as file:
        try:
            yield file
        finally:
            Path(file.name).unlink(missing_ok=True)


@contextmanager
def partial_export(user_id: UUID, export_id: UUID) -> Iterator[IO[bytes]]:
    """The archive of an export while it is being written."""
    with partial_file(_folder(user_id), str(export_id)) as file:
        yield file


def flush_and_hash(file: IO[bytes]) -> tuple[int, str]:
    """Flush the file to disk; returns its size in bytes and its SHA-256 in hexadecimal."""
    file.flush()
    os.fsync(file.fileno())
    file.seek(0)
    digest = hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]
    return file.tell(), digest


def remove_orphans(whole: Collection[UUID], unfinished: Collection[UUID], before: datetime) -> int:
    """Delete files older than ``before`` that belong to none of these exports; returns how many."""
    known = {f"{export_id}{_WHOLE}" for export_id in whole}
    writing = {str(export_id) for export_id in unfinished}
    orphans = [
        file
        for file in _root().glob("*/*")
        if file.name not in known
        and not (file.suffix == _PARTIAL and file.name.partition(".")[0] in writing)
        and _is_older(file, before)
    ]
    for file in orphans:
        file.unlink(missing_ok=True)
    return len(orphans)


def _is_older(file: Path, before: datetime) -> bool:
    try:
        return file.stat().st_mtime < before.timestamp()
    except FileNotFoundError:  # its writer was done with it meanwhile
        return False


def _root() -> Path:
    return settings.EXPORT_DIR


def _folder(user_id: UUID) -> Path:
    return _root() / str(user_id)
