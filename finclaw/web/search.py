"""Search for the lists of pages: the rows found, best first, and what ran degraded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from django.db.models import Model, QuerySet

from consent.permit import Permit
from memory.exceptions import MemoryUnavailable
from memory.retrieval.services import EmbeddedQuery, search
from memory.types import SearchQuery

FOUND_SHOWN = 30
Row = TypeVar("Row", bound=Model)


@dataclass(frozen=True)
class FoundRows(Generic[Row]):
    """The rows found, best first, and what ran degraded."""

    rows: list[Row]
    degraded: tuple[str, ...]


def search_rows(
    permit: Permit, kind: Literal["item", "event"], embedded: EmbeddedQuery, rows: QuerySet[Row]
) -> FoundRows[Row]:
    """The rows among ``rows`` that answer the query. Where the search fails or takes too long there are none, and
    ``degraded`` contains ``memory_unavailable``.
    """
    try:
        found = search(permit, SearchQuery(embedded.text, (kind,), top_k=FOUND_SHOWN, floored=True), embedded)
    except MemoryUnavailable as error:
        return FoundRows([], (*embedded.degraded, error.code))
    by_key = rows.in_bulk([hit.id for hit in found.hits])
    return FoundRows([by_key[hit.id] for hit in found.hits if hit.id in by_key], found.degraded)
