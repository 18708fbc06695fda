"""Lines as a row keeps them, and what is left of them when something behind them goes. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from foundation.text import tokenize
from memory.evolution.slots import value_key
from memory.profiles.types import Line, Source


def key_of(text: str) -> tuple[str, ...]:
    """Its index tokens in order, by which two lines are seen to be the same, in Chinese and English."""
    key = value_key(text)
    return tuple(tokenize(key)) or (key,)


def words_of(text: str) -> frozenset[str]:
    """The index tokens a line holds."""
    return frozenset(tokenize(text))


def to_json(lines: Iterable[Line]) -> list[dict[str, Any]]:
    """For the row."""
    return [_record(line) for line in lines]


def from_json(records: Iterable[Mapping[str, Any]]) -> tuple[Line, ...]:
    """The inverse of ``to_json``."""
    return tuple(_line(record) for record in records)


def without(lines: Iterable[Line], gone: Collection[UUID]) -> tuple[Line, ...]:
    """The lines without these, given by key; a line that stood for one of them gives way to its other parts."""
    return _keeping(lines, lambda leaf: leaf.id not in gone)


def without_sources(lines: Iterable[Line], events: Collection[UUID]) -> tuple[Line, ...]:
    """The lines without what was made of these events, given by the keys of their rows."""
    return _keeping(lines, lambda leaf: not any(source.event in events for source in leaf.sources))


def without_leaves(lines: Iterable[Line], goes: Callable[[Line], bool]) -> tuple[Line, ...]:
    """The lines without those that go; a line that stood for one of them gives way to its other parts."""
    return _keeping(lines, lambda leaf: not goes(leaf))


def without_learned(lines: Iterable[Line], event: UUID) -> tuple[Line, ...]:
    """The lines without what was learned of this event; what their person wrote in its place is theirs and stays."""
    return _keeping(lines, lambda leaf: leaf.stated or all(source.event != event for source in leaf.sources))


def events_of(lines: Iterable[Line]) -> frozenset[UUID]:
    """Every event behind the lines."""
    return frozenset(source.event for line in lines for source in line.all_sources())


def _keeping(lines: Iterable[Line], holds: Callable[[Line], bool]) -> tuple[Line, ...]:
    return tuple(left for line in lines for left in _left_of(line, holds))


def _left_of(line: Line, holds: Callable[[Line], bool]) -> tuple[Line, ...]:
    kept = tuple(leaf for leaf in line.leaves if holds(leaf))
    return (line,) if len(kept) == len(line.leaves) else kept


def _record(line: Line) -> dict[str, Any]:
    return {
        "id": str(line.id),
        "text": line.text,
        "section": line.section,
        "said_at": line.said_at.isoformat(),
        "sources": [{"event": str(source.event), "event_id": source.event_id} for source in line.sources],
        "stated": line.stated,
        "slot": line.slot,
        "value": line.value,
        "parts": to_json(line.parts),
    }


def _line(record: Mapping[str, Any]) -> Line:
    return Line(
        id=UUID(record["id"]),
        text=record["text"],
        section=record["section"],
        said_at=datetime.fromisoformat(record["said_at"]),
        sources=tuple(Source(UUID(one["event"]), one["event_id"]) for one in record["sources"]),
        stated=record["stated"],
        slot=record["slot"],
        value=record["value"],
        parts=from_json(record["parts"]),
    )
