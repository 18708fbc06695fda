"""Counts how many messages of an import search finds already, by words and by meaning."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.db import connection

from memory.models import ChatImport

_COUNTS_BY_IMPORT: Final = """
    SELECT s.brought_by, count(*), count(*) FILTER (WHERE e.model_id <> '')
    FROM memory_session s JOIN memory_searchentry e ON e.session_id = s.id
    WHERE s.user_id = %(user)s AND s.brought_by = ANY(%(imports)s) AND s.tombstone_id IS NULL
      AND e.user_id = %(user)s AND e.kind = 'turn' AND e.tombstone_id IS NULL
    GROUP BY s.brought_by
"""


@dataclass(frozen=True, slots=True)
class ReadingProgress:
    """How many messages of an import search finds by words, and how many of these by meaning too."""

    found_by_words: int
    found_by_meaning: int


NOTHING_READ_YET: Final = ReadingProgress(0, 0)


def reading_progress_of(chat_import: ChatImport) -> ReadingProgress:
    """How many messages of an import can be found by words and by meaning. To be read while acting for its person."""
    return reading_progress_by_import(chat_import.user_id, [chat_import.pk]).get(chat_import.pk, NOTHING_READ_YET)


def reading_progress_by_import(user_id: UUID, import_ids: Collection[UUID]) -> dict[UUID, ReadingProgress]:
    """How far search has come with each of one person's imports, by id and in one query; an import without messages is
    left out.
    """
    with connection.cursor() as cursor:
        cursor.execute(_COUNTS_BY_IMPORT, {"user": user_id, "imports": list(import_ids)})
        return {key: ReadingProgress(by_words, by_meaning) for key, by_words, by_meaning in cursor.fetchall()}
