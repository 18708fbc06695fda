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

from consent.export import services as exports
from foundation.accounts.models import User
from memory.importing.chats import services as imports


@dataclass(frozen=True)
class ForeignTable:
    """A library's table; ``rows_of`` finds the rows that name the user."""

    name: str
    rows_of: Callable[[User], QuerySet[Any]]


@dataclass(frozen=True)
class PersonalFolder:
    """Files under the data directory with copies of a user's data, deleted by every erasure.

    ``remove`` deletes the user's and returns how many it found.
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
