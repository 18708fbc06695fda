"""Erase again what a restored backup brought back (C-9)."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management import BaseCommand, CommandError
from django.db import transaction

from consent.erasure.journal import journal_path, noted
from consent.erasure.replay import replay
from consent.models import Tombstone
from foundation.outbox.tasks import drain


class Command(BaseCommand):
    help = "After restoring a backup: apply every erasure of the journal that the database does not know or finish."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--journal", type=Path, help="the journal, if it lies elsewhere")

    def handle(self, *args: Any, journal: Path | None, **options: Any) -> None:
        path = journal or journal_path()
        if not path.exists():
            raise CommandError(f"There is no journal at {path}.")
        try:
            erasures = list(noted(path))
        except ValueError as error:
            raise CommandError(str(error)) from None
        outcomes = [self._replay(tombstone) for tombstone in erasures]
        drain()
        for outcome in sorted(set(outcomes)):
            self.stdout.write(f"{outcome}: {outcomes.count(outcome)}")

    def _replay(self, tombstone: Tombstone) -> str:
        with transaction.atomic():
            outcome = replay(tombstone)
        self.stdout.write(f"{tombstone.pk} {tombstone.scope}: {outcome}")
        return outcome
