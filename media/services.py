"""A user's files: listed, opened, asked whether they are safe, and noted as part of a message."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from tempfile import TemporaryFile
from uuid import UUID, uuid5

import structlog
from cryptography.exceptions import InvalidTag
from django.db.models import QuerySet, Sum
from django.db.models.functions import Greatest

from consent.permit import Permit
from foundation.exceptions import NotFound, require_found
from foundation.outbox import services as outbox
from media import storage
from media.encryption import PieceEncryptor, decrypted_pieces
from media.exceptions import ContentGone, MediaNotSafe
from media.keys import unwrap_of
from media.models import MediaFile, MediaUse

log = structlog.get_logger(__name__)


def files_of(permit: Permit) -> QuerySet[MediaFile]:
    """The user's files, the latest first. Call acting for them."""
    return MediaFile.objects.filter(user_id=permit.user_id).order_by("-created_at", "-id")


def file_of(permit: Permit, media_id: UUID) -> MediaFile:
    """One of the user's files. Raises ``NotFound``, for another's too."""
    return require_found(files_of(permit).filter(pk=media_id).first())


def require_safe(permit: Permit, media_ids: Collection[UUID]) -> list[MediaFile]:
    """These files of the user's, in the same order. Raises ``MediaNotSafe`` where one of them was not found safe, with
    the ``security_status`` of each that was not, and ``NotFound`` for one that is not theirs.
    """
    found = files_of(permit).in_bulk(list(media_ids))
    files = [require_found(found.get(media_id)) for media_id in media_ids]
    unsafe = [
        {"media_id": str(file.pk), "security_status": file.security_status, "security_reason": file.security_reason}
        for file in files
        if not file.is_safe
    ]
    if unsafe:
        raise MediaNotSafe(details={"media": unsafe})
    return files


def record_use(permit: Permit, media_ids: Collection[UUID], session_id: UUID, message_id: UUID) -> None:
    """Note that a message has these files as parts; call in the transaction that stores the message."""
    uses = [
        MediaUse(user_id=permit.user_id, media_id=media_id, session_id=session_id, message_id=message_id)
        for media_id in dict.fromkeys(media_ids)
    ]
    MediaUse.objects.bulk_create(uses, ignore_conflicts=True)


def stored_bytes(user_id: UUID) -> int:
    """How much the user's files take: of each the larger of what was sent and what is kept. Call acting for them."""
    kept = MediaFile.objects.filter(user_id=user_id).exclude(stored_name="")
    return kept.aggregate(total=Sum(Greatest("size", "stored_size")))["total"] or 0


def open_file(media: MediaFile) -> Iterator[bytes]:
    """The content of a file as it is kept, decrypted piece by piece. Call acting for its user; the pieces may be read
    afterwards. Raises ``NotFound`` where nothing is kept.
    """
    return open_object(media, media.stored_name)


def open_thumbnail(media: MediaFile) -> Iterator[bytes]:
    """The thumbnail of a picture, as JPEG, like ``open_file``. Raises ``NotFound`` where it has none."""
    if not media.has_thumbnail:
        raise NotFound()
    return open_object(media, storage.name_of(media.user_id, media.pk, storage.THUMBNAIL))


def read_file(media: MediaFile) -> bytes:
    """The whole content of a file, which is no longer than ``MEDIA_MAX_BYTES``; otherwise as ``open_file``."""
    return b"".join(open_file(media))


def open_if_there(media: MediaFile) -> Iterator[bytes] | None:
    """``open_file``; None where nothing is kept."""
    try:
        return open_file(media)
    except NotFound:
        return None


def whole_content(pieces: Iterator[bytes] | None) -> bytes:
    """What ``open_if_there`` opened. Raises ``ContentGone``."""
    try:
        if pieces is not None:
            return b"".join(pieces)
    except InvalidTag:
        log.warning("content_changed")
    raise ContentGone


def open_object(media: MediaFile, name: str) -> Iterator[bytes]:
    """One object of a file, decrypted piece by piece. Raises ``NotFound``."""
    if not name:
        raise NotFound()
    key = unwrap_of(media.user_id, media.wrapped_key)
    try:
        source = storage.open_object(name)
    except FileNotFoundError:
        raise NotFound() from None
    return _read_to_end(source, key, purpose_of(media.pk, name))


def save_object(media: MediaFile, name: str, key: bytes, pieces: Iterable[bytes]) -> None:
    """Store one object of a file, encrypted piece by piece with the file's key."""
    with TemporaryFile() as target:
        encryptor = PieceEncryptor(target, key, purpose_of(media.pk, name))
        for piece in pieces:
            encryptor.feed(piece)
        encryptor.finish()
        storage.save(name, target)


def queue_once(topic: str, media: MediaFile) -> None:
    """Queue the work of a topic on a file, which one row stands for: it gets fresh attempts where it has ended, and is
    left as it is where it waits or runs. Call acting for the file's user.
    """
    key = job_key(topic, media.pk)
    if outbox.enqueue(topic, user_id=media.user_id, payload={"media": str(media.pk)}, key=key).is_repeated:
        outbox.run_again(key)


def job_key(topic: str, media_id: UUID) -> UUID:
    """The outbox key of the work of a topic on a file."""
    return uuid5(media_id, topic)


def purpose_of(media_id: UUID, name: str) -> bytes:
    """What an object is encrypted as: which part of which file."""
    return f"{media_id}/{name.rpartition('/')[2]}".encode()


def _read_to_end(source: storage.StoredObject, key: bytes, purpose: bytes) -> Iterator[bytes]:
    with source:
        yield from decrypted_pieces(source, key, purpose)
