"""Purge, within 48 hours, what was stored under a consent scope that the user withdrew."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import reduce
from operator import or_
from typing import Any
from uuid import UUID

import structlog
from django.db import models
from django.db.models import Exists, Max, OuterRef

from consent.declarations import PersonalModel, models_withdrawn_with
from consent.memory_telemetry import report_deleted_rows
from consent.models import ProfileConsent
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import ERASER_ROLE, OPERATOR_ROLE
from foundation.outbox import services as outbox
from foundation.outbox.models import OutboxMessage
from foundation.personal_data import ConsentScope, OnWithdrawal
from foundation.telemetry.metrics import PURGES_BOOKED_AGAIN

PURGE_WITHIN = timedelta(hours=48)
PURGE_TOPIC = "consent.purge"
BATCH = 1_000  # rows per SQL statement
log = structlog.get_logger(__name__)


def queue_purge(user_id: UUID, scope: ConsentScope, before: datetime) -> None:
    """Queue the purge of what was stored under a scope until ``before``, in the caller's transaction."""
    outbox.enqueue(PURGE_TOPIC, user_id=user_id, payload={"scope": scope.value, "before": before.isoformat()})


def purge_rows(user_id: UUID, scope: ConsentScope, before: datetime) -> dict[str, int]:
    """Delete what was stored under the withdrawn scope until ``before``; returns the number of rows by model.

    Rows stored after ``before``, under a new grant, stay; granting again restores nothing older.
    """
    deleted = {}
    with in_role(ERASER_ROLE):
        for personal in models_withdrawn_with(scope, OnWithdrawal.PURGE):
            rows = personal.rows_of(user_id).filter(**{f"{personal.declaration.clock}__lte": before})
            deleted[personal.label] = delete_rows(rows)
    report_deleted_rows(user_id, deleted)
    return deleted


def delete_rows(rows: models.QuerySet[Any]) -> int:
    """Delete in batches, so that a table of any size takes little memory; returns how many rows went."""
    deleted = 0
    while keys := list(rows.order_by("pk").values_list("pk", flat=True)[:BATCH]):
        deleted += rows.filter(pk__in=keys).delete()[0]
    return deleted


def purge_due_at(user: User) -> datetime | None:
    """When the last running purge must be over; None where none is running."""
    waiting = OutboxMessage.objects.filter(user=user, topic=PURGE_TOPIC, state__in=OutboxMessage.UNFINISHED)
    withdrawn = [datetime.fromisoformat(payload["before"]) for payload in waiting.values_list("payload", flat=True)]
    return max(withdrawn) + PURGE_WITHIN if withdrawn else None


def requeue_lost_purges() -> int:
    """Scheduled: queue again each purge whose job was lost or gave up; returns how many."""
    lost = list(_lost_purges())
    for user_id, scope, before in lost:
        with acting_as(user_id):
            queue_purge(user_id, scope, before)
        PURGES_BOOKED_AGAIN.labels(scope=scope.value).inc()
    if lost:
        log.warning("purges_booked_again", purges=len(lost))
    return len(lost)


def _lost_purges() -> Iterator[tuple[UUID, ConsentScope, datetime]]:
    """The purges that rows still need and no job performs: user, scope and moment."""
    for scope in ConsentScope:
        purged = models_withdrawn_with(scope, OnWithdrawal.PURGE)
        if not purged:
            continue
        booked = OutboxMessage.objects.filter(
            topic=PURGE_TOPIC,
            state__in=OutboxMessage.UNFINISHED,
            payload__scope=scope.value,
            user_id=OuterRef("user_id"),
        )
        gaps = ProfileConsent.versions_without(scope).exclude(Exists(booked))
        left = gaps.filter(reduce(or_, (_has_older(personal) for personal in purged)))
        with in_role(OPERATOR_ROLE):
            found = list(left.values_list("user_id").annotate(Max("changed_at")).order_by("user_id"))
        yield from ((user_id, scope, before) for user_id, before in found)


def _has_older(personal: PersonalModel) -> Exists:
    """Whether the table has a row of the person from before their version of consent."""
    declaration = personal.declaration
    older = {declaration.owner: OuterRef("user_id"), f"{declaration.clock}__lte": OuterRef("changed_at")}
    return Exists(personal.model._base_manager.filter(**older))
