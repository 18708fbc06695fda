"""When the vector extension fails under a database that works: how that shows, for whoever then goes on with words."""

from __future__ import annotations

from typing import Final

import structlog
from django.db import DatabaseError

from foundation.embeddings.exceptions import EmbeddingUnavailable
from foundation.outbox.services import sqlstate
from foundation.telemetry.metrics import DEGRADED

log = structlog.get_logger(__name__)
VECTOR_UNAVAILABLE: Final = EmbeddingUnavailable.code
# Classes of SQLSTATE: a library that is missing (58), of another release (42, XX), or a vector it does not take (22).
_FAILURES: Final = frozenset({"22", "42", "58", "XX"})


def is_vector_failure(error: BaseException | None) -> bool:
    """Whether a statement with vectors may fail for their sake; then it is worth trying without, once.

    A time-out, a lost connection and a violated constraint are nobody's vectors. To be asked once the transaction
    stands again; counts what runs degraded.
    """
    if not isinstance(error, DatabaseError) or sqlstate(error)[:2] not in _FAILURES:
        return False
    DEGRADED.labels(reason=VECTOR_UNAVAILABLE).inc()
    log.warning("vectors_failed", error=type(error).__name__, sqlstate=sqlstate(error))
    return True
