"""Writes the drift log: each reversal once, with metrics, and an alert when one user has many.

A logged reversal changes no profile and no personalization, sends no event, and is shown on no page. Log lines and
alerts name a signal by its ``drift_id``, never its user.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from datetime import UTC
from uuid import UUID

import structlog
from django.utils import timezone

from consent.permit import Permit
from drift.configuration import DriftThresholds
from drift.models import DriftSignal
from drift.types import Reversal
from foundation.alerts import raise_alert
from foundation.personal_data import ConsentScope
from foundation.telemetry.memory_operations import report_written
from foundation.telemetry.metrics import PERSONA_DRIFT
from foundation.telemetry.spans import span

ALERT_KIND = "drift"
log = structlog.get_logger(__name__)


def record_signals(permit: Permit, signals: Iterable[Reversal], thresholds: DriftThresholds) -> list[DriftSignal]:
    """Log each reversal that is not logged yet; returns the new rows. Call while holding the permit.

    Raises ``ConsentScopeMissing`` without ``save_to_profile``, ``ErasureInProgress``.
    """
    permit.require(ConsentScope.SAVE_TO_PROFILE)
    rows = [row for signal in signals if _insert_once(row := _signal_row(permit, signal, thresholds))]
    for row in rows:
        _report_signal(permit, row)
        _warn_of_accumulation(row, thresholds)
    return rows


def drift_id_of(user_id: UUID, signal: Reversal) -> str:
    """The id ``drift_<iso>_<six of a hash>``: the same reversal, found twice, has the same id."""
    sides = (signal.prior.at, signal.prior.ref, signal.current.at, signal.current.ref)
    named = "|".join(map(str, (user_id, signal.kind, signal.object_ref, *sides)))
    moment = signal.current.at.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")
    return f"drift_{moment}_{hashlib.sha256(named.encode()).hexdigest()[:6]}"


def _signal_row(permit: Permit, signal: Reversal, thresholds: DriftThresholds) -> DriftSignal:
    about = signal.cognition_object
    return DriftSignal(
        drift_id=drift_id_of(permit.user_id, signal),
        user_id=permit.user_id,
        object_ref=signal.object_ref,
        cognition_object={"kind": about.kind, "name": about.name} if about else {},
        signal_kind=signal.kind,
        prior_signal=signal.prior.as_json(),
        current_signal=signal.current.as_json(),
        delta_summary=signal.summary,
        triggers_alert=signal.kind in thresholds.alerting,
        consent_version=permit.version,
    )


def _insert_once(row: DriftSignal) -> bool:
    DriftSignal.objects.bulk_create([row], ignore_conflicts=True)
    return DriftSignal.objects.filter(pk=row.pk).exists()


def _report_signal(permit: Permit, row: DriftSignal) -> None:
    PERSONA_DRIFT.labels(signal_kind=row.signal_kind, triggers_alert=str(row.triggers_alert).lower()).inc()
    is_flip = row.signal_kind == DriftSignal.Kind.REFRESH_STANCE_FLIP
    about = {"drift_id": row.drift_id, "signal_kind": str(row.signal_kind)}
    with span("persona_drift_detected", **about):
        (log.warning if is_flip else log.info)("persona_drift_detected", **about)
        report_written("drift", permit.consent_id, slices=("S9",))


def _warn_of_accumulation(row: DriftSignal, thresholds: DriftThresholds) -> None:
    """Log a warning for each signal from the limit on, and raise an alert for the one that reaches it."""
    mine = DriftSignal.objects.filter(user_id=row.user_id, created_at__lte=row.created_at)
    since = timezone.now() - thresholds.burst_within
    _warn("burst", row, mine.filter(created_at__gt=since).count(), thresholds.burst_signals)
    if row.signal_kind == DriftSignal.Kind.FEEDBACK_CONFLICT:
        conflicts = mine.filter(signal_kind=row.signal_kind).count()
        _warn("conflicts", row, conflicts, thresholds.conflicts_to_warn)


def _warn(what: str, row: DriftSignal, count: int, limit: int) -> None:
    if count >= limit:
        log.warning("persona_drift_accumulates", what=what, drift_id=row.drift_id, signals=count)
    if count == limit:
        raise_alert(ALERT_KIND, "warn", what=what, drift_id=row.drift_id, at=row.created_at.isoformat())
