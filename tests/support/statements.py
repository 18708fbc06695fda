"""Counts what is asked of the database."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.db import connection


def count_statements(ask: Callable[[], Any]) -> int:
    """How many statements this thread runs meanwhile; the beginnings and ends of transactions are not among them."""
    count = 0

    def counted(execute: Callable[..., Any], *statement: Any) -> Any:
        nonlocal count
        count += 1
        return execute(*statement)

    with connection.execute_wrapper(counted):
        ask()
    return count
