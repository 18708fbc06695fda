"""Personal data outside our own models: tables of libraries, and folders of files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.contrib.admin.models import LogEntry
from django.db.models import Q, QuerySet
from django_otp.plugins.otp_static.models import StaticDevice, StaticToken
from django_otp.plugins.otp_totp.models import TOTPDevice

from consent.erasure.plan import Counts, ErasurePart
from consent.export import services as exports
from foundation.database.acting_user import in_role
from foundation.database.roles import ERASER_ROLE
from memory.importing.chats import services as imports


@dataclass(frozen=True)
class ForeignTable:
    """A library's table; ``rows_of`` finds the rows that name the user."""

    name: str
    rows_of: Callable[[UUID], QuerySet[Any]]


@dataclass(frozen=True)
class PersonalFolder:
    """Files under the data directory with copies of a user's data, deleted by every erasure.

    ``remove`` deletes the user's and returns how many it found.
    """

    name: str
    remove: Callable[[UUID], int]
    count: Callable[[UUID], int]


TABLES: tuple[ForeignTable, ...] = (
    ForeignTable("otp_static.StaticToken", lambda user_id: StaticToken.objects.filter(device__user=user_id)),
    ForeignTable("otp_static.StaticDevice", lambda user_id: StaticDevice.objects.filter(user=user_id)),
    ForeignTable("otp_totp.TOTPDevice", lambda user_id: TOTPDevice.objects.filter(user=user_id)),
    ForeignTable(
        "admin.LogEntry", lambda user_id: LogEntry.objects.filter(Q(user=user_id) | Q(object_id=str(user_id)))
    ),
)
FOLDERS: tuple[PersonalFolder, ...] = (
    PersonalFolder(
        "exports",
        exports.remove_exports_of,
        lambda user_id: len(exports.files_of(user_id)),
    ),
    PersonalFolder("imports", imports.remove_files_of, lambda user_id: len(imports.files_of(user_id))),
)


class ForeignTablesErasure(ErasurePart):
    """The rows of libraries, which go with the account."""

    def clean(self) -> Counts:
        with in_role(ERASER_ROLE):
            return {table.name: rows.delete()[0] for table, rows in self._rows()}

    def left(self) -> Counts:
        return {table.name: rows.count() for table, rows in self._rows()}

    def _rows(self) -> list[tuple[ForeignTable, QuerySet[Any]]]:
        return [(table, table.rows_of(self.plan.user_id)) for table in TABLES] if self.plan.is_account else []


class CopiesErasure(ErasurePart):
    """Files with copies of a user's data: any of them may hold what is erased."""

    def finish(self) -> Counts:
        return {folder.name: folder.remove(self.plan.user_id) for folder in FOLDERS}

    def left(self) -> Counts:
        return {folder.name: folder.count(self.plan.user_id) for folder in FOLDERS}
