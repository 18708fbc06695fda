"""Parses JSON that PostgreSQL can store: UTF-8 without NUL."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import IO, Any, Final

from django.utils.translation import gettext_lazy as _
from rest_framework import parsers
from rest_framework.exceptions import ParseError

MOST_LEVELS: Final = 64
"""How deep a body may be nested: far more than any input of ours, far less than what reading it recursively bears."""
_TOO_DEEP: Final = _("It is nested more than 64 levels deep.")
_UNSTORABLE: Final = re.compile("[\x00\ud800-\udfff]")


class StorableJSONParser(parsers.JSONParser):
    """Refuses invalid UTF-8, lone surrogates, NUL and excessive nesting before anything else sees the value."""

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        try:
            data = super().parse(stream, media_type, {**(parser_context or {}), "encoding": "utf-8"})
        except RecursionError:
            raise ParseError(_TOO_DEEP) from None
        _require_storable(data, MOST_LEVELS)
        return data


def _require_storable(value: Any, levels: int) -> None:
    """Raise ``ParseError`` for what PostgreSQL cannot store, and for nesting beyond ``levels``."""
    if isinstance(value, str):
        if _UNSTORABLE.search(value):
            raise ParseError()
    elif isinstance(value, dict | list):
        if not levels:
            raise ParseError(_TOO_DEEP)
        for item in (*value, *value.values()) if isinstance(value, dict) else value:
            _require_storable(item, levels - 1)
