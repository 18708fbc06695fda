"""An archive of ours as it is read: verified as a whole first, then row by row."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple, cast
from typing import BinaryIO as BinaryStream
from zipfile import BadZipFile, ZipFile

from django.utils.translation import gettext_noop as _

from consent.export.manifest import MANIFEST, Manifest, ManifestRefused, read_manifest
from consent.export.verification import verify_archive
from memory.importing.chats.exceptions import BrokenFile, FileTooLarge
from memory.importing.chats.export_archives import require_small_directory
from memory.importing.chats.json_items import MOST_ITEM_CHARS, items_of

MOST_ROWS: Final = 2_000_000
_ARCHIVE: Final = b"PK"
_ALTERED: Final = _("The archive is not as it was written: it differs from its manifest.")
_NONE_OF_OURS: Final = _("This is no archive of FinClaw's.")
_MANIFEST_NAME: Final = re.compile(rf"[0-9a-f-]{{36}}/{re.escape(MANIFEST)}")


class ArchivedRow(NamedTuple):
    """One row, and the line of its file that it stands on."""

    path: str
    line: int
    values: dict[str, Any]

    def broken(self, reason: str) -> BrokenFile:
        """What is wrong with it, and none of its words."""
        return BrokenFile(f"{self.path}, line {self.line}: {reason}", {"file": self.path, "line": self.line})


class ArchiveFile:
    """An open archive that was verified; ``manifest`` says whose it was and when it was written."""

    def __init__(self, bundle: ZipFile, manifest: Manifest) -> None:
        self._bundle = bundle
        self.manifest = manifest
        self._paths = {entry.path: entry for entry in manifest.files}

    def count(self, paths: tuple[str, ...]) -> int:
        """How many rows these files, or folders of a file a row, hold."""
        return sum(entry.rows for path, entry in self._paths.items() if path.startswith(paths))

    def rows(self, path: str) -> Iterator[ArchivedRow]:
        """The rows of one file, or of each file of a folder; none where it is not there. Raises ``BrokenFile``."""
        if path.endswith("/"):
            for each in sorted(found for found in self._paths if found.startswith(path) and found.endswith(".json")):
                yield from self._rows(each)
        elif path in self._paths:
            yield from self._rows(path)

    def _rows(self, path: str) -> Iterator[ArchivedRow]:
        with self._bundle.open(f"{self.manifest.user_id}/{path}") as opened:
            stream = cast("BinaryStream", opened)
            found = _lines(path, stream) if path.endswith(".jsonl") else items_of(stream)
            for line, value in found:
                row = ArchivedRow(path, line, value)
                if not isinstance(value, dict):
                    raise row.broken(_("it is not an object."))
                yield row


def is_archive(path: Path) -> bool:
    """Whether a file is an archive of ours, altered or not, by the name of its manifest."""
    with path.open("rb") as file:
        if file.read(len(_ARCHIVE)) != _ARCHIVE:
            return False
        file.seek(0)
        require_small_directory(file)
    try:
        with ZipFile(path) as bundle:
            return any(map(_MANIFEST_NAME.fullmatch, bundle.namelist()))
    except (BadZipFile, ValueError, OSError):
        return False


def require_sound(path: Path) -> None:
    """Raise ``BrokenFile`` for an archive that is not as its manifest says, ``FileTooLarge`` for too many rows."""
    if not is_archive(path):
        raise BrokenFile(_NONE_OF_OURS)
    verdict = verify_archive(path)
    if not verdict.is_sound:
        raise BrokenFile(_ALTERED)
    if verdict.rows > MOST_ROWS:
        raise FileTooLarge()


@contextmanager
def opened_archive(path: Path) -> Iterator[ArchiveFile]:
    """The archive of a path that was found sound. Raises ``BrokenFile``."""
    with ZipFile(path) as bundle:
        name = next(filter(_MANIFEST_NAME.fullmatch, bundle.namelist()))
        try:
            yield ArchiveFile(bundle, read_manifest(bundle.read(name)))
        except ManifestRefused:
            raise BrokenFile(_ALTERED) from None


def _lines(path: str, stream: BinaryStream) -> Iterator[tuple[int, Any]]:
    number = 0
    while raw := stream.readline(MOST_ITEM_CHARS):
        number += 1
        try:
            yield number, json.loads(raw)
        except (ValueError, RecursionError):
            raise ArchivedRow(path, number, {}).broken(_("it cannot be read.")) from None
