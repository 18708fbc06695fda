"""JSON as PostgreSQL can store it: UTF-8, and no NUL."""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO, Any

from rest_framework import parsers
from rest_framework.exceptions import ParseError


class JSONParser(parsers.JSONParser):
    """Refuses invalid UTF-8, lone surrogates and NUL before anything else sees the value."""

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        try:
            data = super().parse(stream, media_type, {**(parser_context or {}), "encoding": "utf-8"})
        except RecursionError:
            raise ParseError() from None
        if not _storable(data):
            raise ParseError()
        return data


def _storable(value: Any) -> bool:
    if isinstance(value, str):
        return "\x00" not in value and not any("\ud800" <= character <= "\udfff" for character in value)
    if isinstance(value, dict):
        return all(_storable(key) and _storable(item) for key, item in value.items())
    if isinstance(value, list):
        return all(_storable(item) for item in value)
    return True
