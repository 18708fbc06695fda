"""Keys of files: each file has its own, encrypted with its user's, which is encrypted with the installation's.

What forgets a user's key makes every copy of their files unreadable, wherever it lies; a file's own goes with its row.
"""

from __future__ import annotations

import base64
import os
from functools import lru_cache
from typing import Final
from uuid import UUID

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings

from foundation.exceptions import NotFound
from media.models import MediaKey

KEY_BYTES: Final = 32
_NONCE_BYTES: Final = 12


def new_key() -> bytes:
    """A random key for AES-256."""
    return os.urandom(KEY_BYTES)


def wrap_for(user_id: UUID, key: bytes) -> str:
    """The key of a file, encrypted with its user's, who gets one with the first file. Call acting for the user."""
    return _wrap(_user_key(user_id), key, b"file")


def unwrap_of(user_id: UUID, wrapped: str) -> bytes:
    """The key of a file. Raises ``NotFound`` where its user has none any more. Call acting for the user."""
    row = MediaKey.objects.filter(pk=user_id).first()
    if row is None:
        raise NotFound()
    return _unwrap(_unwrap_user_key(row), wrapped, b"file")


def rewrap(row: MediaKey) -> None:
    """Encrypt a user's key with the present key of the installation. Call acting for the user."""
    row.wrapped_key = _wrap(_installation_keys()[0], _unwrap_user_key(row), row.pk.bytes)
    row.save(update_fields=["wrapped_key"])


def _user_key(user_id: UUID) -> bytes:
    made = _wrap(_installation_keys()[0], new_key(), user_id.bytes)
    row, _ = MediaKey.objects.get_or_create(user_id=user_id, defaults={"wrapped_key": made})
    return _unwrap_user_key(row)


def _unwrap_user_key(row: MediaKey) -> bytes:
    """Raises ``InvalidTag`` where none of the installation's keys fits."""
    for key in _installation_keys():
        try:
            return _unwrap(key, row.wrapped_key, row.pk.bytes)
        except InvalidTag:
            continue
    raise InvalidTag


def _installation_keys() -> list[bytes]:
    """The present key, then former ones."""
    return [_derived(secret) for secret in (settings.MEDIA_KEY, *settings.MEDIA_FORMER_KEYS)]


@lru_cache(maxsize=8)
def _derived(secret: str) -> bytes:
    return HKDF(algorithm=SHA256(), length=KEY_BYTES, salt=None, info=b"finclaw media").derive(secret.encode())


def _wrap(outer: bytes, key: bytes, purpose: bytes) -> str:
    nonce = os.urandom(_NONCE_BYTES)
    return base64.b64encode(nonce + AESGCM(outer).encrypt(nonce, key, purpose)).decode()


def _unwrap(outer: bytes, wrapped: str, purpose: bytes) -> bytes:
    sealed = base64.b64decode(wrapped)
    return AESGCM(outer).decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], purpose)
