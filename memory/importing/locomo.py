"""Reads LoCoMo (snap-research): dialogues of two people over many dated sessions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from pydantic import BaseModel, Field

from memory.importing.refusals import read_or_refuse, records_of_session
from memory.importing.types import ImportedTurn, ImportSource, Record, RefusedRecord
from memory.importing.validation import MAX_NAME, MAX_REF, BadRecord, text_blocks

_SESSION = re.compile(r"session_(\d+)")
_TIME = "%I:%M %p on %d %B, %Y"  # 1:56 pm on 8 May, 2023
TURN_OFFSET = timedelta(seconds=1)  # a session has one time; its turns keep their order


class _Turn(BaseModel):
    speaker: str = Field(min_length=1, max_length=MAX_NAME)
    dia_id: str = Field(min_length=1, max_length=MAX_REF)
    text: str
    blip_caption: str = ""


def read(document: Any) -> ImportSource:
    """The conversations of a parsed document, one part for each session. A turn's ``ref`` is its ``dia_id``."""
    records = [record for sample in _samples(document) for record in _conversation(sample)]
    return ImportSource.of(records)


def _samples(document: Any) -> list[Any]:
    return document if isinstance(document, list) else [document]


def _conversation(sample: Any) -> Iterator[Record]:
    name = str(sample.get("sample_id", "")) if isinstance(sample, dict) else ""
    conversation = sample.get("conversation") if isinstance(sample, dict) else None
    if not name or not isinstance(conversation, dict):
        yield RefusedRecord(f"conversation {name or '?'}", "It needs a sample_id and a conversation.")
        return
    people = tuple(str(conversation.get(f"speaker_{letter}", "")) for letter in "ab")
    if not all(0 < len(person) <= MAX_NAME for person in people):
        yield RefusedRecord(f"conversation {name}", "It needs the names of speaker_a and speaker_b.")
        return
    for key in sorted(filter(_SESSION.fullmatch, conversation), key=lambda key: int(key.removeprefix("session_"))):
        yield from _session(name, people, key, conversation)


def _session(name: str, people: tuple[str, ...], key: str, conversation: Mapping[str, Any]) -> Iterator[Record]:
    where = f"conversation {name}, {key}"
    try:
        begins = datetime.strptime(str(conversation.get(f"{key}_date_time")), _TIME).replace(tzinfo=UTC)
    except ValueError:
        yield RefusedRecord(where, f"{key}_date_time is not a time such as 1:56 pm on 8 May, 2023.")
        return
    read = (
        read_or_refuse(f"{where}, turn {number}", partial(_turn, raw, people, begins + (number - 1) * TURN_OFFSET))
        for number, raw in enumerate(conversation[key] or (), 1)
    )
    yield from records_of_session(name, people, key, read)


def _turn(raw: Any, people: tuple[str, ...], at: datetime) -> ImportedTurn:
    turn = _Turn.model_validate(raw)
    if turn.speaker not in people:
        raise BadRecord("The speaker is neither speaker_a nor speaker_b.")
    caption = (f"[picture: {turn.blip_caption}]",) if turn.blip_caption else ()
    return ImportedTurn(turn.dia_id, turn.speaker, "user", text_blocks(turn.text, *caption, known_names=people), at)
