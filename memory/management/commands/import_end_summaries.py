from __future__ import annotations

from argparse import ArgumentTypeError
from collections import Counter
from datetime import datetime
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from foundation.accounts.command_arguments import named_user
from foundation.exceptions import FinClawError
from memory.importing.end_summaries import EndSummary, EndSummaryImporter, read
from memory.importing.progress_bar import progress_bar
from memory.importing.sources import parsed
from memory.importing.types import RefusedRecord
from memory.importing.validation import BadRecord

_HELP = """Import a file end_summaries.json as events of one user. It holds a list of {"summary": "...", "timestamp":
"2026-02-21T14:30:00+08:00"}, optionally with "location": {"type": "group", "name": "..."}; entries that are bare
sentences need --undated. Every entry is given to the historian as the end of a turn, under the user's consent. Running
it again adds nothing; an invalid entry is reported by its number and the others are imported."""

_OUTCOMES = (
    "Imported: {imported} (a running worker makes an event of each)",
    "Skipped: {known} (imported before, or twice in the file)",
    "Refused: {refused} (nothing of it is stored; the reason for each is told by its number)",
)


class Command(BaseCommand):
    """Import end summaries: hand them to the historian; report what was refused, and fail when anything was."""

    help = _HELP

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("path", type=Path)
        parser.add_argument("--user", required=True, help="the user name of the account that gets the events")
        parser.add_argument("--undated", type=_moment, help="the time of entries without a timestamp, with an offset")

    def handle(self, *args: Any, path: Path, user: str, undated: datetime | None, **options: Any) -> None:
        person = named_user(user)
        try:
            entries = list(read(parsed(path), person, undated))
            importer = EndSummaryImporter(person)
        except (OSError, FinClawError) as error:
            raise CommandError(getattr(error, "message", None) or f"{path} cannot be read.") from None
        counts = Counter(imported=0, known=0, refused=0)
        try:
            with progress_bar() as progress:
                for entry in progress.track(entries, description="Importing"):
                    counts[self._add(importer, entry)] += 1
        finally:
            for line in _OUTCOMES:
                self.stdout.write(line.format_map(counts))
        if counts["refused"]:
            raise CommandError(f"{counts['refused']} refused.", returncode=1)

    def _add(self, importer: EndSummaryImporter, entry: EndSummary | RefusedRecord) -> str:
        """Import one summary; returns what became of it."""
        if isinstance(entry, EndSummary):
            try:
                return "imported" if importer.add(entry) else "known"
            except BadRecord as error:
                entry = RefusedRecord(entry.where, str(error))
        self.stderr.write(f"{entry.where}: {entry.reason}")
        return "refused"


def _moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise ArgumentTypeError("not a time with an offset, such as 2026-02-21T14:30:00+08:00")
    return moment
