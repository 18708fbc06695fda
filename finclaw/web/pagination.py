"""Keyset pagination of lists: every page costs the same, and rows do not shift between pages while one reads."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar
from uuid import UUID

from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest

PAGE_SIZE = 30
Row = TypeVar("Row", bound=Model)


@dataclass(frozen=True)
class Page(Generic[Row]):
    """Rows, latest first, and the addresses of the neighbouring pages; empty where there is none."""

    rows: list[Row]
    newer_url: str = ""
    older_url: str = ""


@dataclass(frozen=True)
class _PageKey:
    at: datetime
    pk: UUID

    @classmethod
    def read(cls, value: str | None) -> _PageKey | None:
        """The key in an address; None for none and for a mangled one, which shows the first page."""
        at, _, pk = (value or "").partition("~")
        try:
            key = cls(datetime.fromisoformat(at), UUID(pk))
        except ValueError:
            return None
        return key if key.at.tzinfo else None

    def __str__(self) -> str:
        return f"{self.at.isoformat()}~{self.pk}"

    def beyond(self, field: str, direction: str) -> Q:
        """Rows past this key: ``lt`` for older, ``gt`` for newer."""
        return Q(**{f"{field}__{direction}": self.at}) | Q(**{field: self.at, f"pk__{direction}": self.pk})


def keyset_page(request: HttpRequest, rows: QuerySet[Row], field: str, size: int = PAGE_SIZE) -> Page[Row]:
    """The page that ``?before=`` or ``?after=`` asks for, ordered by the datetime ``field``, then the key."""
    after, before = _PageKey.read(request.GET.get("after")), _PageKey.read(request.GET.get("before"))
    if after is not None:
        found = list(rows.filter(after.beyond(field, "gt")).order_by(field, "pk")[: size + 1])
        has_newer, has_older = len(found) > size, True
        found = found[:size][::-1]
    else:
        older = rows.filter(before.beyond(field, "lt")) if before else rows
        found = list(older.order_by(f"-{field}", "-pk")[: size + 1])
        has_newer, has_older = before is not None, len(found) > size
        found = found[:size]
    return Page(
        found,
        newer_url=_page_address(request, "after", found[0], field) if found and has_newer else "",
        older_url=_page_address(request, "before", found[-1], field) if found and has_older else "",
    )


def _page_address(request: HttpRequest, name: str, row: Model, field: str) -> str:
    query = request.GET.copy()
    query.pop("after", None)
    query.pop("before", None)
    query[name] = str(_PageKey(getattr(row, field), row.pk))
    return f"?{query.urlencode()}"
