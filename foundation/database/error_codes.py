"""The codes by which PostgreSQL names its errors, and what they mean."""

from __future__ import annotations

from typing import Final

from django.db import InterfaceError, OperationalError
from psycopg_pool import PoolTimeout

_UNREACHABLE: Final = frozenset({"08", "53", "57"})  # SQLSTATE classes: connection, resources, operator intervention


def sqlstate(error: BaseException) -> str:
    """The five characters by which PostgreSQL names an error, or nothing: never its text, which may quote a row."""
    return str(getattr(error, "sqlstate", None) or getattr(error.__cause__, "sqlstate", None) or "")[:5]


def is_database_down(error: BaseException) -> bool:
    """Whether the error means that PostgreSQL cannot be reached, rather than that it refuses a statement."""
    if isinstance(error, PoolTimeout | InterfaceError):
        return True
    if not isinstance(error, OperationalError):
        return False
    state = getattr(error.__cause__, "sqlstate", None)
    # Without a SQLSTATE the driver itself failed: no connection was made, or it broke.
    return state is None or state[:2] in _UNREACHABLE
