"""Reads MemoryBank (SiliconFriend): a person and an assistant, with one session for each day."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from pydantic import BaseModel

from memory.importing.refusals import read_or_refuse, records_of_session
from memory.importing.types import ImportedTurn, ImportSource, Record, RefusedRecord
from memory.importing.validation import MAX_NAME, text_blocks

MORNING = timedelta(hours=9)  # the days have no time
TURN_OFFSET = timedelta(seconds=1)


class _Exchange(BaseModel):
    query: str
    response: str = ""


def read(document: Any) -> ImportSource:
    """The people of a parsed document ``{name: {"history": {"2023-04-27": [{query, response}, …]}}}``."""
    people = document.items() if isinstance(document, dict) else ()
    records = [record for name, person in people for record in _person(name, person)]
    if not records:
        records = [RefusedRecord("document", "It holds no people with a history.")]
    return ImportSource.of(records)


def _person(name: str, person: Any) -> Iterator[Record]:
    history = person.get("history") if isinstance(person, dict) else None
    if not isinstance(history, dict) or not 0 < len(name) <= MAX_NAME:
        yield RefusedRecord(
            f"conversation {name[:MAX_NAME]}", f"It needs a name of 1 to {MAX_NAME} characters and a history."
        )
        return
    for day, exchanges in history.items():
        yield from _day(name, day, exchanges)


def _day(name: str, day: str, exchanges: Any) -> Iterator[Record]:
    where = f"conversation {name}, {day}"
    try:
        begins = datetime.strptime(day, "%Y-%m-%d").replace(tzinfo=UTC) + MORNING
    except ValueError:
        yield RefusedRecord(where, "The day is not a date such as 2023-04-27.")
        return
    yield from records_of_session(name, (name,), day, _read_exchanges(name, where, exchanges, begins))


def _read_exchanges(name: str, where: str, exchanges: Any, begins: datetime) -> Iterator[ImportedTurn | RefusedRecord]:
    for number, raw in enumerate(exchanges if isinstance(exchanges, list) else (), 1):
        at = begins + 2 * (number - 1) * TURN_OFFSET
        read = read_or_refuse(f"{where}, turn {number}", partial(_exchange, name, number, raw, at))
        yield from [read] if isinstance(read, RefusedRecord) else read


def _exchange(name: str, number: int, raw: Any, at: datetime) -> list[ImportedTurn]:
    exchange = _Exchange.model_validate(raw)
    asked = ImportedTurn(f"{number}:query", name, "user", text_blocks(exchange.query, known_names=[name]), at)
    if not exchange.response.strip():
        return [asked]
    answer = text_blocks(exchange.response, known_names=[name])
    return [asked, ImportedTurn(f"{number}:response", name, "assistant", answer, at + TURN_OFFSET)]
