"""Where the encrypted content of files lies: Django's storage named "media", a folder or S3, a folder for each user."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import datetime
from typing import BinaryIO, Final, cast
from uuid import UUID

from django.core.files import File
from django.core.files.storage import Storage, storages

ORIGINAL: Final = "original"
CLEAN: Final = "clean"
THUMBNAIL: Final = "thumbnail"
PARTS: Final = (ORIGINAL, CLEAN, THUMBNAIL)
StoredObject = BinaryIO


def name_of(user_id: UUID, media_id: UUID, part: str) -> str:
    """The name of one part of a file in the storage."""
    return f"{user_id}/{media_id}/{part}"


def save(name: str, content: BinaryIO) -> None:
    """Write an object, in the place of an earlier one."""
    storage = _storage()
    storage.delete(name)
    content.seek(0)
    storage.save(name, File(content, name))


def open_object(name: str) -> StoredObject:
    """An object, to be closed by whoever takes it. Raises ``FileNotFoundError``."""
    return cast("BinaryIO", _storage().open(name, "rb"))


def remove(user_id: UUID, media_ids: Collection[UUID]) -> int:
    """Delete every part of these files; answers how many objects there were."""
    return sum(remove_object(name) for media_id in media_ids for name in _objects_of(user_id, media_id))


def remove_object(name: str) -> bool:
    """Delete one object; answers whether there was one."""
    storage = _storage()
    is_there = storage.exists(name)
    if is_there:
        storage.delete(name)
    return is_there


def objects_of(user_id: UUID, media_ids: Collection[UUID] | None = None) -> list[str]:
    """The names of the user's objects, or of those of these files; asks the storage, not the database."""
    wanted = media_ids_of(user_id) if media_ids is None else media_ids
    return [name for media_id in wanted for name in _objects_of(user_id, media_id)]


def media_ids_of(user_id: UUID) -> list[UUID]:
    """The ids of the user's files that have anything in the storage."""
    return [UUID(folder) for folder in _folders(str(user_id)) if _is_id(folder)]


def user_ids() -> Iterator[UUID]:
    """Everybody who has anything in the storage."""
    return (UUID(folder) for folder in _folders("") if _is_id(folder))


def is_older(name: str, moment: datetime) -> bool:
    """Whether an object was written before then; one that is gone was not."""
    try:
        return _storage().get_modified_time(name) < moment
    except FileNotFoundError:
        return False


def _storage() -> Storage:
    return storages["media"]


def _objects_of(user_id: UUID, media_id: UUID) -> list[str]:
    folder = f"{user_id}/{media_id}"
    try:
        _, files = _storage().listdir(folder)
    except FileNotFoundError:
        return []
    return [f"{folder}/{file}" for file in files if file]


def _folders(path: str) -> list[str]:
    try:
        folders, _ = _storage().listdir(path)
    except FileNotFoundError:
        return []
    return [folder for folder in folders if folder]


def _is_id(folder: str) -> bool:
    try:
        UUID(folder)
    except ValueError:
        return False
    return True
