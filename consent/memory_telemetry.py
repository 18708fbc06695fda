"""Reports to telemetry how much memory withdrawal, retention or erasure removed or blocked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from uuid import UUID

from consent.declarations import PersonalModel, personal_models
from consent.models import ProfileConsent
from foundation.telemetry import memory_operations


def report_deleted_rows(user_id: UUID, rows: Mapping[str, int]) -> None:
    """Report how much memory is among deleted rows, given by model label. Call acting for the user.

    Rows of models that hold no memory are not counted, nor are history rows, which are deleted with what they record.
    """
    gone = Counter[str]()
    for personal in personal_models():
        if personal.declaration.memory and not personal.is_history:
            gone[personal.declaration.memory] += rows.get(personal.label, 0)
    if gone.total():
        consent_id = _latest_consent_id(user_id)
        for scope, count in gone.items():
            memory_operations.report_deleted(scope, consent_id, count=count)


def report_blocked_rows(user_id: UUID, personal: PersonalModel, count: int) -> None:
    """Report that rows of a model are blocked. Call acting for the user."""
    if count and personal.declaration.memory:
        memory_operations.report_blocked(personal.declaration.memory, _latest_consent_id(user_id), count=count)


def _latest_consent_id(user_id: UUID) -> UUID | None:
    """The id of the user's latest consent; None once the account is erased."""
    consent = ProfileConsent.objects.latest_of(user_id)
    return consent.pk if consent else None
