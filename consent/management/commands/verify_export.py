from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from consent.export.verification import verify_archive


class Command(BaseCommand):
    """Verify that an export is whole and unchanged, without a database and without unpacking it."""

    help = (
        "Check an export archive against its manifest: digest, size and row count of each file, missing and extra "
        "files."
    )
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *args: Any, file: Path, **options: Any) -> None:
        verdict = verify_archive(file)
        for problem in verdict.problems:
            self.stderr.write(problem)
        if not verdict.is_sound:
            raise CommandError(f"{len(verdict.problems)} problems: do not trust this archive.", returncode=1)
        self.stdout.write(
            f"{verdict.files} files, {verdict.rows} rows, {verdict.bytes} bytes: all as the manifest says."
        )
