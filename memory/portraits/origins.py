"""Looks up the origins of portrait lines for the user: the memory or event, and the conversation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from consent.permit import Permit
from memory.models import CognitiveEvent, ConversationEvent, MemoryItem
from memory.portraits.lines import chains_of, events_of
from memory.portraits.types import LineSource, PortraitLine
from memory.services.item_queries import items_of
from memory.services.sources import messages_by_id


@dataclass(frozen=True, slots=True)
class Origin:
    """One memory or event behind a line. ``ref`` is the memory's id or the event's ``event_id``.

    ``provenance`` and ``confidence`` are a memory's. ``session_id`` and ``session_title`` name the conversation in
    which it was said; they are None and "" if that is no longer stored.
    """

    kind: Literal["item", "event"]
    ref: str
    said_at: datetime
    provenance: str = ""
    confidence: float | None = None
    message_ids: tuple[UUID, ...] = ()
    session_id: UUID | None = None
    session_title: str = ""


@dataclass(frozen=True)
class _KnownSources:
    items: Mapping[UUID, MemoryItem]
    events: Mapping[UUID, CognitiveEvent]
    messages: Mapping[UUID, ConversationEvent]


def origins_of(permit: Permit, lines: Sequence[PortraitLine]) -> dict[UUID, tuple[Origin, ...]]:
    """The user's own memories and events behind each line, by the line's key; three queries in all."""
    items = items_of(permit).filter(chain_id__in=chains_of(lines), superseded_at=None)
    events = CognitiveEvent.objects.filter(pk__in=events_of(lines), user_id=permit.user_id)
    said = {source.id for line in lines for source in line.all_sources() if source.kind == "message"}
    known = _KnownSources(
        {item.chain_id: item for item in items},
        {event.pk: event for event in events},
        {message.pk: message for message in messages_by_id(permit, said)} if said else {},
    )
    return {line.id: tuple(dict.fromkeys(_origins_of_line(line, known))) for line in lines}


def _origins_of_line(line: PortraitLine, known: _KnownSources) -> Iterator[Origin]:
    for leaf in line.leaves if line.parts else (line,):
        messages = [
            known.messages[source.id] for source in _message_sources(leaf.sources) if source.id in known.messages
        ]
        for source in leaf.sources:
            if source.chain is not None and source.chain in known.items:
                yield _of_item(known.items[source.chain], messages)
            elif source.kind == "event" and source.id in known.events:
                yield _of_event(known.events[source.id])


def _message_sources(sources: Iterable[LineSource]) -> Iterator[LineSource]:
    return (source for source in sources if source.kind == "message")


def _of_item(item: MemoryItem, messages: Sequence[ConversationEvent]) -> Origin:
    latest = messages[-1] if messages else None
    return Origin(
        kind="item",
        ref=str(item.pk),
        said_at=latest.occurred_at if latest else item.valid_at,
        provenance=item.provenance,
        confidence=item.confidence,
        message_ids=tuple(message.pk for message in messages),
        session_id=latest.session_id if latest else None,
        session_title=latest.session.title if latest else "",
    )


def _of_event(event: CognitiveEvent) -> Origin:
    return Origin(
        kind="event",
        ref=event.event_id,
        said_at=event.timestamp_utc,
        message_ids=tuple(event.message_ids),
        session_id=event.session_id,
    )
