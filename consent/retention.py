"""Delete rows that are older than their model's declared retention."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.utils import timezone

from consent.declarations import PersonalModel, personal_models
from consent.memory_telemetry import report_deleted_rows
from consent.purge import delete_rows
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import ERASER_ROLE, OPERATOR_ROLE
from foundation.telemetry.metrics import RETENTION_DELETED


def delete_outdated_rows() -> int:
    """Scheduled: delete everybody's rows older than their model's ``retention``; returns how many.

    Each person and table has a transaction of its own: run again after a failure, it goes on where it stopped.
    """
    return sum(_sweep_table(personal) for personal in personal_models() if personal.declaration.retention is not None)


def _sweep_table(personal: PersonalModel) -> int:
    assert personal.declaration.retention is not None
    before = timezone.now() - personal.declaration.retention
    deleted = sum(_sweep_person(owner, personal, before) for owner in _owners(personal, before))
    RETENTION_DELETED.labels(model=personal.label).inc(deleted)
    return deleted


def _owners(personal: PersonalModel, before: datetime) -> list[UUID]:
    owner = personal.declaration.owner
    with in_role(OPERATOR_ROLE):
        old = personal.model._base_manager.filter(**_older_than(personal, before)).exclude(**{owner: None})
        return list(old.order_by(owner).values_list(owner, flat=True).distinct())


def _sweep_person(owner: UUID, personal: PersonalModel, before: datetime) -> int:
    with acting_as(owner):
        with in_role(ERASER_ROLE):
            deleted = delete_rows(personal.rows_of(owner).filter(**_older_than(personal, before)))
        report_deleted_rows(owner, {personal.label: deleted})
    return deleted


def _older_than(personal: PersonalModel, before: datetime) -> dict[str, datetime]:
    return {f"{personal.declaration.clock}__lt": before}
