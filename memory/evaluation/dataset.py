"""Reads the evaluation set of recall: people, what they say and when, questions, expected and forbidden answers.

``data/*.tsv`` holds one row per statement or question. A row of kind ``say`` is a message, ``state`` a sentence stored
word for word, ``ask`` a question. ``where`` is ``private`` or ``group``; ``who`` names a speaker other than the main
person, whose private messages that person does not see. ``expected`` and ``forbidden`` are ids of statements. ``as_of``
is ``valid DATE`` for what was true then, or ``known ID`` for what was known once that statement had been learned.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Literal

FOLDER = Path(__file__).resolve().parent / "data"
HELD_OUT = FOLDER / "held_out"
"""The folder of people on whom nothing was tuned: they show whether a gain is real."""
Place = Literal["private", "group"]


@dataclass(frozen=True)
class EvaluationStatement:
    """Something said, or with ``stated`` kept word for word. ``who`` is empty for the main person."""

    id: str
    at: datetime
    place: Place
    who: str
    text: str
    stated: bool


@dataclass(frozen=True)
class EvaluationQuestion:
    """A question. ``valid_at`` and ``known_after``, a statement's id, make it about the past."""

    id: str
    place: Place
    text: str
    category: str
    intent: str
    expected: tuple[str, ...]
    forbidden: tuple[str, ...]
    valid_at: datetime | None
    known_after: str

    @property
    def is_about_the_past(self) -> bool:
        return bool(self.valid_at or self.known_after)


@dataclass(frozen=True)
class EvaluationPersona:
    """One person of the set; ``others`` are the names of everybody else who speaks."""

    name: str
    statements: tuple[EvaluationStatement, ...]
    questions: tuple[EvaluationQuestion, ...]

    @property
    def language(self) -> str:
        """``en`` or ``zh``."""
        return self.name.split(".")[0]

    @property
    def others(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(statement.who for statement in self.statements if statement.who))


def read_personas(folder: Path = FOLDER) -> list[EvaluationPersona]:
    """The personas of a folder's files, in the order of the rows.

    Raises ``ValueError`` for a question that names a statement its persona never made, and for a malformed row.
    """
    return [persona for path in sorted(folder.glob("*.tsv")) for persona in _parse_personas(path)]


def _parse_personas(path: Path) -> Iterator[EvaluationPersona]:
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    for name, group in groupby(rows, key=lambda row: row["persona"]):
        own = list(group)
        persona = EvaluationPersona(
            name,
            tuple(_parse_statement(row) for row in own if row["kind"] != "ask"),
            tuple(_parse_question(row) for row in own if row["kind"] == "ask"),
        )
        _check_references(persona)
        yield persona


def _parse_statement(row: dict[str, str]) -> EvaluationStatement:
    return EvaluationStatement(
        row["id"], _parse_day(row["at"]), _parse_place(row), row["who"], row["text"], row["kind"] == "state"
    )


def _parse_question(row: dict[str, str]) -> EvaluationQuestion:
    about, _, moment = row["as_of"].partition(" ")
    return EvaluationQuestion(
        row["id"],
        _parse_place(row),
        row["text"],
        row["category"],
        row["intent"],
        tuple(row["expected"].split()),
        tuple(row["forbidden"].split()),
        _parse_day(moment) if about == "valid" else None,
        moment if about == "known" else "",
    )


def _parse_day(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(hour=12, tzinfo=UTC)


def _parse_place(row: dict[str, str]) -> Place:
    return "group" if row["where"] == "group" else "private"


def _check_references(persona: EvaluationPersona) -> None:
    known = {statement.id for statement in persona.statements}
    for question in persona.questions:
        named = {*question.expected, *question.forbidden, *filter(None, (question.known_after,))}
        if not named <= known or set(question.expected) & set(question.forbidden):
            raise ValueError(f"{persona.name} {question.id} names what is not there, or the same thing both ways")
