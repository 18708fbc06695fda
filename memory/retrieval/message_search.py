"""Searches the messages of a user's own conversations, by words and by meaning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from consent.permit import Permit
from foundation.embeddings.cosine_floors import UNMEASURED_FLOOR
from foundation.text import highlighted_pieces
from memory.models import ConversationEvent
from memory.retrieval.evidence_floor import floor_for
from memory.retrieval.services import EmbeddedQuery, search
from memory.types import SearchHit, SearchQuery

_CANDIDATES = 3  # times ``top_k``: hits that match only by their neighbours' words are dropped


@dataclass(frozen=True)
class MessageSearchResult:
    """The messages found, best first, each with its hit and its conversation; and what ran degraded."""

    messages: Sequence[tuple[ConversationEvent, SearchHit]]
    degraded: tuple[str, ...] = ()


def search_messages(permit: Permit, embedded: EmbeddedQuery, top_k: int) -> MessageSearchResult:
    """The ``top_k`` messages of the user's own conversations that fit best, answers included.

    Only what may be learned from is searched: nothing without ``memory_learning_allowed``, nothing of temporary
    conversations. Raises ``MemoryUnavailable``.
    """
    query = SearchQuery(embedded.text, ("turn",), top_k=top_k * _CANDIDATES, with_past=True, floored=True)
    found = search(permit, query, embedded)
    rows = ConversationEvent.objects.filter(session__user_id=permit.user_id, session__group=None, redacted_at=None)
    by_key = rows.select_related("session").in_bulk([hit.id for hit in found.hits])
    fitting = [(by_key[hit.id], hit) for hit in found.hits if hit.id in by_key and _fits(hit, embedded)]
    return MessageSearchResult(fitting[:top_k], found.degraded)


def _fits(hit: SearchHit, embedded: EmbeddedQuery) -> bool:
    """Whether a hit fits by its own words or meaning, and not only by its neighbours' words."""
    if any(piece.is_match for piece in highlighted_pieces(hit.text, embedded.text)):
        return True
    floor = floor_for(embedded.model_id, embedded.text)
    return hit.signals["semantic"] >= (UNMEASURED_FLOOR if floor is None else floor)
