from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from django.core.management.base import BaseCommand, CommandError, CommandParser
from rich.table import Table

from consent.sensitive.classifier import classify_sensitive
from consent.sensitive.corpus import PATH, read_corpus, read_voices
from consent.sensitive.evaluation import SensitiveEvaluation, evaluate_classifier
from foundation.console_tables import rendered

FLOOR = 0.98  # of precision and of recall
Read = TypeVar("Read")
_HELP = """Hold the sensitive input classifier against its labelled corpus and print precision and recall: over all,
for the part it was fitted to and the part held out, by language and by kind. Fails under the floor. With a folder of
voices it prints the scores on those instead, and with a file of plain sentences how many of them it wrongly finds
something in; both without a floor."""


class Command(BaseCommand):
    """Read the corpus, classify every line, print the scores; a gate."""

    help = _HELP

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--corpus", type=Path, default=PATH)
        parser.add_argument("--floor", type=float, default=FLOOR)
        parser.add_argument("--voices", type=Path, help="a folder of voices: en_clerk.tsv, zh_mishu.tsv, …")
        parser.add_argument("--only", nargs="*", help="of these voices only")
        parser.add_argument("--plain", type=Path, help="sentences that hold nothing, one a line")

    def handle(
        self,
        *args: Any,
        corpus: Path,
        floor: float,
        voices: Path | None,
        only: list[str] | None,
        plain: Path | None,
        **options: Any,
    ) -> None:
        if plain is not None:
            self._count_false_alarms(plain)
        if voices is not None:
            self._print_voices(voices, only)
        if voices is None and plain is None:
            self._hold_against_corpus(corpus, floor)

    def _count_false_alarms(self, plain: Path) -> None:
        lines = plain.read_text(encoding="utf-8").splitlines()
        found = [{finding.kind.value for finding in classify_sensitive(line)} for line in lines]
        kinds = Counter(kind for each in found for kind in each)
        self.stdout.write(f"{sum(map(bool, found))} of {len(lines)} plain sentences: {dict(kinds)}")

    def _print_voices(self, folder: Path, only: list[str] | None) -> None:
        examples = [
            example
            for voice, lines in _read(folder, read_voices).items()
            if only is None or voice in only
            for example in lines
        ]
        self.stdout.write(rendered(_table(evaluate_classifier(examples))))

    def _hold_against_corpus(self, corpus: Path, floor: float) -> None:
        evaluation = evaluate_classifier(_read(corpus, lambda path: list(read_corpus(path))))
        self.stdout.write(rendered(_table(evaluation)))
        for mistake in evaluation.mistakes:
            missed, false = (
                [str(finding.kind) for finding in findings] for findings in (mistake.missed, mistake.false)
            )
            self.stdout.write(f"line {mistake.example.number}: missed {missed}, false {false}")
        if not evaluation.passes(floor):
            raise CommandError(f"Precision or recall is under {floor}.")


def _read(path: Path, read: Callable[[Path], Read]) -> Read:
    try:
        return read(path)
    except (OSError, ValueError):
        raise CommandError(f"{path} is not a corpus.") from None


def _table(evaluation: SensitiveEvaluation) -> Table:
    table = Table(title=f"Sensitive input classifier, {evaluation.lines['all']} lines")
    table.add_column("")
    for name in ("lines", "found", "missed", "false alarms", "precision", "recall"):
        table.add_column(name, justify="right")
    for name, score in evaluation.scores.items():
        counts = (evaluation.lines[name] or "", score.right, score.missed, score.false)
        table.add_row(name, *map(str, counts), f"{score.precision:.3f}", f"{score.recall:.3f}")
    return table
