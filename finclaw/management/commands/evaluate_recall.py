from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from finclaw.recall_evaluation import GATE, evaluate
from foundation.console_tables import render_table
from foundation.database.scratch import scratch_database
from memory.evaluation.dataset import FOLDER, HELD_OUT, EvaluationPersona, read_personas
from memory.evaluation.recall_scores import OVERALL, K, RecallAnswer, RecallSummary, by_key, summarize

_HELP = """Measure recall: teach the worker the statements of the labelled evaluation set, and ask its questions as
turns. Prints precision, recall and how often a forbidden memory was recalled, by category and by language. Runs in a
database of its own, which is dropped at the end. Exits with an error if the release gate is not met."""


class Command(BaseCommand):
    """Tell a persona's statements, ask its questions, and score the recall."""

    help = _HELP

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", type=Path, help="also write the figures and every miss to this file")
        parser.add_argument("--persona", action="append", default=[], help="evaluate only this person; may be repeated")
        parser.add_argument(
            "--in-place", action="store_true", help="run in the configured database, and keep the statements there"
        )
        parser.add_argument(
            "--held-out",
            action="store_true",
            help="use the held-out people, on whom nothing was tuned; the gate does not apply",
        )
        parser.add_argument(
            "--misses",
            action="store_true",
            help="print the memories that were missed and the forbidden ones that were recalled",
        )

    def handle(self, *args: Any, persona: list[str], in_place: bool, held_out: bool, **options: Any) -> None:
        answers = _answers(_choose_personas(persona, HELD_OUT if held_out else FOLDER), in_place=in_place)
        groups = _group_summaries(answers)
        self.stdout.write(render_table(_table(groups)))
        if options["misses"]:
            self.stdout.write("\n".join(_describe_misses(answers)) + "\n")
        if options["json"]:
            options["json"].write_text(
                json.dumps(_report(groups, answers), indent=2, ensure_ascii=False) + "\n", "utf-8"
            )
        objections = () if held_out else GATE.objections(groups[OVERALL])
        if objections:
            raise CommandError(f"The gate stays shut: {', '.join(objections)}.")


def _choose_personas(names: list[str], folder: Path) -> list[EvaluationPersona]:
    personas = read_personas(folder)
    unknown = set(names) - {persona.name for persona in personas}
    if unknown:
        raise CommandError(f"No such persona: {', '.join(sorted(unknown))}.")
    return [persona for persona in personas if not names or persona.name in names]


def _answers(personas: list[EvaluationPersona], *, in_place: bool) -> list[RecallAnswer]:
    total = sum(len(persona.questions) for persona in personas)
    with Progress(console=Console(stderr=True)) as progress, _database(in_place=in_place):
        asking = progress.add_task("Asking", total=total)
        return list(evaluate(personas, lambda: progress.advance(asking)))


def _database(*, in_place: bool) -> AbstractContextManager[object]:
    if in_place:
        return nullcontext()
    if settings.DATABASE_URL:
        raise CommandError("Only the embedded PostgreSQL lends a database of its own: unset DATABASE_URL.")
    return scratch_database("evaluation", durable=False)


def _group_summaries(answers: list[RecallAnswer]) -> dict[str, RecallSummary]:
    by_category = by_key(answers, lambda answer: answer.question.category)
    by_language = by_key(answers, lambda answer: answer.language)
    return {**by_category, **by_language, OVERALL: summarize(answers)}


def _report(groups: Mapping[str, RecallSummary], answers: list[RecallAnswer]) -> dict[str, Any]:
    return {
        "gate": vars(GATE),
        "figures": {name: summary.as_json() for name, summary in groups.items()},
        "misses": list(_describe_misses(answers)),
    }


def _describe_misses(answers: list[RecallAnswer]) -> list[str]:
    return [line for answer in answers if (line := _describe_miss(answer))]


def _describe_miss(answer: RecallAnswer) -> str:
    question = answer.question
    told = {
        "missed": answer.missed,
        "forbidden memory": answer.forbidden_hits("item"),
        "forbidden message": answer.forbidden_hits("turn"),
        "taken for": () if answer.intent == question.intent else (answer.intent,),
    }
    found = "; ".join(f"{name} {' '.join(values)}" for name, values in told.items() if values)
    return f"{answer.persona} {question.id} [{question.category}] {question.text} {found}" if found else ""


def _table(groups: Mapping[str, RecallSummary]) -> Table:
    table = Table(title="Recall, by what is asked", box=SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    table.add_column("")
    for name in ("questions", f"precision@{K}", f"recall@{K}", "forbidden", "forbidden memories", "intent"):
        table.add_column(name, justify="right")
    for name, summary in groups.items():
        shares = (
            summary.precision, summary.recall, summary.forbidden, summary.forbidden_memories, summary.intent
        )  # fmt: skip
        table.add_row(name, str(summary.questions), *("–" if share is None else f"{share:.3f}" for share in shares))
    return table
