from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from foundation.exceptions import FinClawError
from foundation.tables import rendered
from memory.importing.sources import parsed
from memory.importing.validation import BadRecord
from memory.retrieval.evaluation.datasets import DatasetFormat, Memory, read_dataset
from memory.retrieval.evaluation.metrics import CUTS, HIT_CUT, Answer, Summary, by_category
from memory.retrieval.evaluation.run import evaluate, leaving_nothing
from memory.types import Strategy

_HELP = """Measure retrieval on a public data set: import it as import_conversations would, ask every question of
the product's own search, and hold what comes back against the evidence. All of it happens in one transaction that
is rolled back at the end, so nothing stays behind. Formats: locomo (evidence turns of dialogues), cmrc (the
sentence that answers, of all sentences)."""


class Command(BaseCommand):
    """Import, ask, hold against the evidence, roll back."""

    help = _HELP

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("path", type=Path)
        parser.add_argument("--format", choices=get_args(DatasetFormat), required=True)
        parser.add_argument("--json", type=Path, help="also write the figures to this file")
        parser.add_argument("--strategy", choices=get_args(Strategy), default=settings.RETRIEVAL_STRATEGY)

    def handle(self, *args: Any, path: Path, format: DatasetFormat, strategy: Strategy, **options: Any) -> None:
        memories = _memories(path, format)
        summaries = by_category(_answers(memories, strategy))
        self.stdout.write(rendered(_table(path.name, strategy, summaries)))
        if options["json"]:
            figures = {name: summary.as_json() for name, summary in summaries.items()}
            report = {"dataset": path.name, "strategy": strategy, "categories": figures}
            options["json"].write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")


def _memories(path: Path, form: DatasetFormat) -> list[Memory]:
    try:
        memories = read_dataset(parsed(path), form)
    except (OSError, KeyError, TypeError, IndexError):
        raise CommandError(f"{path} is not a {form} data set.") from None
    except (FinClawError, BadRecord) as error:
        raise CommandError(str(error)) from None
    if not memories:
        raise CommandError("The data set holds no questions with evidence.")
    return memories


def _answers(memories: list[Memory], strategy: Strategy) -> list[Answer]:
    with Progress(console=Console(stderr=True)) as progress, leaving_nothing():
        importing = progress.add_task("Importing", total=sum(len(memory.parts) for memory in memories))
        asking = progress.add_task("Asking", total=sum(len(memory.questions) for memory in memories))
        return [
            answer
            for memory in memories
            for answer in evaluate(
                memory, strategy, lambda: progress.advance(importing), lambda: progress.advance(asking)
            )
        ]


def _table(dataset: str, strategy: str, summaries: dict[str, Summary]) -> Table:
    table = Table(title=f"{dataset}, strategy {strategy}", box=SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    table.add_column("category")
    for name in ("questions", *(f"R@{cut}" for cut in CUTS), f"hit@{HIT_CUT}", "MRR", "p50 ms", "p95 ms"):
        table.add_column(name, justify="right")
    for name, summary in summaries.items():
        shares = [*(summary.recall[cut] for cut in CUTS), summary.hit, summary.mrr]
        times = (summary.p50_ms, summary.p95_ms)
        table.add_row(name, str(summary.questions), *(f"{x:.3f}" for x in shares), *(f"{x:.1f}" for x in times))
    return table
