# Made of finclaw_client/aio by `make client`.
"""Reads the rows of a list, page after page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Generic, TypeVar

import httpx2

from finclaw_client.sync.connection import Connection

Row = TypeVar("Row")


class Rows(Generic[Row]):
    """A list: iterate over it for all its rows, or take one page of it."""

    def __init__(self, connection: Connection, path: str, query: Mapping[str, object]) -> None:
        self._connection, self._path, self._query = connection, path, dict(query)

    def page(self, cursor: str | None = None) -> tuple[list[Row], str | None]:
        """The rows of the page at this cursor, or of the first page, and the cursor of the next page."""
        query = self._query | ({"cursor": cursor} if cursor else {})
        answer = self._connection.get(dict[str, Any], self._path, query)
        return answer["results"], httpx2.URL(answer["next"] or "").params.get("cursor")

    def __iter__(self) -> Iterator[Row]:
        rows, cursor = self.page()
        while rows:
            yield from rows
            rows, cursor = self.page(cursor) if cursor else ([], None)
