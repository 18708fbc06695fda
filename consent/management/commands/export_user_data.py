from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from consent.export.exceptions import SnapshotOutdated
from consent.export.operator_export import write_operator_export
from foundation.accounts.command_arguments import named_user


class Command(BaseCommand):
    """Export a user's data for an operator; the user finds it in their record of governed acts."""

    help = "Export all data of one user to a ZIP archive, and record the export in the audit log."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--user", required=True, metavar="NAME", help="the user name")
        parser.add_argument("--out", required=True, type=Path, metavar="DIR", help="the folder to write the archive to")

    def handle(self, *args: Any, user: str, out: Path, **options: Any) -> None:
        person = named_user(user)
        try:
            self.stdout.write(str(write_operator_export(person, out)))
        except SnapshotOutdated as error:
            raise CommandError(f"{error.message} Run the command again.") from None
        except OSError as error:
            raise CommandError(f"{out} cannot be written to: {error.strerror}.") from None
