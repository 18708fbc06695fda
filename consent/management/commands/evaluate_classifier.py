from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from rich.table import Table

from consent.sensitive.corpus import PATH, read_corpus
from consent.sensitive.evaluation import SensitiveEvaluation, evaluate_classifier
from foundation.console_tables import render_table

FLOOR = 0.98  # of precision and of recall
_HELP = """Test the classifier of sensitive input on its labelled corpus. Prints precision and recall over all
examples, for the examples it was fitted to and the held-out ones, by language and by kind. Exits with an error if
either is below --floor."""


class Command(BaseCommand):
    """Read the corpus, classify every line, print the scores; a gate."""

    help = _HELP

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--corpus", type=Path, default=PATH)
        parser.add_argument("--floor", type=float, default=FLOOR)

    def handle(self, *args: Any, corpus: Path, floor: float, **options: Any) -> None:
        try:
            evaluation = evaluate_classifier(list(read_corpus(corpus)))
        except (OSError, ValueError):
            raise CommandError(f"{corpus} is not a corpus.") from None
        self.stdout.write(render_table(_table(evaluation)))
        for mistake in evaluation.mistakes:
            missed, false = (
                [str(finding.kind) for finding in findings] for findings in (mistake.missed, mistake.false)
            )
            self.stdout.write(f"line {mistake.example.number}: missed {missed}, false {false}")
        if not evaluation.passes(floor):
            raise CommandError(f"Precision or recall is under {floor}.")


def _table(evaluation: SensitiveEvaluation) -> Table:
    table = Table(title=f"Sensitive input classifier, {evaluation.lines['all']} lines")
    table.add_column("")
    for name in ("lines", "found", "missed", "false alarms", "precision", "recall"):
        table.add_column(name, justify="right")
    for name, score in evaluation.scores.items():
        counts = (evaluation.lines[name] or "", score.right, score.missed, score.false)
        table.add_row(name, *map(str, counts), f"{score.precision:.3f}", f"{score.recall:.3f}")
    return table
