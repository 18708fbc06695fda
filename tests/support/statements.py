"""Counts and tells what is asked of the database."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.db import connection


def count_statements(ask: Callable[[], Any]) -> int:
    """How many statements this thread runs meanwhile; the beginnings and ends of transactions are not among them."""
    return len(statements_of(ask))


def statements_of(ask: Callable[[], Any]) -> list[str]:
    """The statements that this thread runs meanwhile, with placeholders for their values."""
    statements = list[str]()

    def recorded(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        statements.append(sql)
        return execute(sql, *rest)

    with connection.execute_wrapper(recorded):
        ask()
    return statements


def fewest_statements(ask: Callable[[], Any]) -> int:
    """The fewest statements of three tries: on a busy machine something late, or read anew, may add to one of them."""
    return min(count_statements(ask) for _ in range(3))
