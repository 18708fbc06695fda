"""Thresholds of the drift detectors: shipped, overridden by the installation, overridden by the organisation."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import structlog
from django.conf import settings
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from drift.types import SignalKind
from foundation.accounts.models import Tenant, User
from foundation.yaml_files import read_yaml

SETTING: Final = "drift"
"""The key in ``Tenant.settings`` under which an organisation overrides any field of ``DriftThresholds``."""
DEFAULTS: Final = Path(__file__).parent / "defaults"
_LONGEST_DAYS: Final = 3_650
log = structlog.get_logger(__name__)


class _ThresholdFields(BaseModel):
    """Every threshold; ``defaults/drift_thresholds.yaml`` explains each."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    grade_reversal_days: int = Field(ge=1, le=_LONGEST_DAYS)
    conflict_reversals: int = Field(ge=1)
    stance_flip_changes_over: int = Field(ge=0)
    stance_flip_jaccard_below: float = Field(gt=0, le=1)
    stance_flip_days: int = Field(ge=1, le=_LONGEST_DAYS)
    reopened_days: int = Field(ge=1, le=_LONGEST_DAYS)
    reopened_delay_minutes: int = Field(ge=0, le=7 * 24 * 60)
    alerting: frozenset[SignalKind]
    burst_signals: int = Field(ge=1)
    burst_hours: int = Field(ge=1, le=24 * _LONGEST_DAYS)
    conflicts_to_warn: int = Field(ge=1)

    @property
    def grade_reversal_within(self) -> timedelta:
        return timedelta(days=self.grade_reversal_days)

    @property
    def stance_flip_after(self) -> timedelta:
        return timedelta(days=self.stance_flip_days)

    @property
    def reopened_within(self) -> timedelta:
        return timedelta(days=self.reopened_days)

    @property
    def reopened_delay(self) -> timedelta:
        return timedelta(minutes=self.reopened_delay_minutes)

    @property
    def burst_within(self) -> timedelta:
        return timedelta(hours=self.burst_hours)


class DriftThresholds(_ThresholdFields):
    """The thresholds in force; a field that is left out is as FinClaw ships it."""

    @model_validator(mode="before")
    @classmethod
    def _as_shipped(cls, given: Any) -> Any:
        return {**shipped_thresholds(), **given} if isinstance(given, dict) else given


def shipped_thresholds() -> dict[str, Any]:
    """The shipped thresholds, by field."""
    return read_yaml(
        DEFAULTS / "drift_thresholds.yaml", _ThresholdFields, "shipped file of drift thresholds"
    ).model_dump()


def configured_thresholds() -> DriftThresholds:
    """The installation's thresholds: the file of ``DRIFT_THRESHOLDS_FILE``, else the shipped one.

    Raises ``ImproperlyConfigured`` for a file that is not there, and for what it may not say.
    """
    name = settings.DRIFT_THRESHOLDS_FILE
    path = Path(name) if name else DEFAULTS / "drift_thresholds.yaml"
    return read_yaml(path, DriftThresholds, "file of drift thresholds")


def thresholds_of(tenant: Tenant | None) -> DriftThresholds:
    """The organisation's thresholds over the installation's; the latter alone without an organisation, and where its
    settings cannot be read.
    """
    installed = configured_thresholds()
    chosen = tenant.settings.get(SETTING) if tenant else None
    if not chosen:
        return installed
    try:
        return DriftThresholds.model_validate({**installed.model_dump(), **chosen})
    except (ValidationError, TypeError):
        log.warning("drift_settings_refused", tenant=str(tenant and tenant.pk))
        return installed


def thresholds_for(user: User) -> DriftThresholds:
    """The thresholds of the user's organisation."""
    return thresholds_of(user.tenant)
