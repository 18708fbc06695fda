"""Keeps projections up by schedule: begins the configured model's, fills it, switches to it, repairs drift."""

from __future__ import annotations

from datetime import datetime, timedelta
from time import monotonic
from typing import Final

import structlog
from django.db.models import Q
from django.utils import timezone

from foundation.database.acting_user import in_role
from foundation.database.roles import OPERATOR_ROLE, WORKER_ROLE
from foundation.embeddings import EmbeddingUnavailable, configured_embedder
from foundation.outbox.models import OutboxMessage
from foundation.qdrant import QdrantUnavailable
from foundation.telemetry.metrics import DEGRADED
from memory.indexing.reembedding import count_waiting
from memory.models import Projection
from memory.projection.comparison import compare
from memory.projection.point_writes import PROJECT_TOPIC
from memory.projection.registry import (
    begin_projection,
    drop_others,
    is_written,
    prepare_projections,
    projections,
    switch_to,
)
from memory.projection.walk import walk_on

WALK_SECONDS: Final = 60.0
"""For how long one run of the schedule fills a projection."""
COMPARE_EVERY: Final = timedelta(hours=6)
JUST_QUEUED: Final = timedelta(minutes=1)
"""Jobs younger than this do not keep a projection from being whole: where people talk, there are always some."""
log = structlog.get_logger(__name__)


def keep_up() -> int:
    """Scheduled: do what is due for each projection; returns how many differences were found.

    Where Qdrant does not answer, the next run goes on.
    """
    if not is_written():
        return 0
    try:
        configured = begin_projection()
        if configured.state == Projection.State.SERVING:  # Qdrant failed in an earlier switch, or one was taken back
            drop_others(configured)
        prepare_projections()
        return sum(map(_keep_one, projections()))
    except (QdrantUnavailable, EmbeddingUnavailable) as error:
        DEGRADED.labels(reason=error.code).inc()
        log.warning("projection_waits", reason=error.reason)
        return 0


def _keep_one(projection: Projection) -> int:
    until = monotonic() + WALK_SECONDS
    while projection.walked_at is None and monotonic() < until:
        walk_on(projection)
    if projection.walked_at is None:
        return 0
    found = 0
    if projection.compared_at is None or projection.compared_at < timezone.now() - COMPARE_EVERY:
        found = compare(projection).total
    if projection.state == Projection.State.BUILDING and is_whole(projection):
        switch_to(projection)
    return found


def is_whole(projection: Projection) -> bool:
    """Whether a projection holds all that the configured model has embedded, and this model has embedded all."""
    if projection.walked_at is None or projection.model_id != configured_embedder().model_id:
        return False
    with in_role(OPERATOR_ROLE):
        if count_waiting():
            return False
    return not count_waiting_jobs(timezone.now() - JUST_QUEUED)


def count_waiting_jobs(before: datetime | None = None) -> int:
    """How many jobs still bring points into step, of all or of those queued until ``before``."""
    unfinished = Q(topic=PROJECT_TOPIC, state__in=OutboxMessage.UNFINISHED)
    with in_role(WORKER_ROLE):
        return OutboxMessage.objects.filter(unfinished, created_at__lte=before or timezone.now()).count()
