"""Reads an archive that FinClaw exported: verifies it as a whole first, then reads it row by row."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any, Final, NamedTuple, cast
from typing import BinaryIO as BinaryStream
from zipfile import BadZipFile, ZipFile

from consent.export.manifest import MANIFEST, Manifest, ManifestRefused, read_manifest
from consent.export.verification import verify_archive
from memory.importing.chats.exceptions import BrokenFile, FileTooLarge
from memory.importing.chats.export_archives import ARCHIVE, require_reasonable_size, require_small_directory
from memory.importing.chats.json_items import most_values_in, refuse_constant
from memory.importing.chats.refusal_reasons import RefusalReason

MOST_ROWS: Final = 2_000_000
MOST_LINE_BYTES: Final = 1_000_000  # of one row
MOST_LINE_SIGNS: Final = 200_000
"""Brackets, braces and commas of a row, those within its strings too: each may stand for a value of 100 bytes."""
_MANIFEST_NAME: Final = re.compile(rf"[0-9a-f-]{{36}}/{re.escape(MANIFEST)}")


class ArchivedRow(NamedTuple):
    """One row, the line of its file that it stands on, and how many bytes it takes there."""

    path: str
    line: int
    values: dict[str, Any]
    size: int = 0

    def broken(self, reason: RefusalReason) -> BrokenFile:
        """The error for this row: it names the place and the reason, and quotes none of its words."""
        return BrokenFile(reason, file=self.path, line=self.line)


class ArchiveFile:
    """An open archive that was verified; ``manifest`` says whose it was and when it was written."""

    def __init__(self, bundle: ZipFile, manifest: Manifest) -> None:
        self._bundle = bundle
        self.manifest = manifest
        self._paths = {entry.path: entry for entry in manifest.files}

    def count_rows(self, paths: tuple[str, ...]) -> int:
        """How many rows these files hold, or these folders, which have one file for each row."""
        return sum(entry.rows for path, entry in self._paths.items() if path.startswith(paths))

    def rows(self, path: str, names: Collection[str]) -> Iterator[ArchivedRow]:
        """The rows of one file, or of each file of a folder, with the values of these ``names`` alone; none where it is
        not there. Raises ``BrokenFile``.
        """
        if path.endswith("/"):
            for each in sorted(found for found in self._paths if found.startswith(path) and found.endswith(".json")):
                yield from self._rows(each, names)
        elif path in self._paths:
            yield from self._rows(path, names)

    def _rows(self, path: str, names: Collection[str]) -> Iterator[ArchivedRow]:
        with self._bundle.open(f"{self.manifest.user_id}/{path}") as opened:
            for line, raw in _lines(path, cast("BinaryStream", opened)):
                value = _parsed(path, line, raw)
                yield ArchivedRow(path, line, {name: value[name] for name in names if name in value}, len(raw))


def is_archive(path: Path) -> bool:
    """Whether a file is an archive of ours, altered or not, by the name of its manifest."""
    with path.open("rb") as file:
        if file.read(len(ARCHIVE)) != ARCHIVE:
            return False
        file.seek(0)
        require_small_directory(file)
    try:
        with ZipFile(path) as bundle:
            return any(map(_MANIFEST_NAME.fullmatch, bundle.namelist()))
    except (BadZipFile, ValueError, OSError):
        return False


def require_valid_archive(path: Path) -> None:
    """Raise ``BrokenFile`` for an archive that is not as its manifest says, ``FileTooLarge`` for too many rows, or too
    many bytes of them.
    """
    if not is_archive(path):
        raise BrokenFile(RefusalReason.NOT_AN_ARCHIVE)
    with ZipFile(path) as bundle:
        require_reasonable_size(bundle.infolist())
    verdict = verify_archive(path)
    if not verdict.is_sound:
        raise BrokenFile(RefusalReason.ARCHIVE_ALTERED)
    if verdict.rows > MOST_ROWS:
        raise FileTooLarge()


@contextmanager
def opened_archive(path: Path) -> Iterator[ArchiveFile]:
    """Open an archive that ``require_valid_archive`` has accepted. Raises ``BrokenFile``."""
    with ZipFile(path) as bundle:
        name = next(filter(_MANIFEST_NAME.fullmatch, bundle.namelist()))
        try:
            yield ArchiveFile(bundle, read_manifest(bundle.read(name)))
        except ManifestRefused:
            raise BrokenFile(RefusalReason.ARCHIVE_ALTERED) from None


def _lines(path: str, stream: BinaryStream) -> Iterator[tuple[int, bytes]]:
    """The numbered lines that hold a row: all of a ``.jsonl`` file, those between the brackets of an array."""
    for number in count(1):
        raw = stream.readline(MOST_LINE_BYTES + 1)
        if not raw:
            return
        if len(raw) > MOST_LINE_BYTES:
            raise ArchivedRow(path, number, {}).broken(RefusalReason.ROW_TOO_LONG)
        row = raw.strip()
        if not path.endswith(".jsonl"):
            row = b"" if row in (b"[", b"]") else row.removesuffix(b",")
        if row:
            yield number, row


def _parsed(path: str, line: int, raw: bytes) -> dict[str, Any]:
    place = ArchivedRow(path, line, {})
    if most_values_in(raw) > MOST_LINE_SIGNS:
        raise place.broken(RefusalReason.TOO_MANY_VALUES)
    try:
        value = json.loads(raw, parse_constant=refuse_constant)
    except (ValueError, RecursionError):
        raise place.broken(RefusalReason.UNREADABLE) from None
    if not isinstance(value, dict):
        raise place.broken(RefusalReason.NOT_AN_OBJECT)
    return value
