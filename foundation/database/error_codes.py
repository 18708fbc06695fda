"""The codes by which PostgreSQL names its errors."""

from __future__ import annotations


def sqlstate(error: BaseException) -> str:
    """The five characters by which PostgreSQL names an error, or nothing: never its text, which may quote a row."""
    return str(getattr(error, "sqlstate", None) or getattr(error.__cause__, "sqlstate", None) or "")[:5]
