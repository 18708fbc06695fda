"""Import a file of knowledge entries into an organisation, or say only what would happen."""

from __future__ import annotations

from argparse import ArgumentParser
from functools import partial
from pathlib import Path
from typing import Any, Final

from django.core.management import BaseCommand, CommandError

from finclaw.management.organisations import tenant_named
from finclaw.operator_sign_in import identify_operator
from foundation.accounts.models import User
from foundation.database.acting_user import in_role
from foundation.database.roles import OPERATOR_ROLE
from foundation.exceptions import ValidationFailed
from knowledge.exceptions import KnowledgeImportRefused, KnowledgeImportUnderWay
from knowledge.importing.files import read_entries
from knowledge.importing.services import MOST, import_entries
from knowledge.importing.types import Format, ImportReport, LineOutcome

_FORMATS: Final[dict[str, Format]] = {".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".md": "markdown"}
_EVERY: Final = 500  # entries between two lines of progress


class Command(BaseCommand):
    """What ``POST /api/knowledge/imports`` does, for files that are too long for a request."""

    help = "Import a file of knowledge entries (.csv, .jsonl or .md) into an organisation."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--tenant", metavar="NAME", required=True, help="the organisation")
        parser.add_argument("--dry-run", action="store_true", help="say what would happen to each line")
        parser.add_argument(
            "--operator", metavar="NAME", help="your user name; you are asked for your password and code"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        operator = identify_operator(options["operator"])
        try:
            report = self._import(operator, options)
        except KnowledgeImportRefused as refusal:
            lines = [f"line {line['line']}: {line['reason']}" for line in refusal.details["lines"]]
            raise CommandError("\n".join([refusal.message, *lines])) from None
        except KnowledgeImportUnderWay as refusal:
            raise CommandError(refusal.message) from None
        except ValidationFailed as refusal:
            raise CommandError(" ".join(refusal.details.get("file", [refusal.message]))) from None
        self._tell(report)

    def _import(self, operator: User, options: dict[str, Any]) -> ImportReport:
        """The report of the import. Raises ``CommandError`` for a file that is none."""
        path, tenant = options["file"], tenant_named(options["tenant"])
        assert tenant is not None
        if path.suffix not in _FORMATS:
            raise CommandError(f"The name of the file must end in {', '.join(_FORMATS)}.")
        try:
            found = read_entries(path.read_bytes(), _FORMATS[path.suffix], most=MOST)
        except OSError as error:
            raise CommandError(f"{path} cannot be read: {error.strerror}.") from None
        return import_entries(
            tenant,
            operator,
            found,
            dry_run=options["dry_run"],
            opening=partial(in_role, OPERATOR_ROLE),
            progress=self._report_progress,
        )

    def _report_progress(self, done: int, total: int) -> None:
        if done % _EVERY == 0:
            self.stdout.write(f"{done} of {total}")

    def _tell(self, report: ImportReport) -> None:
        for line in report.lines:
            if line.outcome != LineOutcome.SAME:
                self.stdout.write(f"line {line.line}: {line.outcome.value} {line.reason or line.external_id}".rstrip())
        counts = ", ".join(f"{report.count(outcome)} {outcome.value}" for outcome in LineOutcome)
        self.stdout.write(f"{'Written' if report.is_written else 'Nothing was written'}: {counts}")
