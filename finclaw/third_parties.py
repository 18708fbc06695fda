"""What holds something of a person and is not a table of ours: other people's tables, and folders of files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.contrib.admin.models import LogEntry
from django.db.models import Q, QuerySet
from django_otp.plugins.otp_static.models import StaticDevice, StaticToken
from django_otp.plugins.otp_totp.models import TOTPDevice

from consent.export import services as exports
from foundation.accounts.models import User
from memory.importing.chats import services as imports


@dataclass(frozen=True)
class ForeignTable:
    """A table of a library's; ``rows_of`` finds those that name the person."""

    name: str
    rows_of: Callable[[User], QuerySet[Any]]


@dataclass(frozen=True)
class PersonalFolder:
    """Files under the data directory that hold copies of what a person has here: whatever is erased, they go.

    ``remove`` deletes the person's and answers how many it found.
    """

    name: str
    remove: Callable[[UUID], int]
    count: Callable[[UUID], int]


TABLES: tuple[ForeignTable, ...] = (
    ForeignTable("otp_static.StaticToken", lambda user: StaticToken.objects.filter(device__user=user)),
    ForeignTable("otp_static.StaticDevice", lambda user: StaticDevice.objects.filter(user=user)),
    ForeignTable("otp_totp.TOTPDevice", lambda user: TOTPDevice.objects.filter(user=user)),
    ForeignTable("admin.LogEntry", lambda user: LogEntry.objects.filter(Q(user=user) | Q(object_id=str(user.pk)))),
)
FOLDERS: tuple[PersonalFolder, ...] = (
    PersonalFolder(
        "exports",
        exports.remove_exports_of,
        lambda user_id: len(exports.files_of(user_id)),
    ),
    PersonalFolder("imports", imports.remove_files_of, lambda user_id: len(imports.files_of(user_id))),
)
