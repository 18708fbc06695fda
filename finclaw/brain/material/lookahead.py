"""Keeps a back-test from looking ahead: with ``as_of``, nothing counts that became known later. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from memory.research.types import ResearchStatement


def statements_known_by(
    statements: Iterable[ResearchStatement], as_of: datetime | None
) -> tuple[ResearchStatement, ...]:
    """The statements that are not dated after the day of ``as_of``, in order; all of them without one.

    Days are compared in UTC: a statement about a day is dated to its end, and was known on it. An undated one stays,
    since it cannot be told from what was known.
    """
    return tuple(statement for statement in statements if not _is_later(statement, as_of))


def find_postdated(statements: Iterable[ResearchStatement], as_of: datetime | None) -> tuple[ResearchStatement, ...]:
    """The statements dated after ``as_of``, each once, in order."""
    postdated = {
        (statement.text, statement.dated_at): statement
        for statement in reversed(list(statements))
        if _is_later(statement, as_of)
    }
    return tuple(reversed(postdated.values()))


def lookahead_warnings(postdated: Iterable[ResearchStatement]) -> tuple[dict[str, Any], ...]:
    """``{"text", "dated_at", "sources"}`` of each statement left out; the sources let an erasure remove it too."""
    return tuple(statement.as_json() for statement in postdated)


def _is_later(statement: ResearchStatement, as_of: datetime | None) -> bool:
    if as_of is None or statement.dated_at is None:
        return False
    return statement.dated_at.astimezone(UTC).date() > as_of.astimezone(UTC).date()
