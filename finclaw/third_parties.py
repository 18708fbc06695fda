"""What holds something of a person and is not a table of ours: other people's tables, and folders of files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django.contrib.admin.models import LogEntry
from django.db.models import Q, QuerySet

from consent.export import services as exports
from foundation.accounts.models import User


@dataclass(frozen=True)
class ForeignTable:
    """A table of a library's; ``rows_of`` finds those that name the person."""

    name: str
    rows_of: Callable[[User], QuerySet[Any]]


@dataclass(frozen=True)
class Folder:
    """Files under the data directory that hold copies of what a person has here: whatever is erased, they go.

    ``remove`` deletes the person's and answers how many it found.
    """

    name: str
    remove: Callable[[UUID], int]
    count: Callable[[UUID], int]


def _by_name(model: Any) -> Callable[[User], QuerySet[Any]]:
    def rows_of(user: User) -> QuerySet[Any]:
        found: QuerySet[Any] = model.objects.filter(username=user.username)
        return found

    return rows_of


TABLES: tuple[ForeignTable, ...] = (
    ForeignTable("axes.AccessAttempt", _by_name(AccessAttempt)),
    ForeignTable("axes.AccessFailureLog", _by_name(AccessFailureLog)),
    ForeignTable("axes.AccessLog", _by_name(AccessLog)),
    ForeignTable("admin.LogEntry", lambda user: LogEntry.objects.filter(Q(user=user) | Q(object_id=str(user.pk)))),
)
FOLDERS: tuple[Folder, ...] = (
    Folder(
        "exports",
        exports.remove_exports_of,
        lambda user_id: len(exports.files_of(user_id)),
    ),
)
