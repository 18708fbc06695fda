"""Stores the rows of an archive: conversations, messages, events, memories and the context that the user stated.

A row keeps its words and its times. Its id becomes one of this account, and its references lead to the rows imported
with it. It is stored under the consent that the user gave here. These rows are left out: those of a group, which does
not exist here; those that hold a key or a password; those that the user has had forgotten since; and those that would
take the place of another row, because what was changed here stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from typing import Final, NamedTuple
from uuid import UUID

from django.db import DataError, IntegrityError, models, transaction

from consent.models import ErasureScope, Tombstone
from consent.permit import Permit
from consent.sensitive.exceptions import SensitiveInput
from foundation.accounts.models import User
from foundation.database.bulk_insert import insert_absent_values
from memory.importing.archives.archive_file import ArchivedRow, ArchiveFile
from memory.importing.archives.archive_tables import (
    CONTEXTS,
    ITEMS,
    MESSAGES,
    SESSIONS,
    TABLES,
    ArchiveImport,
    ArchiveTable,
    Values,
)
from memory.importing.archives.row_ids import RowIds
from memory.importing.archives.row_values import account_columns, screened, values_of
from memory.importing.chats.chat_storage import StorageCounts
from memory.models import ChatImport, MemoryItem
from memory.services.versions import change_fields

ROWS_AT_ONCE: Final = 50
"""How many rows one transaction stores: other writers to the account wait a tenth of a second for it."""
BYTES_AT_ONCE: Final = 4_000_000  # of the rows of one transaction


class StepOutcome(NamedTuple):
    """What became of some rows, and how many conversations were among them."""

    counts: StorageCounts
    conversations: int = 0


Step = Callable[[Permit], StepOutcome]


def steps_of(chat_import: ChatImport, archive: ArchiveFile) -> Iterator[Step]:
    """What each transaction of an import stores, one after the other. Raises ``BrokenFile``, and so do the steps."""
    ids = RowIds(chat_import.user, archive.manifest.user_id)
    imported = ArchiveImport(chat_import, ids, _last_seqs(archive, ids), _made_at(chat_import.user, archive))
    for table in TABLES:
        for rows in _batches(archive.rows(table.path, table.columns)):
            yield partial(_store, table, imported, rows)
    links = _personal(archive.rows(ITEMS.path, ("id", "superseded_by_id", "group_id")))
    for rows in _batches(row for row in links if row.values.get("superseded_by_id")):
        yield partial(_link_items, imported, rows)


def require_readable(user: User, archive: ArchiveFile) -> tuple[int, int]:
    """Read every row before anything is stored; answers the conversations and all rows. Raises ``BrokenFile``."""
    ids = RowIds(user, archive.manifest.user_id)
    for table in TABLES:
        given = account_columns(table, user.pk, 0)
        for row in _personal(archive.rows(table.path, table.columns)):
            values_of(table, row, ids, given)
    return archive.count_rows((SESSIONS.path,)), archive.count_rows(tuple(table.path for table in TABLES))


def _personal(rows: Iterable[ArchivedRow]) -> Iterator[ArchivedRow]:
    """The rows that belong to no group. What a group has in common is not in an archive at all."""
    return (row for row in rows if row.values.get("group_id") is None)


def _batches(rows: Iterable[ArchivedRow]) -> Iterator[list[ArchivedRow]]:
    """The rows in batches, each for one transaction and limited in rows and bytes."""
    batch: list[ArchivedRow] = []
    size = 0
    for row in rows:
        if batch and (len(batch) == ROWS_AT_ONCE or size + row.size > BYTES_AT_ONCE):
            yield batch
            batch, size = [], 0
        batch.append(row)
        size += row.size
    if batch:
        yield batch


def _made_at(user: User, archive: ArchiveFile) -> datetime | None:
    """When the archive was made, if it is of this very account; None for another account's."""
    at = archive.manifest.created_at
    return (at if at.tzinfo else at.replace(tzinfo=UTC)) if archive.manifest.user_id == user.pk else None


def _last_seqs(archive: ArchiveFile, ids: RowIds) -> dict[UUID, int]:
    """The number of each conversation's last message, which an archive does not state. Its rows were checked before."""
    last: dict[UUID, int] = {}
    for row in _personal(archive.rows(MESSAGES.path, ("session_id", "seq", "group_id"))):
        session = ids.map_id(UUID(row.values["session_id"]))
        last[session] = max(int(row.values["seq"]), last.get(session, 0))
    return last


def _store(table: ArchiveTable, imported: ArchiveImport, rows: Sequence[ArchivedRow], permit: Permit) -> StepOutcome:
    """Store the rows that are not there yet; what an earlier attempt of the same import stored counts as recorded."""
    given = account_columns(table, imported.user.pk, permit.version)
    found = [values_of(table, row, imported.ids, given) for row in _personal(rows)]
    existing, of_this_import = _existing_ids(table, imported, [values["id"] for values in found])
    if table is ITEMS:
        _close_versions(imported.user, [values for values in found if values["id"] in existing])
    absent = [values for values in found if values["id"] not in existing]
    storable = _storable_rows(table, imported, absent) if permit.allows(table.scope) else []
    screened_rows = [row for values in storable if (row := _screened(table, imported, values)) is not None]
    inserted = _insert(table, screened_rows)
    table.follow(imported, [row for row in screened_rows if row["id"] in inserted])
    recorded, known = len(inserted) + len(of_this_import), len(existing) - len(of_this_import)
    counts = StorageCounts(recorded, known, left_out=len(rows) - recorded - known)
    return StepOutcome(counts, len(rows) if table is SESSIONS else 0)


def _existing_ids(table: ArchiveTable, imported: ArchiveImport, keys: Sequence[UUID]) -> tuple[set[UUID], set[UUID]]:
    """The rows that are there already, and those of them that this import brought, before it was begun anew."""
    present = table.model._default_manager.filter(pk__in=keys, user_id=imported.user.pk)
    key = str(imported.chat_import.pk)
    brought = present.filter(**{table.import_field: key}) if table.import_field else present.none()
    return set(present.values_list("pk", flat=True)), set(brought.values_list("pk", flat=True))


def _close_versions(user: User, rows: Sequence[Values]) -> None:
    """Close the versions that are open here, and were closed in the archive after they last changed here."""
    closed = {row["id"]: row for row in rows if row["superseded_at"] is not None}
    for item in MemoryItem.objects.owned_by(user.pk).open().filter(pk__in=closed):
        row = closed[item.pk]
        if item.updated_at < row["updated_at"]:
            as_archived = {name: row[name] for name in ("state", "invalid_at", "superseded_at", "updated_at")}
            with suppress(IntegrityError), transaction.atomic():  # one that collides with another version stays
                change_fields(item, **as_archived)


def _insert(table: ArchiveTable, rows: Sequence[Values]) -> set[UUID]:
    """Insert the rows that collide with no existing one, but for those the database refuses; returns their ids."""
    try:
        with transaction.atomic():
            return insert_absent_values(table.model, rows)
    except (IntegrityError, DataError):
        alone = [[row] for row in rows] if len(rows) > 1 else []
    return {key for each in alone for key in _insert(table, each)}


def _storable_rows(table: ArchiveTable, imported: ArchiveImport, rows: Sequence[Values]) -> list[Values]:
    """The rows that were not forgotten since, and whose parent rows exist."""
    if _forgot_all_since(table, imported):
        return []
    placed = [row for row in rows if row["id"] not in imported.erased_ids]
    for name, model in table.parents.items():
        parents = _own_ids(imported.user, model, {row[name] for row in placed})
        placed = [row for row in placed if row[name] in parents]
    return placed


def _forgot_all_since(table: ArchiveTable, imported: ArchiveImport) -> bool:
    """Whether the user had all of this kind forgotten after they brought an archive in before, or after they made
    their own.
    """
    scope = ErasureScope.PROFILE if table is CONTEXTS else ErasureScope.MEMORIES
    if table in (SESSIONS, MESSAGES):
        return False  # such an erasure leaves them, without their words
    chat_import = imported.chat_import
    before = ChatImport.objects.filter(user=imported.user, assistant=chat_import.assistant).exclude(pk=chat_import.pk)
    first = before.order_by("created_at").values_list("created_at", flat=True).first()
    known_since = min(filter(None, (first, imported.made_at)), default=None)
    if known_since is None:
        return False
    return Tombstone.objects.filter(user_id=imported.user.pk, scope=scope, requested_at__gte=known_since).exists()


def _own_ids(user: User, model: type[models.Model], keys: Collection[UUID]) -> set[UUID]:
    own = model._default_manager.filter(user_id=user.pk, group_id=None, pk__in=keys)
    return set(own.values_list("pk", flat=True))


def _screened(table: ArchiveTable, imported: ArchiveImport, values: Values) -> Values | None:
    """The complete row with its texts screened; None for one with sensitive content that must not be stored."""
    names = [imported.user.name, values.get("speaker", ""), values.get("sender_name", "")]
    try:
        return table.complete(imported, screened(values, table.texts, [name for name in names if name]))
    except SensitiveInput:
        return None


def _link_items(imported: ArchiveImport, rows: Sequence[ArchivedRow], permit: Permit) -> StepOutcome:
    """Set ``superseded_by`` of each memory to the one that replaced it, if both exist."""
    ids = imported.ids
    links = {ids.map_id(UUID(row.values["id"])): ids.map_id(UUID(row.values["superseded_by_id"])) for row in rows}
    successors = _own_ids(imported.user, MemoryItem, links.values())
    items = MemoryItem.objects.filter(user=imported.user, pk__in=links, superseded_by=None).in_bulk()
    for key, item in items.items():
        if links[key] in successors and item.superseded_at is not None:
            MemoryItem.objects.filter(pk=item.pk).update(superseded_by=links[key], updated_at=item.updated_at)
    return StepOutcome(StorageCounts())
