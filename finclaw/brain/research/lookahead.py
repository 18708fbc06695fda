"""A back-test must not cheat: with ``as_of`` nothing counts that nobody could know by then. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from memory.research.types import Statement


def known_then(statements: Iterable[Statement], as_of: datetime | None) -> tuple[Statement, ...]:
    """The statements that are not dated later than ``as_of``, in their order; all of them without one.

    One without a date stays: it cannot be told from what was known.
    """
    return tuple(one for one in statements if not _is_later(one, as_of))


def warnings(statements: Iterable[Statement], as_of: datetime | None) -> tuple[dict[str, str], ...]:
    """``{"text", "dated_at"}`` of each statement dated later than ``as_of``, once, in their order."""
    later = dict.fromkeys((one.text, one.dated_at) for one in statements if _is_later(one, as_of))
    return tuple({"text": text, "dated_at": dated_at.isoformat()} for text, dated_at in later if dated_at)


def _is_later(statement: Statement, as_of: datetime | None) -> bool:
    return as_of is not None and statement.dated_at is not None and statement.dated_at > as_of
