"""Search as the lists use it: the hits' rows, best first."""

from __future__ import annotations

from typing import Literal, TypeVar

from django.db.models import Model, QuerySet

from consent.permit import Permit
from memory.retrieval.services import EmbeddedQuery, search
from memory.types import SearchQuery

FOUND_SHOWN = 30
Row = TypeVar("Row", bound=Model)


def found_rows(
    permit: Permit, kind: Literal["item", "event"], embedded: EmbeddedQuery, rows: QuerySet[Row]
) -> list[Row]:
    """The rows among ``rows`` that the search finds. Raises ``MemoryUnavailable``."""
    found = search(permit, SearchQuery(embedded.text, (kind,), top_k=FOUND_SHOWN), embedded)
    by_key = rows.in_bulk([hit.id for hit in found.hits])
    return [by_key[hit.id] for hit in found.hits if hit.id in by_key]
