"""Separates the turns of an imported session from the records that are refused."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from pydantic import ValidationError

from memory.importing.types import ImportedTurn, Record, RefusedRecord, SessionPart
from memory.importing.validation import BadRecord, describe_errors

Read = TypeVar("Read")


def read_or_refuse(where: str, read: Callable[[], Read]) -> Read | RefusedRecord:
    """What ``read`` makes of a record, or its refusal: a schema's objections, or a ``BadRecord``."""
    try:
        return read()
    except ValidationError as error:
        return RefusedRecord(where, describe_errors(error))
    except BadRecord as error:
        return RefusedRecord(where, str(error))


def records_of_session(
    conversation: str, people: tuple[str, ...], session: str, read: Iterable[ImportedTurn | RefusedRecord]
) -> Iterator[Record]:
    """What was refused of a session, then its turns as one part; no part without any."""
    turns: list[ImportedTurn] = []
    for record in read:
        if isinstance(record, RefusedRecord):
            yield record
        else:
            turns.append(record)
    if turns:
        yield SessionPart(conversation, people, session, tuple(turns))
