"""Searches events, for the HTTP interface and for a model's tools."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from consent.permit import Permit
from memory.models import CognitiveEvent
from memory.retrieval.services import EmbeddedQuery, search
from memory.types import SearchHit, SearchQuery, SearchResult

MAX_TOP_K: Final = 100
FILTER_DEPTH: Final = 200  # how many hits are read when a filter needs their rows


@dataclass(frozen=True)
class EventSearchResult:
    """The events found, best first, each with its hit; and how the search went."""

    events: Sequence[tuple[CognitiveEvent, SearchHit]]
    found: SearchResult


def search_events(
    permit: Permit, query: SearchQuery, embedded: EmbeddedQuery, *, own_only: bool = False
) -> EventSearchResult:
    """The ``top_k`` events of the user, or of ``query.group_id``, that fit best.

    With ``own_only`` only the user's own events of the group are returned. The caller checks the membership. Raises
    ``MemoryUnavailable``.
    """
    wanted = replace(query, kinds=("event",), top_k=FILTER_DEPTH if own_only else query.top_k)
    found = search(permit, wanted, embedded)
    rows = CognitiveEvent.objects.in_bulk([hit.id for hit in found.hits])
    known = [(rows[hit.id], hit) for hit in found.hits if hit.id in rows]
    told = [event for event in known if not own_only or event[0].user_id == permit.user_id]
    return EventSearchResult(told[: query.top_k], found)
