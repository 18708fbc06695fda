"""``import_archive``: bring an archive of ours into one person's account."""

from __future__ import annotations

from pathlib import Path
from typing import Any, BinaryIO
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError, CommandParser

from consent.services import permit_for
from finclaw.brain.long_tasks.services import start_task
from finclaw.models import LongTaskKind
from foundation.accounts.command_arguments import named_user
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.exceptions import FinClawError
from memory.importing.chats.exported_chats import OWN_ARCHIVE


class Command(BaseCommand):
    """Hand an archive in for a user, as they could on the page; the worker checks it and brings it in."""

    help = "Import an export archive of FinClaw into a user's account. The user must have consented to learning."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--user", required=True, metavar="NAME", help="the user name")
        parser.add_argument("--file", required=True, type=Path, metavar="ZIP", help="the archive (ZIP)")

    def handle(self, *args: Any, user: str, file: Path, **options: Any) -> None:
        person = named_user(user)
        try:
            with file.open("rb") as opened:
                import_id = _start(person, opened)
        except FinClawError as error:
            raise CommandError(f"It was not taken: {error.message}") from None
        except OSError as error:
            raise CommandError(f"{file} cannot be read: {error.strerror}.") from None
        self.stdout.write(f"{import_id} waits for the worker; it can be followed on the page, and undone there.")


def _start(person: User, archive: BinaryIO) -> UUID:
    with acting_as(person.pk):
        permit = permit_for(person)
    wanted = {"file": archive, "origin": "command", "program": OWN_ARCHIVE}
    return start_task(permit, person, LongTaskKind.IMPORT, wanted)
