"""Encrypts files in pieces, so that one of any size takes the memory of one piece.

AES-256-GCM in the STREAM construction (Hoang, Reyhanitabar, Rogaway, Vizár 2015): each piece's nonce is a random
prefix, the piece's number and whether it is the last, so that pieces can be neither exchanged nor left out. Layout: the
prefix, then the sealed pieces.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import BinaryIO, Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

PIECE_BYTES: Final = 1 << 16
_TAG_BYTES: Final = 16
_PREFIX_BYTES: Final = 7


class PieceEncryptor:
    """Writes what it is fed to ``target``, encrypted; ``purpose`` names what this is, and must be given to decrypt."""

    def __init__(self, target: BinaryIO, key: bytes, purpose: bytes) -> None:
        self._target = target
        self._cipher = AESGCM(key)
        self._purpose = purpose
        self._prefix = os.urandom(_PREFIX_BYTES)
        self._waiting = bytearray()
        self._number = 0
        target.write(self._prefix)

    def feed(self, data: bytes) -> None:
        """Take more of the content."""
        self._waiting += data
        while len(self._waiting) > PIECE_BYTES:  # the last piece, even a full one, is written by ``finish``
            self._seal(PIECE_BYTES, is_last=False)

    def finish(self) -> None:
        """Write the last piece, which may be empty."""
        self._seal(len(self._waiting), is_last=True)

    def _seal(self, size: int, *, is_last: bool) -> None:
        nonce = _nonce(self._prefix, self._number, is_last=is_last)
        self._target.write(self._cipher.encrypt(nonce, bytes(self._waiting[:size]), self._purpose))
        del self._waiting[:size]
        self._number += 1


def decrypted_pieces(source: BinaryIO, key: bytes, purpose: bytes) -> Iterator[bytes]:
    """The content, piece by piece. Raises ``InvalidTag`` at a piece that is not what was written."""
    cipher, number = AESGCM(key), 0
    prefix = source.read(_PREFIX_BYTES)
    if len(prefix) < _PREFIX_BYTES:
        raise InvalidTag
    sealed = _read_exactly(source, PIECE_BYTES + _TAG_BYTES)
    while True:
        following = _read_exactly(source, PIECE_BYTES + _TAG_BYTES)
        yield cipher.decrypt(_nonce(prefix, number, is_last=not following), sealed, purpose)
        if not following:
            return
        sealed, number = following, number + 1


def _nonce(prefix: bytes, number: int, *, is_last: bool) -> bytes:
    return prefix + number.to_bytes(4) + bytes([is_last])


def _read_exactly(source: BinaryIO, size: int) -> bytes:
    """So many bytes, fewer only at the end: storages may answer a read in parts."""
    parts, missing = [], size
    while missing and (part := source.read(missing)):
        parts.append(part)
        missing -= len(part)
    return b"".join(parts)
