"""Reads an export file: a JSON document, or a ZIP archive that holds it or a ``conversations.json``."""

from __future__ import annotations

import re
import struct
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import IO, BinaryIO, Final, NamedTuple, cast

from memory.importing.chats.exceptions import BrokenFile, FileTooLarge
from memory.importing.chats.export_formats import chats_of
from memory.importing.chats.exported_chats import ExportedChat, UnexpectedShape
from memory.importing.chats.json_items import items_of
from memory.importing.chats.refusal_reasons import RefusalReason

MOST_UNPACKED_BYTES: Final = 1_000_000_000
MOST_RATIO: Final = 100
"""The most unpacked bytes for each packed byte: text shrinks to a tenth, a zip bomb to a thousandth."""
MOST_DIRECTORY_BYTES: Final = 16_000_000  # of an archive's list of files, read as a whole
_CONVERSATIONS: Final = re.compile(r"(?:[^\x00]{0,300}/)?conversations(?:[-_]\d{1,4})?\.json", re.IGNORECASE)
_DOCUMENTS: Final = (".json", ".af")
ARCHIVE: Final = b"PK"
"""What every ZIP begins with."""
_END_OF_DIRECTORY: Final = b"PK\x05\x06"
_END_BYTES: Final = 22 + 65_535  # with the longest comment
_BOUNDED_METHODS: Final = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
"""How a file may be packed: ``zipfile`` unpacks any other method without a bound on what one read answers."""
_ENCRYPTED: Final = 0x1  # in the flags of a file


class LocatedChat(NamedTuple):
    """A conversation, and the line of its file that it begins on."""

    line: int
    chat: ExportedChat


def chats_in(path: Path, source: str = "") -> Iterator[LocatedChat]:
    """The conversations of an export file, and statements, of the ``source`` ("" for any).

    Raises ``BrokenFile``, ``FileTooLarge``.
    """
    with path.open("rb") as file:
        for stream in _streams(file):
            with stream as opened:
                yield from _chats(opened, source)


def _chats(stream: BinaryIO, source: str) -> Iterator[LocatedChat]:
    try:
        for number, (line, value) in enumerate(items_of(stream), 1):
            try:
                for chat in chats_of(value, source):
                    yield LocatedChat(line, chat)
            except UnexpectedShape as error:
                raise BrokenFile(error.reason, line=line, entry=error.entry or number) from None
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError):
        raise BrokenFile(RefusalReason.ARCHIVE_DAMAGED) from None


def _streams(file: BinaryIO) -> Iterator[AbstractContextManager[BinaryIO]]:
    if file.read(len(ARCHIVE)) != ARCHIVE:
        file.seek(0)
        yield _kept_open(file)
        return
    require_small_directory(file)
    try:
        archive = zipfile.ZipFile(file)
    except (zipfile.BadZipFile, ValueError, OSError):
        raise BrokenFile(RefusalReason.ARCHIVE_DAMAGED) from None
    with archive:
        found = _exports_among(archive.infolist())
        if not found:
            raise BrokenFile(RefusalReason.NO_CONVERSATIONS_FILE)
        _require_bounded_methods(found)
        require_reasonable_size(found)
        for member in found:
            yield _unpacked(archive, member)


def _exports_among(members: list[zipfile.ZipInfo]) -> list[zipfile.ZipInfo]:
    """The files of conversations; where there is none, the only JSON file."""
    chats = [member for member in members if _CONVERSATIONS.fullmatch(member.filename)]
    documents = [member for member in members if member.filename.lower().endswith(_DOCUMENTS)]
    return sorted(chats or (documents if len(documents) == 1 else []), key=lambda member: member.filename)


@contextmanager
def _kept_open(file: BinaryIO) -> Iterator[BinaryIO]:
    yield file


@contextmanager
def _unpacked(archive: zipfile.ZipFile, stream: zipfile.ZipInfo) -> Iterator[BinaryIO]:
    try:
        opened: IO[bytes] = archive.open(stream)
    except (RuntimeError, zipfile.BadZipFile, NotImplementedError):  # a password, a damaged header
        raise BrokenFile(RefusalReason.ARCHIVE_DAMAGED) from None
    with opened:
        yield cast("BinaryIO", opened)


def require_small_directory(file: BinaryIO) -> None:
    """Refuse an archive whose list of files takes more than it may: it is read as a whole."""
    size = file.seek(0, 2)
    file.seek(max(0, size - _END_BYTES))
    tail = file.read(_END_BYTES)
    file.seek(0)
    at = tail.rfind(_END_OF_DIRECTORY)
    if at < 0 or at + 16 > len(tail):
        raise BrokenFile(RefusalReason.ARCHIVE_DAMAGED)
    if struct.unpack_from("<L", tail, at + 12)[0] > MOST_DIRECTORY_BYTES:
        raise FileTooLarge(RefusalReason.TOO_MANY_FILES)


def _require_bounded_methods(members: list[zipfile.ZipInfo]) -> None:
    """Refuse files that could unpack to more than they declare before anybody counts."""
    for member in members:
        if member.compress_type not in _BOUNDED_METHODS or member.flag_bits & _ENCRYPTED:
            raise BrokenFile(RefusalReason.ARCHIVE_ENCRYPTED)


def require_reasonable_size(found: Sequence[zipfile.ZipInfo]) -> None:
    """Refuse files that unpack to more than is taken in at once, or to far more than they are packed in."""
    unpacked = sum(member.file_size for member in found)
    packed = sum(max(1, member.compress_size) for member in found)
    if unpacked > MOST_UNPACKED_BYTES or unpacked > MOST_RATIO * packed + 1_000_000:
        raise FileTooLarge(RefusalReason.UNPACKS_TOO_LARGE)
