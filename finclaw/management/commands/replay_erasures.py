"""Erases again what a restored backup brought back."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management import BaseCommand, CommandError

from consent.erasure.journal import journal_path
from consent.erasure.journal_replay import replay_journal
from foundation.outbox.tasks import drain


class Command(BaseCommand):
    help = (
        "After restoring a backup, repeat the erasures in the journal that the restored database lacks or had not "
        "completed."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--journal", type=Path, help="the path of the journal (default: ERASURE_JOURNAL)")

    def handle(self, *args: Any, journal: Path | None, **options: Any) -> None:
        path = journal or journal_path()
        if not path.exists():
            raise CommandError(f"There is no journal at {path}.")
        try:
            replayed = replay_journal(path)
        except ValueError as error:
            raise CommandError(str(error)) from None
        for tombstone, outcome in replayed:
            self.stdout.write(f"{tombstone.pk} {tombstone.scope}: {outcome}")
        outcomes = [outcome for _, outcome in replayed]
        drain()
        for outcome in sorted(set(outcomes)):
            self.stdout.write(f"{outcome}: {outcomes.count(outcome)}")
