"""Reads JSON Lines, one message on each line, as a stream: a file may be larger than memory.

``{"conversation": "desk", "session": "monday", "speaker": "Ann", "text": "…", "at": "2026-03-02T09:30:00Z"}``

``speaker`` names a person; ``"role": "assistant"`` marks the assistant's answers instead. ``at`` is ISO 8601,
UTC without an offset, and now when it is missing. ``id`` may name the message within its session; without it a
message is known by its line and its content. Lines of one session belong together and in order; where they are
apart the later ones are appended to it. More than one speaker makes a conversation a group chat.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from functools import partial
from itertools import groupby, islice
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from memory.importing.refusals import read_or_refuse, records_of_session
from memory.importing.types import ImportedTurn, ImportSource, Record, RefusedRecord
from memory.importing.validation import MAX_NAME, MAX_REF, text_blocks

PART_TURNS = 200
_REF_DIGITS = 12


class JsonlMessage(BaseModel):
    """One line of the file."""

    model_config = ConfigDict(extra="forbid", coerce_numbers_to_str=True)

    conversation: str = Field(min_length=1, max_length=MAX_REF)
    session: str = Field(min_length=1, max_length=MAX_REF)
    speaker: str = Field(default="", max_length=MAX_NAME)
    role: Literal["user", "assistant"] = "user"
    text: str
    at: datetime | None = None
    id: str = Field(default="", max_length=MAX_REF)

    @model_validator(mode="after")
    def _somebody_speaks(self) -> JsonlMessage:
        if self.role == "user" and not self.speaker:
            raise ValueError("a person's message names its speaker")
        return self


def read(path: Path) -> ImportSource:
    """Read a file twice: first to find who speaks, since that decides what is a group chat, then to give the parts."""
    people: dict[str, dict[str, None]] = {}
    total = 0
    for _, line in _lines(path):
        total += 1
        if isinstance(line, JsonlMessage) and line.role == "user":
            people.setdefault(line.conversation, {})[line.speaker] = None
    return ImportSource(total, _records(path, {name: tuple(speakers) for name, speakers in people.items()}))


def _lines(path: Path) -> Iterator[tuple[int, JsonlMessage | RefusedRecord]]:
    with path.open("rb") as file:
        for number, raw in enumerate(file, 1):
            if raw.strip():
                yield number, read_or_refuse(f"line {number}", partial(JsonlMessage.model_validate_json, raw))


def _records(path: Path, people: dict[str, tuple[str, ...]]) -> Iterator[Record]:
    for (conversation, session), group in groupby(_by_session(path), key=lambda keyed: keyed[0]):
        names = people.get(conversation, ())
        records = _turns(((number, line) for _, number, line in group), names)
        while batch := list(islice(records, PART_TURNS)):
            yield from records_of_session(conversation, names, session, batch)


def _by_session(path: Path) -> Iterator[tuple[tuple[str, str], int, JsonlMessage | RefusedRecord]]:
    """The lines under the key of their session; a bad line does not cut the session it stands in."""
    key = ("", "")
    for number, line in _lines(path):
        if isinstance(line, JsonlMessage):
            key = (line.conversation, line.session)
        yield key, number, line


def _turns(
    numbered: Iterable[tuple[int, JsonlMessage | RefusedRecord]], people: tuple[str, ...]
) -> Iterator[ImportedTurn | RefusedRecord]:
    answered = people[0] if people else ""
    for number, line in numbered:
        if isinstance(line, RefusedRecord):
            yield line
        elif not answered:
            yield RefusedRecord(f"line {number}", "Nobody but the assistant speaks in this conversation.")
        else:
            answered = line.speaker if line.role == "user" else answered
            yield read_or_refuse(f"line {number}", partial(_turn, number, line, answered))


def _turn(number: int, line: JsonlMessage, person: str) -> ImportedTurn:
    at = line.at.replace(tzinfo=UTC) if line.at and line.at.tzinfo is None else line.at
    return ImportedTurn(
        line.id or _ref(number, line), person, line.role, text_blocks(line.text, known_names=[line.speaker]), at
    )


def _ref(number: int, line: JsonlMessage) -> str:
    digest = hashlib.sha256(line.model_dump_json().encode()).hexdigest()
    return f"line {number} {digest[:_REF_DIGITS]}"
