"""Holds a large request body in a file without a name, encrypted with a key that exists in memory alone."""

from __future__ import annotations

from collections.abc import Iterator
from io import BufferedReader, RawIOBase
from tempfile import TemporaryFile
from typing import Any, Final

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from media.encryption import PieceEncryptor, decrypted_pieces

_PURPOSE: Final = b"request body"


class EncryptedBody:
    """Takes a body piece by piece, and gives it back once. Nobody can read what its disk keeps after the request."""

    def __init__(self) -> None:
        self.size = 0
        self._file = TemporaryFile()  # noqa: SIM115  closed by ``close``
        self._key = AESGCM.generate_key(256)
        self._encryptor = PieceEncryptor(self._file, self._key, _PURPOSE)

    def feed(self, data: bytes) -> None:
        """Take more of the body."""
        self.size += len(data)
        self._encryptor.feed(data)

    def reader(self) -> BufferedReader:
        """The body from its beginning; call once, when all of it was fed."""
        self._encryptor.finish()
        self._file.seek(0)
        return BufferedReader(_PieceReader(decrypted_pieces(self._file, self._key, _PURPOSE)))

    def close(self) -> None:
        """Give its room back."""
        self._file.close()


class _PieceReader(RawIOBase):
    """A file to be read, made of the pieces of an iterator, none of which is empty but the last."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._left = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer with what is left of a piece; answers how many bytes that was, 0 at the end."""
        self._left = self._left or memoryview(next(self._pieces, b""))
        given = self._left[: len(buffer)]
        buffer[: len(given)] = given
        self._left = self._left[len(given) :]
        return len(given)
