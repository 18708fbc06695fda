"""Examines an installation as a whole: its settings, keys, database, queue, journal and disk."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from django.db import DatabaseError
from psycopg_pool import PoolTimeout

from finclaw.doctor.database import examine_database
from finclaw.doctor.findings import DoctorFinding
from finclaw.doctor.installation import examine_disk, examine_journal, examine_keys, examine_settings
from finclaw.doctor.optional_servers import examine_redis, examine_standby
from finclaw.doctor.work import examine_operators, examine_queue, examine_schedules

Examination = Callable[[], Iterator[DoctorFinding]]
WITHOUT_DATABASE: Final[tuple[Examination, ...]] = (examine_settings, examine_keys, examine_disk, examine_redis)
WITH_DATABASE: Final[tuple[Examination, ...]] = (
    examine_database, examine_standby, examine_journal, examine_schedules, examine_queue, examine_operators,
)  # fmt: skip
_UNREACHABLE: Final = DoctorFinding(
    "database",
    "does not answer",
    "Start it (manage.py database start), or mend DATABASE_URL; behind PgBouncer ask SHOW POOLS there.",
    is_urgent=True,
)


def examine() -> Iterator[DoctorFinding]:
    """Everything that was found, good and bad, in the order in which it is best mended."""
    for examination in WITHOUT_DATABASE:
        yield from examination()
    try:
        for examination in WITH_DATABASE:
            yield from examination()
    except (DatabaseError, PoolTimeout):
        yield _UNREACHABLE
