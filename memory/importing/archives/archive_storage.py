"""Storage of an archive's rows: conversations, messages, events, memories and what was stated of oneself.

A row keeps its words and its times; it gets an id of its own here, and its links lead to the rows that came with it.
Its consent is the one that its user gave here. What belongs to a group is left out, as the group is not here; so is
what holds a key or a password, and what its user has had forgotten since.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Final
from uuid import UUID

from django.db import models

from consent.models import ErasureScope, Tombstone
from consent.permit import Permit
from consent.sensitive.exceptions import SensitiveInput
from foundation.accounts.models import User
from foundation.database.bulk_insert import insert_values
from memory.importing.archives.archive_file import ArchivedRow, ArchiveFile
from memory.importing.archives.archive_tables import (
    CONTEXTS,
    ITEMS,
    MESSAGES,
    SESSIONS,
    TABLES,
    ArchiveTable,
    RowsHere,
    Values,
)
from memory.importing.archives.row_ids import RowIds
from memory.importing.archives.row_values import given_here, screened, values_of
from memory.importing.chats.chat_storage import StorageCounts
from memory.models import ChatImport, MemoryItem, Session, UserContext
from memory.services.versions import content_hash

ROWS_AT_ONCE: Final = 50
"""How many rows one transaction stores: whoever writes to the account waits a tenth of a second."""
Step = Callable[[Permit], tuple[StorageCounts, int]]
"""Stores some rows; answers what became of them, and how many conversations were among them."""


def steps_of(wanted: ChatImport, archive: ArchiveFile) -> Iterator[Step]:
    """What each transaction of an import stores, one after the other. Raises ``BrokenFile``, and so do the steps."""
    ids = RowIds(wanted.user, archive.manifest.user_id)
    here = RowsHere(wanted, ids, _last_seqs(archive, ids))
    for table in TABLES:
        rows = archive.rows(table.path)
        while some := list(islice(rows, ROWS_AT_ONCE)):
            yield partial(_store, table, here, some)
    rows = (row for row in archive.rows(ITEMS.path) if row.values.get("superseded_by_id"))
    while some := list(islice(rows, ROWS_AT_ONCE)):
        yield partial(_link_items, here, some)


def require_readable(user: User, archive: ArchiveFile) -> tuple[int, int]:
    """Read every row before anything is stored; answers the conversations and all rows. Raises ``BrokenFile``."""
    ids = RowIds(user, archive.manifest.user_id)
    for table in TABLES:
        given = given_here(table.model, user.pk, 0)
        for row in filter(_is_of_nobody_else, archive.rows(table.path)):
            values_of(table.model, row, ids, given)
    return archive.count((SESSIONS.path,)), archive.count(tuple(table.path for table in TABLES))


def _is_of_nobody_else(row: ArchivedRow) -> bool:
    """Whether a row is its user's alone: what a group has in common is not even told by an archive."""
    return row.values.get("group_id") is None


def _last_seqs(archive: ArchiveFile, ids: RowIds) -> dict[UUID, int]:
    """The number of each conversation's last message, which an archive does not tell; its rows were read before."""
    last: dict[UUID, int] = {}
    for row in archive.rows(MESSAGES.path):
        session = ids.of(UUID(row.values["session_id"]))
        last[session] = max(int(row.values["seq"]), last.get(session, 0))
    return last


def _store(
    table: ArchiveTable, here: RowsHere, rows: Sequence[ArchivedRow], permit: Permit
) -> tuple[StorageCounts, int]:
    given = given_here(table.model, here.user.pk, permit.version)
    found = [values_of(table.model, row, here.ids, given) for row in filter(_is_of_nobody_else, rows)]
    there = _there(table, here, [values["id"] for values in found])
    absent = [values for values in found if values["id"] not in there]
    own = _wanted(table, here, absent) if permit.allows(table.scope) else []
    kept = [row for values in own if (row := _screened(table, here, values)) is not None]
    insert_values(table.model, kept)
    table.follow(here, kept)
    earlier = sum(there.values())
    counts = StorageCounts(len(kept) + earlier, len(there) - earlier, len(rows) - len(there) - len(kept))
    return counts, len(rows) if table is SESSIONS else 0


def _there(table: ArchiveTable, here: RowsHere, keys: Sequence[UUID]) -> dict[UUID, bool]:
    """The rows that are there already, and whether this import brought them, before it was begun anew."""
    present = table.model._default_manager.filter(pk__in=keys, user_id=here.user.pk)
    brought = present.filter(**{table.import_field: str(here.wanted.pk)}) if table.import_field else present.none()
    own = set(brought.values_list("pk", flat=True))
    return {key: key in own for key in present.values_list("pk", flat=True)}


def _wanted(table: ArchiveTable, here: RowsHere, rows: Sequence[Values]) -> list[Values]:
    """Those to be stored: not forgotten since, and with the rows that they stand with."""
    if _forgot_all_since(table, here):
        return []
    placed = list(rows)
    for name, model in table.parents.items():
        there = _there_among(here.user, model, {row[name] for row in rows})
        placed = [row for row in placed if row[name] in there]
    return [row for row in placed if row["id"] not in here.erased and not _stands_already(table, here.user, row)]


def _forgot_all_since(table: ArchiveTable, here: RowsHere) -> bool:
    """Whether the user had all of this kind forgotten after they brought an archive in before."""
    scope = ErasureScope.PROFILE if table is CONTEXTS else ErasureScope.MEMORIES
    if table in (SESSIONS, MESSAGES):
        return False  # such an erasure leaves them, without their words
    before = ChatImport.objects.filter(user=here.user, assistant=here.wanted.assistant).exclude(pk=here.wanted.pk)
    first = before.order_by("created_at").values_list("created_at", flat=True).first()
    if first is None:
        return False
    return Tombstone.objects.filter(user_id=here.user.pk, scope=scope, requested_at__gte=first).exists()


def _there_among(user: User, model: type[models.Model], keys: set[UUID]) -> set[UUID]:
    own = model._default_manager.filter(user_id=user.pk, group_id=None, pk__in=keys)
    return set(own.values_list("pk", flat=True))


def _stands_already(table: ArchiveTable, user: User, row: Values) -> bool:
    """Whether a row that may be there once is: an imported conversation, an open memory in these words, a profile."""
    if table is SESSIONS and row["external_ref"]:
        return Session.objects.filter(user=user, external_ref=row["external_ref"]).exists()
    if table is ITEMS and row["superseded_at"] is None:
        digest = content_hash(user.pk, row["content"])
        return MemoryItem.objects.filter(user=user, group=None, content_hash=digest, superseded_at=None).exists()
    return table is CONTEXTS and UserContext.objects.filter(user=user).exists()


def _screened(table: ArchiveTable, here: RowsHere, values: Values) -> Values | None:
    """The row as it may be kept, complete; None for one that holds what must not be."""
    names = [here.user.name, values.get("speaker", ""), values.get("sender_name", "")]
    try:
        return table.complete(here, screened(values, table.texts, [name for name in names if name]))
    except SensitiveInput:
        return None


def _link_items(here: RowsHere, rows: Sequence[ArchivedRow], permit: Permit) -> tuple[StorageCounts, int]:
    """Let each memory lead to the one that took its place, where both are there."""
    user, ids = here.user, here.ids
    links = {ids.of(UUID(row.values["id"])): ids.of(UUID(row.values["superseded_by_id"])) for row in rows}
    there = set(MemoryItem.objects.filter(user=user, pk__in=links.values()).values_list("pk", flat=True))
    items = MemoryItem.objects.filter(user=user, pk__in=links, superseded_by=None).in_bulk()
    for key, item in items.items():
        if links[key] in there:
            MemoryItem.objects.filter(pk=item.pk).update(superseded_by=links[key], updated_at=item.updated_at)
    return StorageCounts(), 0
