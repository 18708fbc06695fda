"""Converts portrait lines to JSON and back, and finds the lines that remain when a source is erased. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import datetime
from typing import Any, cast
from uuid import UUID

from foundation.text import tokenize
from memory.evolution.slots import value_key
from memory.portraits.sections import FORMER_SECTIONS
from memory.portraits.types import LineSource, PortraitLine, SourceKind


def key_of(text: str) -> tuple[str, ...]:
    """The index tokens of a text in order, by which lines are recognised as the same, in Chinese and English."""
    key = value_key(text)
    return tuple(tokenize(key)) or (key,)


def words_of(text: str) -> frozenset[str]:
    """The index tokens of a line."""
    return frozenset(tokenize(text))


def to_json(lines: Iterable[PortraitLine]) -> list[dict[str, Any]]:
    """The lines as a portrait's row stores them."""
    return [_line_record(line) for line in lines]


def from_json(records: Iterable[Mapping[str, Any]]) -> tuple[PortraitLine, ...]:
    """The inverse of ``to_json``."""
    return tuple(_parse_line(record) for record in records)


def without_texts(lines: Iterable[PortraitLine], gone: Collection[UUID]) -> tuple[PortraitLine, ...]:
    """The lines without those whose ids are ``gone``; a line that stood for one of them becomes its other parts."""
    return lines_holding(lines, lambda leaf: leaf.id not in gone)


def without_learned(lines: Iterable[PortraitLine], event: UUID) -> tuple[PortraitLine, ...]:
    """The lines without those learned from this event; lines that the user wrote in their place stay."""
    return lines_holding(lines, lambda leaf: leaf.stated or event not in events_of([leaf]))


def events_of(lines: Iterable[PortraitLine]) -> frozenset[UUID]:
    """The keys of every event behind the lines."""
    return _source_keys(lines, "event")


def items_of(lines: Iterable[PortraitLine]) -> frozenset[UUID]:
    """The keys of every memory item behind the lines."""
    return _source_keys(lines, "item")


def chains_of(lines: Iterable[PortraitLine]) -> frozenset[UUID]:
    """The chains of every memory item behind the lines."""
    sources = (source for line in lines for source in line.all_sources())
    return frozenset(source.chain for source in sources if source.chain is not None)


def source_keys_of(lines: Iterable[PortraitLine]) -> frozenset[UUID]:
    """The keys of the memory items and events with which the lines are erased."""
    told = tuple(lines)
    return items_of(told) | events_of(told)


def origins_of(lines: Iterable[PortraitLine]) -> frozenset[UUID]:
    """What the user rejects for good by removing a line: the chains of its memory items, and its events."""
    told = tuple(lines)
    return chains_of(told) | events_of(told)


def lines_holding(lines: Iterable[PortraitLine], holds: Callable[[PortraitLine], bool]) -> tuple[PortraitLine, ...]:
    """The lines of which ``holds`` is true for every leaf; of any other line, the leaves for which it is true."""
    return tuple(left for line in lines for left in _left_of(line, holds))


def _source_keys(lines: Iterable[PortraitLine], kind: SourceKind) -> frozenset[UUID]:
    return frozenset(source.id for line in lines for source in line.all_sources() if source.kind == kind)


def _left_of(line: PortraitLine, holds: Callable[[PortraitLine], bool]) -> tuple[PortraitLine, ...]:
    kept = tuple(leaf for leaf in line.leaves if holds(leaf))
    return (line,) if len(kept) == len(line.leaves) else kept


def _line_record(line: PortraitLine) -> dict[str, Any]:
    return {
        "id": str(line.id),
        "text": line.text,
        "section": line.section,
        "said_at": line.said_at.isoformat(),
        "sources": [_source_record(source) for source in line.sources],
        "stated": line.stated,
        "slot": line.slot,
        "value": line.value,
        "parts": to_json(line.parts),
    }


def _parse_line(record: Mapping[str, Any]) -> PortraitLine:
    return PortraitLine(
        id=UUID(record["id"]),
        text=record["text"],
        section=FORMER_SECTIONS.get(record["section"], record["section"]),
        said_at=datetime.fromisoformat(record["said_at"]),
        sources=tuple(map(_parse_source, record["sources"])),
        stated=record["stated"],
        slot=record["slot"],
        value=record["value"],
        parts=from_json(record["parts"]),
    )


def _source_record(source: LineSource) -> dict[str, str]:
    record = {"kind": source.kind, "id": str(source.id)}
    if source.chain is not None:
        record["chain"] = str(source.chain)
    return record | ({"event_id": source.event_id} if source.event_id else {})


def _parse_source(record: Mapping[str, str]) -> LineSource:
    if "event" in record:  # as 0.1.0 wrote it
        return LineSource("event", UUID(record["event"]), event_id=record["event_id"])
    chain = record.get("chain")
    kind = cast("SourceKind", record["kind"])
    return LineSource(kind, UUID(record["id"]), UUID(chain) if chain else None, record.get("event_id", ""))
