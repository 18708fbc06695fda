"""Measures what is learned from labelled chats, and prints the counts as tables."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from rich.box import SIMPLE_HEAD
from rich.table import Table

from finclaw.learning_evaluation import learn_chats, without_a_model
from foundation.console_tables import render_table
from foundation.database.scratch import scratch_database
from memory.evaluation.chat_wrappers import wrapped_chats, wrapped_shares
from memory.evaluation.labelled_chats import BadChat, LabelledChat, read_chats
from memory.evaluation.learning_scores import (
    TOP,
    LearnedChat,
    LearningFigures,
    figures_by,
    figures_of,
    report_of,
)
from memory.importing.progress_bar import progress_bar

_HELP = """Measure learning: send labelled messages as turns, as a new user for each chat, and compare what was learned
with the labels. Counts statements that were learned, learned only after confirmation, and learned wrongly; messages
that teach nothing but taught something; changes handled correctly; and answers that still state what was changed. FILE
is a JSONL file of labelled chats, the .txt file of a voice of bench/everyday, or a folder of such voices. Runs in a
database of its own, which is dropped at the end. Without --model no model is asked, whatever the settings say."""
_ALL = "all"


class Command(BaseCommand):
    """Say labelled chats to the product and compare what it learned with the labels."""

    help = _HELP

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("paths", type=Path, nargs="+", metavar="FILE")
        parser.add_argument("--json", type=Path, help="also write the figures and every miss to this file")
        parser.add_argument("--limit", type=int, default=0, help="use only this many chats of each file, evenly spread")
        parser.add_argument(
            "--misses", action="store_true", help="print what was missed, and what was learned or replaced wrongly"
        )
        parser.add_argument(
            "--wrapped", action="store_true", help="also say what was learned with tails, questions and other subjects"
        )
        parser.add_argument("--model", action="store_true", help="use the configured model for learning and answers")
        parser.add_argument(
            "--in-place", action="store_true", help="run in the configured database, and keep the messages there"
        )

    def handle(self, *args: Any, paths: list[Path], limit: int, in_place: bool, model: bool, **options: Any) -> None:
        chats = [chat for path in paths for chat in _spread_sample(_read_chats(path), limit)]
        if not chats:
            raise CommandError("The files hold no chats.")
        with _database(in_place=in_place), nullcontext() if model else without_a_model(), progress_bar() as progress:
            saying = progress.add_task("Saying", total=len(chats))
            learned = list(learn_chats(chats, lambda: progress.advance(saying)))
            again = [chat for _, chat in wrapped_chats(learned)] if options["wrapped"] else []
            wrapping = progress.add_task("Saying it wrapped", total=len(again), visible=bool(again))
            wrapped = list(learn_chats(again, lambda: progress.advance(wrapping)))
        self._print(learned)
        if wrapped:
            self.stdout.write(render_table(_wrapped_table(learned, wrapped)))
        if options["misses"]:
            self._print_misses(learned)
        if options["json"]:
            report = {"embedder": settings.EMBEDDER, **report_of(learned)}
            options["json"].write_text(json.dumps(report, indent=2, ensure_ascii=False) + "\n", "utf-8")

    def _print(self, learned: Sequence[LearnedChat]) -> None:
        groups = {**figures_by(learned, lambda chat: chat.chat.language), _ALL: figures_of(learned)[0]}
        self.stdout.write(render_table(_kept_table(groups)))
        changes = {**figures_by(learned, lambda chat: _change_of(chat.chat)), _ALL: groups[_ALL]}
        if groups[_ALL].changes:
            self.stdout.write(render_table(_change_table(changes)))

    def _print_misses(self, learned: Sequence[LearnedChat]) -> None:
        grouped = defaultdict(list)
        for miss in figures_of(learned)[1]:
            grouped[miss.what].append(f"  {miss.chat}  {miss.words}")
        for what, lines in sorted(grouped.items()):
            self.stdout.write("\n".join([f"{what}: {len(lines)}", *lines]) + "\n")


def _read_chats(path: Path) -> list[LabelledChat]:
    try:
        return read_chats(path)
    except BadChat as error:
        raise CommandError(f"Not a labelled chat: {error}") from None
    except (OSError, UnicodeDecodeError):
        raise CommandError(f"{path} cannot be read.") from None


def _spread_sample(chats: list[LabelledChat], limit: int) -> list[LabelledChat]:
    """At most ``limit`` chats, evenly spread; all for 0."""
    if limit <= 0 or len(chats) <= limit:
        return chats
    return [chats[number * len(chats) // limit] for number in range(limit)]


def _database(*, in_place: bool) -> AbstractContextManager[object]:
    if in_place:
        return nullcontext()
    if settings.DATABASE_URL:
        raise CommandError("Only the embedded PostgreSQL lends a database of its own: unset DATABASE_URL.")
    return scratch_database("learning", durable=False)


def _change_of(chat: LabelledChat) -> str:
    return f"{chat.language} {chat.change}" if chat.change else ""


def _kept_table(groups: Mapping[str, LearningFigures]) -> Table:
    """Statements learned, and memories made.

    ``or asked`` adds to the recall what waits for a confirmation; ``idle`` are messages that teach nothing, and beside
    them how many taught something or made a question necessary.
    """
    table = _table(
        "What was learned", "statements", "recall", "or asked", "kept", "precision", "asked", "wrong", "idle", "taught",
        "asked",
    )  # fmt: skip
    for name, figures in groups.items():
        shares = figures.shares()
        cells = (
            figures.statements, shares["recall"], shares["recall with asked"], figures.memories, shares["precision"],
            figures.asked_memories, figures.wrong_asked, figures.idle_messages, figures.idle_taught, figures.idle_asked,
        )  # fmt: skip
        table.add_row(name, *map(_cell, cells))
    return table


def _change_table(groups: Mapping[str, LearningFigures]) -> Table:
    """How changes of earlier statements were handled.

    ``known`` are changes whose earlier statement had been learned, ``put away`` those after which it is no longer in
    force. ``ends`` are memories that a change ended, some of them wrongly. ``past`` are questions about what changed:
    ``stale`` counts answers that state what no longer holds, ``top`` the same for the memories found first.
    """
    table = _table(
        "What was changed", "changes", "known", "put away", "right", "share", "ends", "wrong", "past", "stale",
        f"top {TOP}", "asked", "right",
    )  # fmt: skip
    for name, figures in groups.items():
        cells = (
            figures.changes, figures.first_kept, figures.put_away, figures.changed_rightly,
            figures.shares()["changed rightly"], figures.ends,
            figures.wrong_ends, figures.must_forget, figures.stale_answers, figures.stale_top,
            figures.asked_about, figures.answered_rightly,
        )  # fmt: skip
        table.add_row(name, *map(_cell, cells))
    return table


def _wrapped_table(learned: Sequence[LearnedChat], wrapped: Sequence[LearnedChat]) -> Table:
    """The share of statements that are learned again when their message is wrapped in other words.

    ``kept`` counts what was learned from the bare message, ``known`` adds what waits for a confirmation.
    """
    table = _table("What was learned wrapped", "kept", "again", "share", "known", "again", "share")
    languages = wrapped_shares(learned, wrapped, lambda chat: chat.chat.language)
    wraps = wrapped_shares(learned, wrapped, lambda chat: f"{chat.chat.language} {chat.chat.name.rpartition(':')[2]}")
    for name, group_shares in (*languages.items(), *sorted(wraps.items())):
        shares = (
            _ratio(group_shares.kept, group_shares.bare_kept),
            _ratio(group_shares.known, group_shares.bare_known),
        )
        cells = (
            group_shares.bare_kept,
            group_shares.kept,
            shares[0],
            group_shares.bare_known,
            group_shares.known,
            shares[1],
        )
        table.add_row(name, *map(_cell, cells))
    return table


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, box=SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    table.add_column("", no_wrap=True)
    for name in columns:
        table.add_column(name, justify="right")
    return table


def _cell(figure: float | None) -> str:
    return "–" if figure is None else f"{figure:.2f}" if isinstance(figure, float) else str(figure)
