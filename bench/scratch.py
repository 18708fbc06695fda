"""A scratch database for measurements, and the table that effects are counted in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from django.conf import settings

from foundation.database import scratch
from foundation.database.embedded import EmbeddedServer
from foundation.database.urls import APP_ROLE

_EFFECTS = f"""
    CREATE TABLE bench_effect (job uuid, process integer, backend integer);
    GRANT SELECT, INSERT ON bench_effect TO {APP_ROLE};
"""


def scratch_database() -> AbstractContextManager[str]:
    """Point every connection at a fresh, migrated database; drop it at the end. Answers its name."""
    return scratch.scratch_database("bench")


@contextmanager
def effects_table(database: str) -> Iterator[None]:
    """The table that the counting handlers write to, in a scratch or test database."""
    with EmbeddedServer(settings.DATA_DIR).connect(database) as connection:
        connection.execute(_EFFECTS)
        try:
            yield
        finally:
            connection.execute("DROP TABLE bench_effect")
