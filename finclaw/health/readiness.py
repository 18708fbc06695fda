"""Decides whether an installation is ready, and gathers the facts shown with it; anybody may ask without signing in."""

from __future__ import annotations

from datetime import timedelta
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from django.apps import apps
from django.core.cache.backends.locmem import LocMemCache
from django.db import DatabaseError, connection
from django.utils import timezone
from psycopg_pool import PoolTimeout

from consent.erasure.journal_check import journal_check
from foundation.database.acting_user import in_role
from foundation.database.roles import WORKER_ROLE
from foundation.database.write_refusals import free_bytes
from foundation.llm import configured_model_ids
from foundation.llm.refusals import open_refusals
from foundation.outbox.capacity import oldest_due

QUEUE_AGE_SECONDS: Final = 5
"""How long the age of the queue is cached: it is computed from all waiting rows, and proxies ask twice a second."""
_queue_age_cache: Final = LocMemCache("health.queue_age", {})
_UNREACHABLE: Final = {"status": "waiting", "database": "unreachable"}


def readiness(*, reading_is_enough: bool = False) -> dict[str, Any]:
    """The answer; its ``status`` is ready or waiting. With ``reading_is_enough`` a read-only database counts as ready.

    A model server that refuses is reported but does not change the status: memory, pages and searches work without it.
    """
    try:
        facts = {
            "database": "reachable",
            "model": _model_state(),
            "queue_age_seconds": _queue_age(),
            "disk_free_bytes": free_bytes(),
            "takes_writes": _takes_writes(),
            "unapplied_migrations": len(_unapplied_migrations()),
            "erasures_to_replay": journal_check.has_unreplayed(),
        }
    except (DatabaseError, PoolTimeout):
        return _UNREACHABLE
    if reason := _reason_to_wait(facts, reading_is_enough):
        return {"status": "waiting", "reason": reason, **facts}
    return {"status": "ready", **facts}


def _reason_to_wait(facts: dict[str, Any], reading_is_enough: bool) -> str:
    """What an operator has to do first, "" for nothing."""
    if facts["erasures_to_replay"]:
        return "run manage.py replay_erasures"
    if facts["unapplied_migrations"]:
        return "run manage.py migrate --database owner"
    return "" if facts["takes_writes"] or reading_is_enough else "make room on the disk: the database takes no writes"


def _takes_writes() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('transaction_read_only') = 'off'")
        return bool(cursor.fetchone()[0])


def _queue_age() -> int:
    """For how many seconds the longest-waiting job has been due, from the cache; jobs that wait for a model that is
    down do not count.
    """
    return int(_queue_age_cache.get_or_set("seconds", _read_queue_age, QUEUE_AGE_SECONDS) or 0)


def _read_queue_age() -> int:
    with in_role(WORKER_ROLE):
        return round((oldest_due(timezone.now()) or timedelta()).total_seconds())


def _unapplied_migrations() -> set[tuple[str, str]]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT app, name FROM django_migrations")
        return set(_known_migrations()) - set(cursor.fetchall())


@cache
def _known_migrations() -> frozenset[tuple[str, str]]:
    """Every migration of this version, found by its file name, because loading them all would take a second."""
    folders = {
        config.label: Path(str(import_module(f"{config.name}.migrations").__file__)).parent
        for config in apps.get_app_configs()
        if (Path(config.path) / "migrations" / "__init__.py").exists()
    }
    return frozenset((label, file.stem) for label, folder in folders.items() for file in folder.glob("[0-9]*.py"))


def _model_state() -> str:
    """``offline``, ``configured``, ``failing`` while a model's server is down, or ``refused``. More is on Today."""
    models = configured_model_ids()
    if refusals := open_refusals(models):
        return "failing" if all(refusal.is_outage for refusal in refusals) else "refused"
    return "configured" if models else "offline"
