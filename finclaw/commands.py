"""Runs a management command; if the database cannot be reached, prints one line that says how to start it."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from django.core.management import execute_from_command_line
from django.db import InterfaceError, OperationalError

_EMBEDDED = "The database does not run. Start it with: manage.py database start (or make run for all of FinClaw)."
_OWN = "The database of DATABASE_URL does not answer. Start that server, or correct the address."


def run_command(arguments: Sequence[str]) -> None:
    """Run the command of these arguments. Exits with one line and status 1 where the database cannot be reached."""
    try:
        execute_from_command_line(list(arguments))
    except (OperationalError, InterfaceError) as error:
        if not _is_unreachable(error):
            raise
        from django.conf import settings

        sys.exit(_OWN if settings.DATABASE_URL else _EMBEDDED)


def _is_unreachable(error: BaseException) -> bool:
    from foundation.database.error_codes import is_database_down

    return is_database_down(error)
