"""Limits how long the statements of a knowledge store may take, and names what goes wrong in them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import DatabaseError, connection, transaction

from foundation.database.error_codes import sqlstate
from foundation.exceptions import FinClawError

_QUERY_CANCELED = "57014"  # what a statement that passed its time-out ends with
# The columns are evaluated from left to right. A savepoint that is released restores nothing.
_LIMIT = "SELECT current_setting('statement_timeout'), set_config('statement_timeout', %s, true)"
_RESTORE = "SELECT set_config('statement_timeout', %s, true)"


@contextmanager
def limited_statements(
    milliseconds: int, timed_out: type[FinClawError], unavailable: type[FinClawError]
) -> Iterator[None]:
    """A savepoint in which each statement may take so long, a millisecond at least; after it the limit of before holds.

    Raises ``timed_out``, or ``unavailable`` for any other failure of the database; the caller's transaction stays
    usable.
    """
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(_LIMIT, [str(max(1, milliseconds))])  # 0 would be for ever
            previous = cursor.fetchone()[0]
            yield
            cursor.execute(_RESTORE, [previous])
    except DatabaseError as error:
        raise (timed_out if sqlstate(error) == _QUERY_CANCELED else unavailable)() from error
