"""Writes and reads the journal of erasures, a file outside the database that lists what a restored backup lacks.

Each erasure is one line of JSON with ids and times. ``replay_erasures`` applies them after a restore.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO
from uuid import UUID

from django.conf import settings

from consent.erasure.types import Targets
from consent.models import ErasureScope, Sources, Tombstone
from foundation.private_files import append_privately


def append_to_journal(tombstone: Tombstone) -> None:
    """Append the erasure and sync it to disk. Call after the commit that accepted it."""
    line = json.dumps(_as_json(tombstone), separators=(",", ":")) + "\n"
    with append_privately(journal_path()) as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.write(_end_of_torn_line(file) + line.encode())
        file.flush()
        os.fsync(file.fileno())


def journal_entries(path: Path | None = None) -> Iterator[Tombstone]:
    """The erasures in the journal, the oldest first, as tombstones that are in no database yet.

    Raises ``ValueError`` naming the line for one that cannot be read: an erasure must not be skipped unseen.
    """
    file = path or journal_path()
    if not file.exists():
        return
    with file.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            try:
                yield _from_json(json.loads(line))
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
                raise ValueError(f"line {number} of the journal cannot be read") from error


def journal_ids() -> set[UUID]:
    """The erasures that have a whole line in the journal."""
    try:
        lines = journal_path().read_bytes().splitlines()
    except FileNotFoundError:
        return set()
    return {named[0] for line in lines if line.endswith(b"}") and (named := ids_in_line(line))}


def ids_in_line(line: bytes) -> tuple[UUID, UUID | None] | None:
    """The ids of the erasure and its user in a line of the journal; None where the line breaks off before them."""
    found = _NAMED.match(line)
    if found is None:
        return None
    erasure, person = found.groups()
    return UUID(erasure.decode()), UUID(person.decode()) if person else None


def _end_of_torn_line(file: BinaryIO) -> bytes:
    """A line feed where the last line is incomplete, so that each erasure has a line of its own."""
    if file.seek(0, os.SEEK_END) == 0:
        return b""
    file.seek(-1, os.SEEK_END)
    return b"" if file.read(1) == b"\n" else b"\n"


def journal_path() -> Path:
    """The path of the journal: keep it with the backups, not in them."""
    return Path(settings.ERASURE_JOURNAL or settings.DATA_DIR / "erasures" / "journal.jsonl")


_UUID = rb'"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"'
_NAMED = re.compile(rb'\{"id": ?' + _UUID + rb'(?:, ?"user_id": ?' + _UUID + rb")?")  # how each line begins
_IDS = ("id", "user_id", "target_id")
_TIMES = ("requested_at", "due_at")
_WORDS = ("scope", "sources", "legal_profile", "link_hash", "targets", "item_count", "consent_version")


def _as_json(tombstone: Tombstone) -> dict[str, Any]:
    ids = {name: str(value) if (value := getattr(tombstone, name)) else None for name in _IDS}
    times = {name: getattr(tombstone, name).isoformat() for name in _TIMES}
    return ids | times | {name: getattr(tombstone, name) for name in _WORDS}


def _from_json(value: dict[str, Any]) -> Tombstone:
    ids = {name: UUID(value[name]) if value[name] else None for name in _IDS}
    times = {name: datetime.fromisoformat(value[name]) for name in _TIMES}
    tombstone = Tombstone(**ids, **times, **{name: value[name] for name in _WORDS}, source="replay")
    _require_complete(tombstone)
    return tombstone


def _require_complete(tombstone: Tombstone) -> None:
    """Raise ``ValueError`` for an incomplete entry: accepted, it would erase less than was requested."""
    if tombstone.pk is None or tombstone.user_id is None or tombstone.requested_at.tzinfo is None:
        raise ValueError("an erasure has an id, a person and a moment")
    ErasureScope(tombstone.scope)
    Sources(tombstone.sources)
    Targets.from_json(tombstone.targets)
