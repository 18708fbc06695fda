"""Write an export archive: a ZIP of one user's rows, streamed from one snapshot of the database."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain
from typing import IO
from uuid import UUID
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from django.conf import settings
from django.utils.module_loading import import_string

from consent.export.exported_tables import ExportedTable, Row, exported_tables
from consent.export.manifest import MANIFEST, FileEntry, Manifest, write_manifest
from consent.export.row_formats import as_json, as_markdown
from consent.models import ProfileConsent, Tombstone

_OWNER_ONLY = 0o600 << 16
_BUILT = 99  # per cent; the last one is for what follows the writing
ReportProgress = Callable[[int], None]


@dataclass(frozen=True)
class ArchiveContents:
    """What was written. ``erasures`` counts the user's erasures in the snapshot: a later one outdates the archive."""

    manifest: Manifest
    erasures: int


def write_archive(target: IO[bytes], user_id: UUID, now: datetime, progress: ReportProgress) -> ArchiveContents:
    """Write everything about the user to ``target``, reporting progress in per cent.

    To be called while acting for them, under ``snapshot_as`` where others write meanwhile.
    """
    with ZipFile(target, "w", ZIP_DEFLATED, allowZip64=True) as bundle:
        tables = exported_tables()
        meter = _ProgressMeter(sum(table.count(user_id) for table in tables), progress)
        writer = _ArchiveWriter(bundle, str(user_id), now)
        for table in tables:
            _add_table(writer, table, meter.watch(table.rows(user_id)))
        for path, pieces in import_string(settings.EXPORTED_FILES)(user_id):
            writer.add_whole(path, pieces)
        manifest = Manifest(
            created_at=now, user_id=user_id, consent_version=_consent_version(user_id), files=writer.files
        )
        writer.add(MANIFEST, [write_manifest(manifest)])
        return ArchiveContents(manifest, count_erasures(user_id))


def count_erasures(user_id: UUID) -> int:
    """How many erasures the person ever asked for; the count only grows."""
    return Tombstone.objects.filter(user_id=user_id).count()


@dataclass
class _ProgressMeter:
    """Counts rows and reports each new per cent once."""

    total: int
    progress: ReportProgress
    written: int = 0
    reported: int = 0

    def watch(self, rows: Iterator[Row]) -> Iterator[Row]:
        for row in rows:
            yield row
            self.written += 1
            self._tell()

    def _tell(self) -> None:
        done = min(_BUILT, self.written * _BUILT // self.total)
        if done > self.reported:
            self.reported = done
            self.progress(done)


@dataclass
class _ArchiveWriter:
    """The ZIP being written: each file is hashed and its records counted on the way."""

    bundle: ZipFile
    top: str
    now: datetime
    files: list[FileEntry] = field(default_factory=list)

    def add(self, path: str, records: Iterable[bytes], *, head: bytes = b"", tail: bytes = b"") -> None:
        """Write one file: ``head``, the records, ``tail``."""
        digest, size, rows = hashlib.sha256(), 0, -2  # head and tail are no records
        with self.bundle.open(self._named(path), "w", force_zip64=True) as file:
            for part in chain([head], records, [tail]):
                digest.update(part)
                file.write(part)
                size += len(part)
                rows += 1
        self.files.append(FileEntry(path=path, sha256=digest.hexdigest(), bytes=size, rows=rows))

    def add_whole(self, path: str, pieces: Iterable[bytes]) -> None:
        """Write one file that holds no rows of ours; it counts as one."""
        self.add(path, pieces)
        self.files[-1] = self.files[-1].model_copy(update={"rows": 1})

    def _named(self, path: str) -> ZipInfo:
        info = ZipInfo(f"{self.top}/{path}", self.now.timetuple()[:6])
        info.compress_type = ZIP_DEFLATED
        info.external_attr = _OWNER_ONLY
        return info


def _add_table(writer: _ArchiveWriter, table: ExportedTable, rows: Iterator[Row]) -> None:
    if table.has_file_per_row:
        for row in rows:
            writer.add(table.path_of(row), [_single_row_file(table.path, row)])
    elif table.path.endswith(".jsonl"):
        writer.add(table.path, (as_json(row) + b"\n" for row in rows))
    else:
        writer.add(table.path, _json_elements(rows), head=b"[", tail=b"\n]\n")


def _single_row_file(path: str, row: Row) -> bytes:
    return as_markdown(row) if path.endswith(".md") else as_json(row) + b"\n"


def _json_elements(rows: Iterator[Row]) -> Iterator[bytes]:
    """The elements of a JSON array, one row per line, so that a verifier can count lines without parsing the file."""
    before = b"\n"
    for row in rows:
        yield before + as_json(row)
        before = b",\n"


def _consent_version(user_id: UUID) -> int:
    latest = ProfileConsent.objects.latest_of(user_id)
    return latest.version if latest else 0
