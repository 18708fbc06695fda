"""Statements that the server plans once and keeps: for long texts that are run again and again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection
from django.db.backends.utils import CursorWrapper
from psycopg import Cursor


@contextmanager
def prepared_cursor() -> Iterator[CursorWrapper]:
    """A cursor that sends parameters apart from the text, so that its statements can be prepared.

    Django's own puts them into the text. Types must therefore be told by casts where PostgreSQL cannot infer them.
    """
    connection.ensure_connection()
    own: Any = Cursor(connection.connection)  # what Django wraps is a driver's cursor; its stubs say otherwise
    with connection.make_cursor(own) as cursor:
        yield cursor
