"""Recognises a failure of the vector extension in a working database, so that full-text search can go on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

import structlog
from django.db import DatabaseError, transaction

from foundation.database.error_codes import sqlstate
from foundation.embeddings.exceptions import EmbeddingUnavailable
from foundation.telemetry.metrics import DEGRADED

Answer = TypeVar("Answer")
log = structlog.get_logger(__name__)
VECTOR_UNAVAILABLE: Final = EmbeddingUnavailable.code
# SQLSTATE classes: the extension's library is missing (58) or of another release (42, XX), or it rejects a vector (22).
_FAILURES: Final = frozenset({"22", "42", "58", "XX"})


def is_vector_failure(error: BaseException | None) -> bool:
    """Whether an SQL statement may have failed because of its vectors, so that one without them is worth trying.

    A time-out, a lost connection and a violated constraint are not caused by vectors. Call after the savepoint is
    rolled back. Logs and counts the failure.
    """
    if not isinstance(error, DatabaseError) or sqlstate(error)[:2] not in _FAILURES:
        return False
    DEGRADED.labels(reason=VECTOR_UNAVAILABLE).inc()
    log.warning("vectors_failed", error=type(error).__name__, sqlstate=sqlstate(error))
    return True


def with_vector_fallback(ask: Callable[[], Answer], otherwise: Callable[[], Answer]) -> Answer:
    """The result of ``ask``, called in its own savepoint, or of ``otherwise`` if the database fails on vectors."""
    try:
        with transaction.atomic():
            return ask()
    except DatabaseError as error:
        if not is_vector_failure(error):
            raise
    return otherwise()
