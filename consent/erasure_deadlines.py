"""Watches the deadlines of open erasures: counts them, warns once per level, escalates those that are overdue."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID, uuid5

import structlog
from django.utils import timezone

from consent.erasure.services import escalate_erasure
from consent.legal_terms import Urgency, urgency
from consent.models import AuditEvent, LegalProfile, Tombstone
from consent.models.erasure_states import ErasureState
from foundation.alerts import raise_alert
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE
from foundation.telemetry.metrics import ERASURES_OPEN

log = structlog.get_logger(__name__)
_ACTIONS = {
    Urgency.WARN: "erasure.warned",
    Urgency.CRITICAL: "erasure.critical",
    Urgency.OVERDUE: "erasure.overdue",
}


@dataclass(frozen=True)
class OpenErasure:
    """An erasure that is not done yet, and how urgent it is now."""

    tombstone: Tombstone
    urgency: Urgency


def open_erasures(now: datetime) -> list[OpenErasure]:
    """All open erasures, the next due first. Call in the operators' database role; others see at most one user's."""
    profiles = LegalProfile.objects.in_bulk()
    rows = Tombstone.objects.filter(completed_at=None).order_by("due_at", "pk").defer("targets")
    return [OpenErasure(row, urgency_of(row, now, profiles.get(row.legal_profile))) for row in rows]


def urgency_of(tombstone: Tombstone, now: datetime, profile: LegalProfile | None) -> Urgency:
    """The urgency of an erasure under the legal profile it was accepted under, else under the default thresholds."""
    return urgency(tombstone.requested_at, tombstone.due_at, now, profile or LegalProfile())


def check_erasure_deadlines() -> dict[str, int]:
    """Scheduled: meter open erasures, warn of deadlines and escalate overdue ones; returns the counts."""
    with in_role(OPERATOR_ROLE):
        found = open_erasures(timezone.now())
    counts = Counter(erasure.urgency for erasure in found)
    for level in Urgency:
        ERASURES_OPEN.labels(urgency=level.value).set(counts[level])
    for erasure in found:
        if erasure.urgency in _ACTIONS:
            _warn_or_escalate(erasure)
    return {level.value: counts[level] for level in Urgency}


def _warn_or_escalate(erasure: OpenErasure) -> None:
    try:
        _warn_once(erasure)
        if erasure.urgency == Urgency.OVERDUE and erasure.tombstone.state != ErasureState.ESCALATED:
            escalate_erasure(erasure.tombstone.pk, erasure.tombstone.user_id, reason="sla_exceeded")
    except Exception:  # one erasure's trouble must not keep the others' terms from being watched
        log.exception("erasure_watch_failed", tombstone=str(erasure.tombstone.pk))


def _warn_once(erasure: OpenErasure) -> None:
    tombstone, level = erasure.tombstone, erasure.urgency
    with acting_as(tombstone.user_id):
        is_first = _audit_once(tombstone.pk, tombstone.user_id, _ACTIONS[level])
        if is_first:
            raise_alert("erasure", level, tombstone_id=str(tombstone.pk), due_at=tombstone.due_at.isoformat())
    if is_first:
        log.warning("erasure_due", tombstone=str(tombstone.pk), urgency=level.value)


def _audit_once(tombstone_id: UUID, user_id: UUID, action: str) -> bool:
    """Write an audit event unless it exists; its id derives from its content, so two sweeps at once write only one."""
    event = {"user_id": user_id, "action": action, "subject_id": tombstone_id}
    return AuditEvent.objects.get_or_create(id=uuid5(tombstone_id, action), defaults=event)[1]
