"""Verify an export archive against its manifest, without the database and without trusting the archive.

Nothing is extracted: every file is read once, in pieces, and hardly further than its size in the manifest.
"""

from __future__ import annotations

import hashlib
import stat
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, LargeZipFile, ZipFile, ZipInfo

from consent.export.manifest import MANIFEST, MAX_MANIFEST_BYTES, FileEntry, Manifest, ManifestRefused, read_manifest

_PIECE = 1_000_000
_ENCRYPTED = 0x1
# Rows contain random ids, which do not compress: archives of ours stay below a ratio of 40 to 1.
MAX_RATIO = 200
ALWAYS_ALLOWED_BYTES = 100_000_000
_UNREADABLE = (BadZipFile, LargeZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError, ValueError)


@dataclass
class ArchiveVerdict:
    """Result of the verification; sound where ``problems`` is empty. Names are escaped for a terminal."""

    problems: list[str] = field(default_factory=list)
    files: int = 0
    rows: int = 0
    bytes: int = 0

    @property
    def is_sound(self) -> bool:
        return not self.problems


def verify_archive(path: Path) -> ArchiveVerdict:
    """Check every name, digest, size and row count, and that no file is missing or extra. Never raises."""
    try:
        with ZipFile(path) as bundle:
            return _verify_bundle(bundle, path.stat().st_size)
    except _UNREADABLE as error:
        return ArchiveVerdict([f"not a whole ZIP archive ({type(error).__name__})"])


def _verify_bundle(bundle: ZipFile, archive_bytes: int) -> ArchiveVerdict:
    infos = bundle.infolist()
    verdict = ArchiveVerdict([*_refused_names(infos), *_decompression_bomb(infos, archive_bytes)])
    if not verdict.is_sound:
        return verdict
    try:
        manifest = _read_bundle_manifest(bundle)
    except ManifestRefused as error:
        return ArchiveVerdict([f"{MANIFEST} cannot be used: {error}"])
    _compare_with_manifest(bundle, manifest, verdict)
    return verdict


def _refused_names(infos: list[ZipInfo]) -> Iterator[str]:
    """Names that no export holds: outside the folder, duplicates, links, encrypted files."""
    for name, count in Counter(info.filename for info in infos).items():
        if count > 1:
            yield f"{name!a} is there {count} times"
        if not _is_plain(name):
            yield f"{name!a} is not a name that an archive may hold"
    for info in infos:
        if stat.S_ISLNK(info.external_attr >> 16) or info.flag_bits & _ENCRYPTED:
            yield f"{info.filename!a} is a link or encrypted"
        if info.compress_type not in {ZIP_STORED, ZIP_DEFLATED}:
            yield f"{info.filename!a} is packed in a way that exports never are"


def _is_plain(name: str) -> bool:
    """Whether a name lies below one folder and no system reads it as a way out."""
    parts = PurePosixPath(name).parts
    return (
        len(parts) >= 2
        and "/".join(parts) == name
        and ".." not in parts
        and not name.startswith("/")
        and not any(character in name for character in "\\:\0")
    )


def _decompression_bomb(infos: list[ZipInfo], archive_bytes: int) -> Iterator[str]:
    if sum(info.file_size for info in infos) > max(ALWAYS_ALLOWED_BYTES, MAX_RATIO * archive_bytes):
        yield f"unpacks to more than {MAX_RATIO} times its size: refused unread"


def _read_bundle_manifest(bundle: ZipFile) -> Manifest:
    """The manifest of the archive, checked to name the same user as its folder. Raises ``ManifestRefused``."""
    tops = {name.partition("/")[0] for name in bundle.namelist()}
    if len(tops) != 1:
        raise ManifestRefused("there is not exactly one folder")
    top = tops.pop()
    try:
        info = bundle.getinfo(f"{top}/{MANIFEST}")
    except KeyError:
        raise ManifestRefused("it is not there") from None
    if info.file_size > MAX_MANIFEST_BYTES:
        raise ManifestRefused("it is too large")
    manifest = read_manifest(bundle.read(info))
    if str(manifest.user_id) != top:
        raise ManifestRefused("it speaks of somebody else than its folder")
    return manifest


def _compare_with_manifest(bundle: ZipFile, manifest: Manifest, verdict: ArchiveVerdict) -> None:
    top = str(manifest.user_id)
    there = set(bundle.namelist()) - {f"{top}/{MANIFEST}"}
    listed = {f"{top}/{entry.path}": entry for entry in manifest.files}
    if len(listed) != len(manifest.files):
        verdict.problems.append(f"{MANIFEST} lists a file twice")
    verdict.problems += [f"{name!a} is missing" for name in sorted(listed.keys() - there)]
    verdict.problems += [f"{name!a} is not in the manifest" for name in sorted(there - listed.keys())]
    for name in sorted(listed.keys() & there):
        verdict.problems += [f"{name!a}: {problem}" for problem in _differences(bundle, name, listed[name])]
        verdict.files += 1
        verdict.rows += listed[name].rows
        verdict.bytes += listed[name].bytes


def _differences(bundle: ZipFile, name: str, entry: FileEntry) -> Iterator[str]:
    try:
        found = _measure_file(bundle, name, entry.bytes)
    except _UNREADABLE as error:
        yield f"cannot be read ({type(error).__name__})"
        return
    if found.bytes != entry.bytes:
        yield f"{found.bytes} bytes or more, where the manifest says {entry.bytes}"
    elif found.digest != entry.sha256:
        yield "its SHA-256 is not the manifest's"
    elif found.rows(entry.path) != entry.rows:
        yield f"{found.rows(entry.path)} rows, where the manifest says {entry.rows}"


@dataclass(frozen=True)
class _MeasuredFile:
    bytes: int
    digest: str
    breaks: int

    def rows(self, path: str) -> int:
        """The rows by line breaks: one per line, in an array without the two of its brackets, in a row's own file 1."""
        if path.endswith(".jsonl"):
            return self.breaks
        return self.breaks - 2 if path.endswith(".json") and self.breaks != 1 else 1


def _measure_file(bundle: ZipFile, name: str, limit: int) -> _MeasuredFile:
    """Read one file, and at most one piece beyond ``limit`` bytes."""
    digest, size, breaks = hashlib.sha256(), 0, 0
    with bundle.open(name) as file:
        while size <= limit and (piece := file.read(_PIECE)):
            digest.update(piece)
            size += len(piece)
            breaks += piece.count(b"\n")
    return _MeasuredFile(size, digest.hexdigest(), breaks)
