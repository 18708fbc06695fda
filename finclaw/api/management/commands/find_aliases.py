"""``manage.py find_aliases``: where programs still read former names of fields."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from finclaw.api.aliases import find_uses


class Command(BaseCommand):
    """Prints each line of a program's code that names a deprecated field; fails where there is one."""

    help = "List the lines under these files and folders that name a deprecated field of the API."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("paths", nargs="+", type=Path)

    def handle(self, *args: Any, paths: list[Path], **options: Any) -> None:
        missing = [str(path) for path in paths if not path.exists()]
        if missing:
            raise CommandError(f"There is no {', '.join(missing)}.")
        uses = list(find_uses(paths))
        for use in uses:
            self.stdout.write(str(use))
        if uses:
            raise CommandError(f"{len(uses)} uses of deprecated fields.")
