"""Erases personal data outside our own models: in tables of libraries, and in folders of files."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, Final
from uuid import UUID

from django.contrib.admin.models import LogEntry
from django.db.models import Q, QuerySet
from django_otp.plugins.otp_static.models import StaticDevice, StaticToken
from django_otp.plugins.otp_totp.models import TOTPDevice
from oauth2_provider.models import AccessToken, Grant, RefreshToken

from consent.erasure.plan import Counts, ErasurePart
from consent.export import services as exports
from foundation.database.acting_user import in_role
from foundation.database.roles import ERASER_ROLE
from memory.importing import file_imports as imports

# For each table, a function that returns the rows that refer to a user.
TABLES: Final[dict[str, Callable[[UUID], QuerySet[Any]]]] = {
    "otp_static.StaticToken": lambda user_id: StaticToken.objects.filter(device__user=user_id),
    "otp_static.StaticDevice": lambda user_id: StaticDevice.objects.filter(user=user_id),
    "otp_totp.TOTPDevice": lambda user_id: TOTPDevice.objects.filter(user=user_id),
    "oauth2_provider.Grant": lambda user_id: Grant.objects.filter(user=user_id),
    "oauth2_provider.RefreshToken": lambda user_id: RefreshToken.objects.filter(user=user_id),
    "oauth2_provider.AccessToken": lambda user_id: AccessToken.objects.filter(user=user_id),
    "admin.LogEntry": lambda user_id: LogEntry.objects.filter(Q(user=user_id) | Q(object_id=str(user_id))),
}
# For each folder, a function that deletes a user's files and returns their number, and one that lists them.
FOLDERS: Final[dict[str, tuple[Callable[[UUID], int], Callable[[UUID], Collection[Any]]]]] = {
    "exports": (exports.remove_exports_of, exports.files_of),
    "imports": (imports.remove_files_of, imports.files_of),
}


class ForeignTablesErasure(ErasurePart):
    """Deletes rows in tables of libraries, with the account only."""

    def clean(self) -> Counts:
        with in_role(ERASER_ROLE):
            return {name: rows.delete()[0] for name, rows in self._rows().items()}

    def count_residue(self) -> Counts:
        return {name: rows.count() for name, rows in self._rows().items()}

    def _rows(self) -> dict[str, QuerySet[Any]]:
        return {name: rows_of(self.plan.user_id) for name, rows_of in TABLES.items()} if self.plan.is_account else {}


class CopiesErasure(ErasurePart):
    """Deletes all files with copies of a user's data in any erasure, since each may contain what is erased."""

    def finish(self) -> Counts:
        return {name: remove(self.plan.user_id) for name, (remove, _) in FOLDERS.items()}

    def count_residue(self) -> Counts:
        return {name: len(files_of(self.plan.user_id)) for name, (_, files_of) in FOLDERS.items()}
