"""Value types that every import format is read into."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

Format = Literal["locomo", "memorybank", "jsonl"]


@dataclass(frozen=True)
class ImportedTurn:
    """One message. ``person`` is whose row it becomes: who said it or, for the assistant, whom it answered.

    ``ref`` names the message within its session and tells a second run that it is there. ``at`` None means now.
    """

    ref: str
    person: str
    role: Literal["user", "assistant"]
    blocks: tuple[dict[str, Any], ...]
    at: datetime | None = None


@dataclass(frozen=True)
class SessionPart:
    """Consecutive turns of one session of a conversation. More than one of ``people`` makes it a group chat."""

    conversation: str
    people: tuple[str, ...]
    session: str
    turns: tuple[ImportedTurn, ...]


@dataclass(frozen=True)
class RefusedRecord:
    """A record that was left out: where it stands in the document, and why. Never any of its words."""

    where: str
    reason: str


Record = SessionPart | RefusedRecord


@dataclass(frozen=True)
class ImportSource:
    """A document to be imported. ``total`` turns, refused ones included, for the progress bar."""

    total: int
    records: Iterable[Record]

    @classmethod
    def of(cls, records: Sequence[Record]) -> ImportSource:
        """The source of a document that is already in memory."""
        return cls(sum(size_of(record) for record in records), records)


def size_of(record: Record) -> int:
    """How many turns of the total a record stands for."""
    return len(record.turns) if isinstance(record, SessionPart) else 1
