"""Reads which names mean the same asset, to everybody or in one organisation."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from contextlib import suppress

from django.db import DatabaseError, connection


def asset_name_sets() -> list[frozenset[str]]:
    """Sets of names that mean the same asset: everybody's, and those of the acting user's organisation.

    Call in a transaction acting for a user. A ``DatabaseError`` leaves the transaction usable.
    """
    with connection.cursor() as cursor:
        try:
            cursor.execute(_ASSET_NAMES)
            cursor.nextset()
            return _group_names(cursor.fetchall())
        except DatabaseError:
            with suppress(DatabaseError):  # a lost connection has nothing to go back to
                cursor.execute("ROLLBACK TO SAVEPOINT before_names")
            raise


# A savepoint set by hand, in one round trip rather than three, because this runs before every answer.
_ASSET_NAMES = (
    "SAVEPOINT before_names; SELECT canonical, alias FROM knowledge_assetalias ORDER BY canonical, alias;"
    " RELEASE SAVEPOINT before_names"
)


def _group_names(pairs: Iterable[tuple[str, str]]) -> list[frozenset[str]]:
    names: dict[str, set[str]] = defaultdict(set)
    for canonical, alias in pairs:
        names[canonical] |= {canonical, alias}
    return [frozenset(group) for _, group in sorted(names.items())]
