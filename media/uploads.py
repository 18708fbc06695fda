"""Takes in an uploaded file: encrypted while its form is read, known by its content, stored whole or not at all."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from tempfile import TemporaryFile
from typing import Final
from uuid import UUID

from django.conf import settings
from django.db import IntegrityError
from django.db.models import Q
from django.utils.translation import gettext as _

from consent.permit import Permit
from consent.sensitive.exceptions import SensitiveInput
from consent.sensitive.services import screen_text
from consent.services import hold_permit, permit_for
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.exceptions import ValidationFailed
from foundation.ids import new_id
from media import storage
from media.content_types import HEAD_BYTES, ContentType, type_of
from media.encryption import PieceEncryptor, decrypted_pieces
from media.exceptions import MediaQuotaReached, MediaTooLarge, MediaTypeRefused
from media.keys import new_key, unwrap_of, wrap_for
from media.models import NAME_CHARS, MediaFile
from media.scanning.types import RefusalReason
from media.services import purpose_of, queue_once, save_object, stored_bytes

SCAN_TOPIC = "media.scan"
_SAME_ENDINGS: Final = {
    "jpeg": "jpg", "jpe": "jpg", "text": "txt", "md": "txt", "csv": "txt", "oga": "ogg", "opus": "ogg",
}  # fmt: skip
_CHECKED_ANEW: Final = frozenset({RefusalReason.TOO_COSTLY, RefusalReason.CONTENT_GONE})
"""Refusals that may have been the machine's fault: the same bytes sent again are checked again."""
Status = MediaFile.SecurityStatus


class EncryptedUpload:
    """A file whose form is being read: what is fed to it is written to a file without a name, encrypted with the key
    that it is kept with. Before, the web server has the form itself, encrypted as well (``finclaw/server``).
    """

    def __init__(self) -> None:
        self.media_id = new_id()
        self.key = new_key()
        self.size = 0
        self.file = TemporaryFile()  # noqa: SIM115  closed by ``close``
        self._head = bytearray()
        self._digest = hashlib.sha256()
        self._encryptor = PieceEncryptor(self.file, self.key, purpose_of(self.media_id, storage.ORIGINAL))

    def feed(self, data: bytes) -> None:
        """Take more of the content. Raises ``MediaTooLarge``."""
        self.size += len(data)
        if self.size > settings.MEDIA_MAX_BYTES:
            self.close()
            raise MediaTooLarge(_too_large())
        self._head += data[: max(0, HEAD_BYTES - len(self._head))]
        self._digest.update(data)
        self._encryptor.feed(data)

    def finish(self) -> None:
        """Say that the content is complete."""
        self._encryptor.finish()

    def pieces(self) -> Iterator[bytes]:
        """The complete content, decrypted piece by piece."""
        self.file.seek(0)
        return decrypted_pieces(self.file, self.key, purpose_of(self.media_id, storage.ORIGINAL))

    def close(self) -> None:
        """Give its room back."""
        self.file.close()

    @property
    def sha256(self) -> str:
        return self._digest.hexdigest()

    @property
    def content_type(self) -> ContentType:
        """What it is by its content. Raises ``MediaTypeRefused``, and ``ValidationFailed`` for an empty file."""
        if not self.size:
            raise ValidationFailed(details={"file": [_("The file is empty.")]})
        found = type_of(bytes(self._head))
        if found is None:
            raise MediaTypeRefused()
        return found


def receive(user: User, pieces: Iterable[bytes], name: str) -> MediaFile:
    """``store_upload`` of a file that is there piece by piece."""
    upload = EncryptedUpload()
    try:
        for piece in pieces:
            upload.feed(piece)
        upload.finish()
        return store_upload(user, upload, name)
    finally:
        upload.close()


def store_upload(user: User, upload: EncryptedUpload, name: str) -> MediaFile:
    """Keep a complete upload and queue its scan; the same bytes again are the same file. Call outside transactions.

    Raises ``MediaTypeRefused``, ``MediaQuotaReached``, ``ValidationFailed``, ``ProfileConsentRequired``,
    ``ConsentOutdated`` and ``ErasureInProgress``.
    """
    content_type = upload.content_type
    with acting_as(user.pk):
        permit = permit_for(user)
        permit.require_decision()
        known = _known(user.pk, upload.sha256)
        if known is not None:
            return _received_again(permit, known, upload)
        _require_room(user.pk, upload.size)
    stored = storage.name_of(user.pk, upload.media_id, storage.ORIGINAL)
    try:
        storage.save(stored, upload.file)
        with acting_as(user.pk):
            hold_permit(permit)
            _require_room(user.pk, upload.size)
            return _add(user.pk, upload, content_type, clean_name(name, content_type), stored)
    except IntegrityError:  # the same bytes arrived meanwhile
        storage.remove_object(stored)
        with acting_as(user.pk):
            known = _known(user.pk, upload.sha256)
        if known is None:
            raise
        return known
    except BaseException:
        storage.remove_object(stored)
        raise


def queue_scan(media: MediaFile) -> None:
    """Have a file checked, or checked again, by one job at a time; call acting for its user."""
    queue_once(SCAN_TOPIC, media)


def clean_name(name: str, content_type: ContentType) -> str:
    """The name that a file is shown under: without folders, invisible characters and what must not be kept, with the
    ending of what it is.
    """
    last = PurePosixPath(name.replace("\\", "/")).name
    shown = "".join(letter for letter in last if not unicodedata.category(letter).startswith("C")).strip(" .")
    stem, _, ending = shown.rpartition(".")
    ending = ending.lower()
    is_right = stem and _SAME_ENDINGS.get(ending, ending) == content_type.ending
    wanted = ending if is_right else content_type.ending
    stem = (stem if is_right else shown)[: NAME_CHARS - len(wanted) - 1] or content_type.kind
    try:
        screened = screen_text("file_name", stem).text
    except SensitiveInput:
        screened = content_type.kind
    return f"{screened[: NAME_CHARS - len(wanted) - 1]}.{wanted}"


def _known(user_id: UUID, sha256: str) -> MediaFile | None:
    """The user's file of these bytes."""
    return MediaFile.objects.filter(user_id=user_id, sha256=sha256).first()


def _received_again(permit: Permit, known: MediaFile, upload: EncryptedUpload) -> MediaFile:
    """A file whose bytes were sent once more; one that was not checked is checked again."""
    if known.security_reason in _CHECKED_ANEW or known.unread_reason == RefusalReason.CONTENT_GONE:
        return _stored_again(permit, known, upload)
    if known.security_status == Status.FAILED and known.stored_name:
        queue_scan(known)
    return known


def _stored_again(permit: Permit, known: MediaFile, upload: EncryptedUpload) -> MediaFile:
    """A file whose content was deleted or lost, with the content that came again, to be checked again. Its row is
    locked until the content is stored: two uploads at once are one.
    """
    hold_permit(permit)
    is_lost = Q(security_reason__in=_CHECKED_ANEW) | Q(unread_reason=RefusalReason.CONTENT_GONE)
    lost = MediaFile.objects.select_for_update().filter(is_lost, pk=known.pk).first()
    if lost is None:
        return known
    _require_bytes(lost.user_id, upload.size)
    lost.stored_name = storage.name_of(lost.user_id, lost.pk, storage.ORIGINAL)
    save_object(lost, lost.stored_name, unwrap_of(lost.user_id, lost.wrapped_key), upload.pieces())
    lost.stored_size, lost.security_status, lost.security_reason = upload.size, Status.PENDING, ""
    lost.text_state, lost.unread_reason = MediaFile.TextState.WAITING, ""
    lost.save()
    queue_scan(lost)
    return lost


def _require_bytes(user_id: UUID, size: int) -> None:
    if stored_bytes(user_id) + size > settings.MEDIA_QUOTA_BYTES:
        raise MediaQuotaReached()


def _require_room(user_id: UUID, size: int) -> None:
    _require_bytes(user_id, size)
    if MediaFile.objects.filter(user_id=user_id).count() >= settings.MEDIA_QUOTA_FILES:
        raise MediaQuotaReached()


def _add(user_id: UUID, upload: EncryptedUpload, content_type: ContentType, name: str, stored: str) -> MediaFile:
    media = MediaFile.objects.create(
        id=upload.media_id,
        user_id=user_id,
        name=name,
        kind=content_type.kind,
        media_type=content_type.media_type,
        size=upload.size,
        sha256=upload.sha256,
        stored_name=stored,
        stored_size=upload.size,
        wrapped_key=wrap_for(user_id, upload.key),
    )
    queue_scan(media)
    return media


def _too_large() -> str:
    limit = settings.MEDIA_MAX_BYTES // 1_000_000
    return _("A file may have %(limit)d megabytes at most. Nothing of it was saved.") % {"limit": limit}
