"""Purging what a withdrawn scope no longer allows (seed A §10.4: within 48 hours)."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from consent.declarations import withdrawn_with
from foundation.database.acting import in_role
from foundation.database.roles import ERASER_ROLE
from foundation.personal_data import OnWithdrawal, Scope


def purge_rows(user_id: UUID, scope: Scope, before: datetime) -> dict[str, int]:
    """Delete what the withdrawn scope had let in until ``before``; answers the rows by model.

    A grant since then keeps only what was learned after it: re-granting restores nothing (C-5).
    """
    deleted = {}
    with in_role(ERASER_ROLE):
        for personal in withdrawn_with(scope, OnWithdrawal.PURGE):
            rows = personal.model._default_manager.filter(
                **{personal.declaration.owner: user_id, "created_at__lte": before}
            )
            deleted[personal.label] = rows.delete()[0]
    return deleted
