"""Purging what a withdrawn scope no longer allows (seed A §10.4: within 48 hours)."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from consent.declarations import withdrawn_with
from foundation.database.acting import in_role
from foundation.database.roles import ERASER_ROLE
from foundation.outbox.jobs import Job
from foundation.personal_data import OnWithdrawal, Scope


def purge(job: Job) -> None:
    """Delete what the withdrawn scope had let in. A grant since then keeps only what was learned after it:
    re-granting restores nothing (C-5).
    """
    with job.completing():
        before = datetime.fromisoformat(job.payload["before"])
        job.result["deleted"] = _delete(job.user_id, Scope(job.payload["scope"]), before)


def _delete(user_id: UUID, scope: Scope, before: datetime) -> dict[str, int]:
    deleted = {}
    with in_role(ERASER_ROLE):
        for personal in withdrawn_with(scope, OnWithdrawal.PURGE):
            rows = personal.model._default_manager.filter(
                **{personal.declaration.owner: user_id, "created_at__lte": before}
            )
            deleted[personal.label] = rows.delete()[0]
    return deleted
