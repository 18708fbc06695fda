"""An account that has something of each kind, its archive, and how it is changed and brought in."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import yaml
from django.utils import timezone

from consent.export.archive import write_archive
from finclaw.brain.research.services import state_in_profile
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.tasks import drain
from memory.importing.archives.archive_tables import TABLES
from memory.importing.file_imports import import_of, request_import
from memory.models import ChatImport
from memory.services.item_decisions import add_stated, correct
from tests.consent.export.support import rows_of
from tests.support.cast import allow
from tests.support.talk import open_session, permit_of, say
from tests.web.support import event_of

TIMES = ("created_at", "valid_at", "invalid_at", "superseded_at", "occurred_at", "timestamp_utc", "last_active_at")
ITEMS = "memory_items/items.jsonl"


def live(user: User) -> None:
    """Something of each kind: a chat that taught, a memory corrected since, one written down, an event, preferences."""
    allow(user)
    session = open_session(user, title="Moving")
    say(user, session, "I moved to Zanzibar in May.", "I like tea.")
    event_of(user, session, "request-1:1", "2 March 2026: Alice bought a bicycle.")
    with acting_as(user.pk):
        permit = permit_of(user)
        correct(permit, add_stated(permit, "Keeps bees in Leeds").pk, "Keeps bees in York")
        state_in_profile(permit, {"research_style": "slow and thorough"})


def archive_of(user: User, folder: Path) -> Path:
    path = folder / f"{user.username}.zip"
    with acting_as(user.pk), path.open("wb") as file:
        write_archive(file, user.pk, timezone.now(), lambda percent: None)
    return path


def bring(user: User, path: Path) -> ChatImport:
    with path.open("rb") as file:
        wanted = request_import(user, file, origin="api")
    drain()
    with acting_as(user.pk):
        return import_of(user.pk, wanted.pk)


def shape(path: Path, user: User) -> dict[str, list[tuple[str, ...]]]:
    """Of each kind of rows that is brought along, the times of each row."""
    found: dict[str, list[tuple[str, ...]]] = {}
    with ZipFile(path) as bundle:
        names = [name.partition("/")[2] for name in bundle.namelist()]
        for table in TABLES:
            rows: list[dict[str, Any]] = []
            for name in names:
                if name == table.path:
                    rows += rows_of(path, user, name)
                elif name.startswith(table.path):
                    rows.append(json.loads(bundle.read(f"{user.pk}/{name}")))
            found[table.path] = sorted(tuple(str(row.get(time)) for time in TIMES) for row in rows)
    return found


def rewritten(path: Path, change: Callable[[str, bytes], bytes], *, honest: bool) -> Path:
    """The archive with its files changed, and a manifest that says so if it is to look whole."""
    copy = path.with_name("changed.zip")
    with ZipFile(path) as bundle, ZipFile(copy, "w", ZIP_DEFLATED) as target:
        contents = {name: bundle.read(name) for name in bundle.namelist()}
        manifest_name = next(name for name in contents if name.endswith("/manifest.yaml"))
        manifest = yaml.safe_load(contents.pop(manifest_name))
        for name, content in contents.items():
            changed = change(name.partition("/")[2], content)
            target.writestr(name, changed)
            for entry in manifest["files"] if honest else ():
                if name.endswith("/" + entry["path"]):
                    entry |= {"sha256": hashlib.sha256(changed).hexdigest(), "bytes": len(changed)}
        target.writestr(manifest_name, yaml.safe_dump(manifest))
    return copy


def only(path: str, change: Callable[[bytes], bytes]) -> Callable[[str, bytes], bytes]:
    return lambda name, content: change(content) if name == path else content


def changed_rows(path: str, change: Callable[[dict[str, Any]], Any]) -> Callable[[str, bytes], bytes]:
    """Changes each row of a file, which stands on a line as before."""

    def lines(content: bytes) -> bytes:
        return b"".join(
            line if line.strip() in (b"[", b"]") else _changed(line, change) for line in content.splitlines(True)
        )

    return only(path, lines)


def _changed(line: bytes, change: Callable[[dict[str, Any]], Any]) -> bytes:
    text = line.rstrip()
    row, comma = text.removesuffix(b","), b"," if text.endswith(b",") else b""
    return json.dumps(change(json.loads(row))).encode() + comma + b"\n"
