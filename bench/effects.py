"""The table in which handlers of a measurement count their effects."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings

from foundation.database.embedded_server import EmbeddedServer
from foundation.database.urls import APP_ROLE

_EFFECTS = f"""
    CREATE TABLE bench_effect (job uuid, process integer, backend integer);
    GRANT SELECT, INSERT ON bench_effect TO {APP_ROLE};
"""


@contextmanager
def effects_table(database: str) -> Iterator[None]:
    """The table that the counting handlers write to, in a scratch or test database."""
    with EmbeddedServer(settings.DATA_DIR).connect(database) as connection:
        connection.execute(_EFFECTS)
        try:
            yield
        finally:
            connection.execute("DROP TABLE bench_effect")
