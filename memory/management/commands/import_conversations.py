from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any, get_args

from django.core.management.base import BaseCommand, CommandError, CommandParser

from consent.sensitive.services import redact_text
from foundation.exceptions import ValidationFailed
from foundation.outbox.worker_wakeup import wake_worker
from memory.importing.progress_bar import progress_bar
from memory.importing.services import ConversationImporter
from memory.importing.sources import open_source
from memory.importing.types import Format, Record, RefusedRecord, size_of
from memory.importing.validation import BadRecord

_HELP = """Import conversations of other products. Their people become accounts that nobody can sign in to; their
messages are indexed at once and queued for learning. New accounts are given consent in every scope, with the source
"command"; existing accounts keep their consent. Running it again adds nothing, and continues an import that was
interrupted. Formats: locomo (conversations of two people, each in a group), memorybank (a person and the assistant,
one session a day) and jsonl, one message a line: {"conversation": "desk", "session": "monday", "speaker": "Ann",
"text": "...", "at": "2026-03-02T09:30:00Z"}; answers of the assistant have "role": "assistant" instead of a speaker."""


class Command(BaseCommand):
    """Import conversations: record, index and queue them; report what was refused, and fail when anything was."""

    help = _HELP

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("path", type=Path)
        parser.add_argument("--format", choices=get_args(Format), required=True)

    def handle(self, *args: Any, path: Path, format: Format, **options: Any) -> None:
        try:
            source = open_source(path, format)
        except (OSError, ValidationFailed) as error:
            raise CommandError(getattr(error, "message", None) or f"{path} cannot be read.") from None
        counts: Counter[str] = Counter()
        try:
            with progress_bar() as progress:
                task = progress.add_task("Importing", total=source.total)
                importer = ConversationImporter()
                for record in source.records:
                    self._add(importer, record, counts)
                    progress.advance(task, size_of(record))
        finally:
            self._end(counts)
        if counts["refused"]:
            raise CommandError(f"{counts['refused']} refused.", returncode=1)

    def _add(self, importer: ConversationImporter, record: Record, counts: Counter[str]) -> None:
        if isinstance(record, RefusedRecord):
            self._refuse(record, counts)
            return
        try:
            added = importer.add(record)
        except BadRecord as error:
            where = redact_text(f"conversation {record.conversation}, {record.session}")
            self._refuse(RefusedRecord(where, str(error)), counts)
            return
        counts.update(recorded=added.recorded, known=added.known)

    def _refuse(self, refused: RefusedRecord, counts: Counter[str]) -> None:
        counts["refused"] += 1
        self.stderr.write(f"{refused.where}: {refused.reason}")

    def _end(self, counts: Counter[str]) -> None:
        if counts["recorded"]:
            wake_worker()
        self.stdout.write(
            f"{counts['recorded']} messages imported, {counts['known']} were there already,"
            f" {counts['refused']} records refused."
        )
