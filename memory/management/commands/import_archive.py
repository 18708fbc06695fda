"""``import_archive``: bring an archive of ours into one person's account."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from foundation.accounts.models import User
from foundation.exceptions import FinClawError
from memory.importing.chats.exported_chats import OWN_ARCHIVE
from memory.importing.file_imports import request_import


class Command(BaseCommand):
    """Hand an archive in for a user, as they could on the page; the worker checks it and brings it in."""

    help = "Import an export archive of FinClaw into a user's account. The user must have consented to learning."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--user", required=True, metavar="NAME", help="the user name")
        parser.add_argument("--file", required=True, type=Path, metavar="ZIP", help="the archive (ZIP)")

    def handle(self, *args: Any, user: str, file: Path, **options: Any) -> None:
        person = User.objects.filter(username=user).first()
        if person is None:
            raise CommandError("Nobody goes by that user name.")
        try:
            with file.open("rb") as opened:
                wanted = request_import(person, opened, origin="command", program=OWN_ARCHIVE)
        except FinClawError as error:
            raise CommandError(f"It was not taken: {error.message}") from None
        except OSError as error:
            raise CommandError(f"{file} cannot be read: {error.strerror}.") from None
        self.stdout.write(f"{wanted.pk} waits for the worker; it can be followed on the page, and undone there.")
