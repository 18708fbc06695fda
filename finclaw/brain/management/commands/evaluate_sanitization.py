from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from rich.table import Table

from finclaw.brain.sanitization.evaluation import PATH, SanitizationEvaluation, evaluate, read_corpus
from foundation.console_tables import render_table

PRECISION_FLOOR = 0.98  # a false alarm loses a memory
RECALL_FLOOR = 0.95
_HELP = """Test the sanitization of remembered texts on its labelled corpus. Prints precision and recall over all
examples, for the examples it was fitted to and the held-out ones, and by language. Exits with an error if either is
below its floor."""


class Command(BaseCommand):
    """Sanitize every line of the corpus and print the scores; fails below the floors."""

    help = _HELP

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--corpus", type=Path, default=PATH)

    def handle(self, *args: Any, corpus: Path, **options: Any) -> None:
        try:
            evaluation = evaluate(read_corpus(corpus))
        except (OSError, ValueError):
            raise CommandError(f"{corpus} is not a corpus.") from None
        self.stdout.write(render_table(_table(evaluation)))
        for example, result, rule in evaluation.mistakes:
            self.stdout.write(f"line {example.number}: {example.expected} expected, {result} by {rule or 'no rule'}")
        if not evaluation.passes(PRECISION_FLOOR, RECALL_FLOOR):
            raise CommandError(f"Precision is under {PRECISION_FLOOR} or recall under {RECALL_FLOOR}.")


def _table(evaluation: SanitizationEvaluation) -> Table:
    table = Table(title="Sanitization of what is remembered")
    table.add_column("")
    for name in ("caught", "missed", "false alarms", "harmless", "precision", "recall"):
        table.add_column(name, justify="right")
    for name, score in evaluation.scores.items():
        counts = (score.caught, score.missed, score.false, score.harmless)
        table.add_row(name, *map(str, counts), f"{score.precision:.3f}", f"{score.recall:.3f}")
    return table
