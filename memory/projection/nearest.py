"""Asks the projection which of a user's entries are nearest to a question.

What it answers are ids and cosines. They are joined with the entries under row-level security, so that a row which the
database would not show is never shown, whatever Qdrant says.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from time import monotonic
from typing import Final
from uuid import UUID

import numpy as np
import structlog
from django.conf import settings
from pgvector import HalfVector

from foundation.qdrant import QdrantUnavailable
from foundation.telemetry.metrics import DEGRADED
from memory.projection.points import ProjectedPoints
from memory.projection.registry import searched_projection

NEAREST: Final = 384
"""How many entries are asked for. Four times as many brought the best ten of 50,000 sentences nearer by .01."""
NOT_ASKED_SECONDS: Final = 10.0
"""How long this process does without Qdrant after a failure, so that not every search waits for it."""
QDRANT_UNAVAILABLE: Final = QdrantUnavailable.code
log = structlog.get_logger(__name__)
_not_before = [0.0]


@dataclass(frozen=True)
class NearestEntries:
    """The nearest entries with their cosines; ``is_degraded`` if Qdrant should have said and did not."""

    keys: tuple[UUID, ...] = ()
    cosines: tuple[float, ...] = ()
    is_degraded: bool = False


NO_NEAREST: Final = NearestEntries()


def nearest_entries(user_id: UUID, kinds: Collection[str], vector: HalfVector, model_id: str) -> NearestEntries:
    """The user's entries nearest to a question, none where no projection of this model is searched.

    Each step of the request may take ``QDRANT_SEARCH_TIMEOUT_MS``. After a failure none is sent for
    ``NOT_ASKED_SECONDS``.
    """
    projection = searched_projection()
    if projection is None or projection.model_id != model_id:
        return NO_NEAREST
    if monotonic() < _not_before[0]:
        return NearestEntries(is_degraded=True)
    try:
        found = ProjectedPoints(projection).nearest(
            user_id,
            kinds,
            np.asarray(vector.to_list(), dtype=np.float32),
            NEAREST,
            settings.QDRANT_SEARCH_TIMEOUT_MS / 1000,
        )
    except QdrantUnavailable as error:
        _not_before[0] = monotonic() + NOT_ASKED_SECONDS
        DEGRADED.labels(reason=error.code).inc()
        log.warning("qdrant_not_searched", reason=error.reason)
        return NearestEntries(is_degraded=True)
    return NearestEntries(tuple(key for key, _ in found), tuple(cosine for _, cosine in found))


def ask_again() -> None:
    """Ask Qdrant at the next search, whatever failed before."""
    _not_before[0] = 0.0
