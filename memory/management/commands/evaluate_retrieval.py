from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, get_args

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from rich.progress import Progress

from foundation.console_tables import render_table
from foundation.database.availability import available_database
from foundation.exceptions import FinClawError
from memory.evaluation.retrieval.comparison import Comparison, compare_by_category, mean_scores
from memory.evaluation.retrieval.datasets import DatasetFormat, DatasetMemory, read_dataset, recognized_format
from memory.evaluation.retrieval.metrics import OVERALL
from memory.evaluation.retrieval.run import RefusedQuestion, evaluate, rolled_back_transaction
from memory.evaluation.retrieval.tables import table_of
from memory.importing.progress_bar import progress_bar
from memory.importing.sources import parsed
from memory.importing.validation import BadRecord
from memory.types import Strategy

_HELP = """Measure retrieval on public data sets: import each as import_conversations does, search for every question,
and compare the hits with the labelled evidence. For comparison, plain BM25 (k1 0.9, b 0.3, with term frequencies) runs
on the same index tokens. Prints a row for each data set and the means over data sets, each of equal weight. A question
that search refuses is reported and counts as a miss. Everything runs in transactions that are rolled back; the
embedded database is started if it is not running. Formats: locomo (evidence turns of dialogues), cmrc (the sentence
that answers, among all sentences)."""


@dataclass(frozen=True)
class _SetResult:
    """The result of one data set: comparisons by category, the last of them over all its questions."""

    comparisons: Mapping[str, Comparison]
    refused_questions: list[RefusedQuestion]
    refused_turns: int

    @property
    def overall(self) -> Comparison:
        return self.comparisons[OVERALL]

    def as_json(self) -> dict[str, Any]:
        return {
            "categories": {name: comparison.as_json() for name, comparison in self.comparisons.items()},
            "refused_questions": [asdict(question) for question in self.refused_questions],
            "refused_turns": self.refused_turns,
        }


class Command(BaseCommand):
    """Evaluate search on public data sets against BM25, inside a transaction that is rolled back."""

    help = _HELP

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("paths", type=Path, nargs="+", metavar="FILE")
        parser.add_argument(
            "--format", choices=get_args(DatasetFormat), help="the format of all files (default: recognised)"
        )
        parser.add_argument("--categories", action="store_true", help="also print a table of each set's categories")
        parser.add_argument("--json", type=Path, help="also write the figures to this file")
        parser.add_argument("--strategy", choices=get_args(Strategy), default=settings.RETRIEVAL_STRATEGY)

    def handle(self, *args: Any, paths: list[Path], strategy: Strategy, **options: Any) -> None:
        sets = _read_sets(paths, options["format"])
        with _only_warnings(), available_database(), progress_bar() as progress:
            results = {name: _set_result(name, memories, strategy, progress) for name, memories in sets.items()}
        if options["categories"]:
            for name, result in results.items():
                self.stdout.write(
                    render_table(table_of(f"{name}, strategy {strategy}", "category", result.comparisons))
                )
        self._print_overview(results, strategy)
        if options["json"]:
            _write_report(options["json"], results, strategy)

    def _print_overview(self, results: Mapping[str, _SetResult], strategy: Strategy) -> None:
        overall = {name: result.overall for name, result in results.items()}
        title = f"FinClaw's search, strategy {strategy}, beside plain BM25"
        self.stdout.write(render_table(table_of(title, "data set", overall, mean_scores(list(overall.values())))))
        for name, result in results.items():
            for question in result.refused_questions:
                self.stdout.write(f"{name}: {question.memory}, question {question.number}: {question.code}")
            if result.refused_turns:
                self.stdout.write(f"{name}: {result.refused_turns} turns were refused at their import.")


def _read_sets(paths: list[Path], form: DatasetFormat | None) -> dict[str, list[DatasetMemory]]:
    """The memories of each file, by its name without the ending, which must be unique."""
    names = [path.stem for path in paths]
    if len(set(names)) < len(names):
        raise CommandError("Two of the files have the same name.")
    return {path.stem: _memories(path, form) for path in paths}


def _memories(path: Path, form: DatasetFormat | None) -> list[DatasetMemory]:
    try:
        document = parsed(path)
        form = form or recognized_format(document)
        if form is None:
            raise CommandError(f"{path} has no known format: give it with --format.")
        memories = read_dataset(document, form)
    except (OSError, AttributeError, KeyError, TypeError, IndexError):
        raise CommandError(f"{path} is not a {form or 'readable'} data set.") from None
    except (FinClawError, BadRecord) as error:
        raise CommandError(f"{path}: {error}") from None
    if not memories:
        raise CommandError(f"{path} holds no questions with evidence.")
    return memories


@contextmanager
def _only_warnings() -> Iterator[None]:
    """Silence the log below warnings: a line for each message written would bury the progress bars."""
    before = logging.root.manager.disable
    logging.disable(logging.INFO)
    try:
        yield
    finally:
        logging.disable(before)


def _set_result(name: str, memories: list[DatasetMemory], strategy: Strategy, progress: Progress) -> _SetResult:
    turns = sum(len(part.turns) for memory in memories for part in memory.parts)
    importing = progress.add_task(f"{name}: importing turns", total=turns)
    asking = progress.add_task(f"{name}: asking", total=sum(len(memory.questions) for memory in memories))
    with rolled_back_transaction():
        evaluation = evaluate(
            memories, strategy, partial(progress.advance, importing), partial(progress.advance, asking)
        )
    if not progress.console.is_terminal:  # where bars are drawn only at the end
        progress.console.print(f"{name}: {turns} turns, {len(evaluation.finclaw)} questions")
    comparisons = compare_by_category(evaluation.finclaw, evaluation.bm25)
    return _SetResult(comparisons, evaluation.refused, sum(memory.refused_turns for memory in memories))


def _write_report(path: Path, results: Mapping[str, _SetResult], strategy: Strategy) -> None:
    means = mean_scores([result.overall for result in results.values()])
    report = {
        "strategy": strategy,
        "sets": {name: result.as_json() for name, result in results.items()},
        "mean": means.as_json(),
    }
    path.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
