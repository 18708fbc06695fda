"""Keeps uploaded export files on disk, in a private folder for each user, until they were read."""

from __future__ import annotations

import shutil
from collections.abc import Collection
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, Final
from uuid import UUID

from django.conf import settings

from foundation.private_files import append_privately, make_private_folder
from memory.importing.chats.exceptions import FileTooLarge

_PIECE_BYTES: Final = 1 << 20


def path_of(user_id: UUID, import_id: UUID) -> Path:
    """The path of an import's file, which exists until it was read."""
    return _folder(user_id) / str(import_id)


def store_upload(user_id: UUID, import_id: UUID, file: BinaryIO) -> int:
    """Write an uploaded file to its place; answers its bytes. Raises ``FileTooLarge``; then nothing stays."""
    path = path_of(user_id, import_id)
    make_private_folder(path.parent)
    size = 0
    with append_privately(path) as kept:
        while piece := file.read(_PIECE_BYTES):
            size += len(piece)
            if size > settings.MAX_IMPORT_BYTES:
                remove(user_id, import_id)
                raise FileTooLarge()
            kept.write(piece)
    return size


def remove(user_id: UUID, import_id: UUID) -> None:
    """Delete the file of an import, where there is one."""
    path_of(user_id, import_id).unlink(missing_ok=True)


def files_of(user_id: UUID) -> list[Path]:
    """Every file of this person's imports."""
    return sorted(_folder(user_id).glob("*"))


def remove_files_of(user_id: UUID) -> int:
    """Delete them all; answers how many."""
    count = len(files_of(user_id))
    shutil.rmtree(_folder(user_id), ignore_errors=True)
    return count


def remove_orphans(unfinished: Collection[UUID], before: datetime) -> int:
    """Delete every file last written before then that no import waits to read; answers how many."""
    waiting = {str(import_id) for import_id in unfinished}
    orphans = [file for file in settings.IMPORT_DIR.glob("*/*") if file.name not in waiting]
    old = [file for file in orphans if file.stat().st_mtime < before.timestamp()]
    for file in old:
        file.unlink(missing_ok=True)
    return len(old)


def _folder(user_id: UUID) -> Path:
    folder: Path = settings.IMPORT_DIR / str(user_id)
    return folder
