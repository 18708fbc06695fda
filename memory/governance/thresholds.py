"""The thresholds of upkeep: defaults, and what a tenant sets instead."""

from __future__ import annotations

import structlog
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from foundation.accounts.models import Tenant

SETTING = "governance"
"""The key in ``Tenant.settings`` under which an organisation overrides any field of ``Thresholds``."""
log = structlog.get_logger(__name__)


class Thresholds(BaseModel):
    """The thresholds of upkeep, each of which a tenant may set. Shares are from 0 to 1."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    # the governor books upkeep above the rates, and warns the operators from the ``slo`` values on
    staleness_rate: float = Field(default=0.20, ge=0, le=1)
    conflict_rate: float = Field(default=0.10, ge=0, le=1)
    staleness_slo: float = Field(default=0.15, ge=0, le=1)
    conflict_slo: float = Field(default=0.10, ge=0, le=1)
    smallest_sample: int = Field(default=30, ge=1)  # fewer rows warn nobody

    # at least ``consolidate_from`` memories that are more similar than ``similarity`` are merged into one
    similarity: float = Field(default=0.85, gt=0, le=1)
    consolidate_from: int = Field(default=3, ge=2)

    # the fuse: called wrong so often, and in at least this share of its uses
    fuse_corrections: int = Field(default=2, ge=1)
    fuse_share: float = Field(default=0.3, gt=0, le=1)

    # out of date below this effective confidence
    outdated_below: float = Field(default=0.2, ge=0, le=1)
    # below this one, if it was found and passed over so many times in a row
    miss_limit: int = Field(default=20, ge=1)
    missed_outdated_below: float = Field(default=0.35, ge=0, le=1)


def thresholds_of(tenant: Tenant | None) -> Thresholds:
    """The tenant's thresholds; the defaults without a tenant, and where its settings cannot be read."""
    chosen = tenant.settings.get(SETTING, {}) if tenant else {}
    try:
        return Thresholds.model_validate(chosen)
    except ValidationError as error:
        log.warning("governance_settings_refused", tenant=str(tenant and tenant.pk), errors=error.error_count())
        return Thresholds()
