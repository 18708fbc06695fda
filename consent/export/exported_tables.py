"""Derives the tables of an export from the ``PersonalData`` declarations of the models."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote
from uuid import UUID

from django.db import models

from consent.declarations import PersonalModel, concerns_person, personal_models
from consent.models import Erasable
from foundation.personal_data import PersonalData

PLACEHOLDER = re.compile(r"\{(\w+)\}")
CHUNK_ROWS = 1_000
Row = dict[str, Any]


@dataclass(frozen=True)
class ExportedTable:
    """One declared table as it is written to an archive.

    ``fields`` are column names such as ``user_id``; ``shared`` are those that are emptied in a group's rows, since its
    members share them.
    """

    model: type[models.Model]
    declaration: PersonalData
    path: str
    fields: tuple[str, ...]
    shared: frozenset[str]

    @property
    def has_file_per_row(self) -> bool:
        return "{" in self.path

    @property
    def folder(self) -> str:
        """The folder of all its rows' files, for a table with one file per row."""
        return self.path.partition("{")[0]

    def path_of(self, row: Row) -> str:
        """The file of one row, for a table with one file per row."""
        return PLACEHOLDER.sub(lambda place: quote(str(row[place[1]]), safe=""), self.path)

    def count(self, user_id: UUID) -> int:
        """How many rows are this person's."""
        return self._mine(user_id).count()

    def rows(self, user_id: UUID) -> Iterator[Row]:
        """This person's rows by key, a chunk of them in memory at a time.

        Filtered by owner, because row-level security shows more: members of a group see one another's rows.
        """
        for row in self._mine(user_id).values(*self.fields).iterator(chunk_size=CHUNK_ROWS):
            yield self._without_shared_fields(row)

    def _mine(self, user_id: UUID) -> models.QuerySet[Any]:
        return self.model._default_manager.filter(concerns_person(self.declaration, user_id)).order_by("pk")

    def _without_shared_fields(self, row: Row) -> Row:
        if row.get("group_id") is None:
            return row
        return {name: None if name in self.shared else value for name, value in row.items()}


def exported_tables() -> list[ExportedTable]:
    """Every table that declares a path, and its history beside it, by path."""
    tables = [_exported_table(personal) for personal in personal_models() if personal.declaration.export]
    return sorted(tables, key=lambda table: table.path)


def exported_fields(personal: PersonalModel) -> list[models.Field[Any, Any]]:
    """The fields that an export contains, in the model's order; without the owner, whom the archive's folder names."""
    withheld = {*personal.declaration.withheld, *_bookkeeping(personal.model), *_owner_column(personal)}
    return [field for field in personal.model._meta.concrete_fields if field.attname not in withheld]


def is_history(model: type[models.Model]) -> bool:
    """Whether simple_history keeps this table."""
    return hasattr(model, "instance_type")


def _exported_table(personal: PersonalModel) -> ExportedTable:
    declared = personal.declaration
    path = _history_path(declared.export) if is_history(personal.model) else declared.export
    fields = tuple(field.attname for field in exported_fields(personal))
    return ExportedTable(personal.model, declared, path, fields, frozenset(declared.shared))


def _history_path(path: str) -> str:
    """The path of a history file: beside its table's file, or beside the folder of a table with one file per row."""
    whole = PurePosixPath(path)
    if "{" in path:
        return f"{path.partition('{')[0].rstrip('/')}_history.jsonl"
    return str(whole.with_stem(f"{whole.stem}_history"))


def _owner_column(personal: PersonalModel) -> tuple[str, ...]:
    """The column that names the user in each row.

    None where the row is the user, or names two people, either of whom may be the user.
    """
    declared = personal.declaration
    return () if declared.party or declared.owner == "id" else (declared.owner,)


def _bookkeeping(model: type[models.Model]) -> tuple[str, ...]:
    """Fields without meaning for the user.

    ``tombstone_id`` is always empty in visible rows, and ``history_user_id`` names who changed a row.
    """
    if issubclass(model, Erasable):
        return ("tombstone_id",)
    return ("history_user_id", "tombstone_id") if is_history(model) else ()
