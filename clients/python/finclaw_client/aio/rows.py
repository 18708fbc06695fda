"""Reads the rows of a list, page after page."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any, Generic, TypeVar

import httpx2

from finclaw_client.aio.connection import AsyncConnection

Row = TypeVar("Row")


class AsyncRows(Generic[Row]):
    """A list: iterate over it for all its rows, or take one page of it."""

    def __init__(self, connection: AsyncConnection, path: str, query: Mapping[str, object]) -> None:
        self._connection, self._path, self._query = connection, path, dict(query)

    async def page(self, cursor: str | None = None) -> tuple[list[Row], str | None]:
        """The rows of the page at this cursor, or of the first page, and the cursor of the next page."""
        query = self._query | ({"cursor": cursor} if cursor else {})
        answer = await self._connection.get(dict[str, Any], self._path, query)
        return answer["results"], httpx2.URL(answer["next"] or "").params.get("cursor")

    async def __aiter__(self) -> AsyncIterator[Row]:
        rows, cursor = await self.page()
        while rows:
            for row in rows:
                yield row
            rows, cursor = await self.page(cursor) if cursor else ([], None)
