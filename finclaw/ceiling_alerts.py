"""Alerts operators while an organisation's monthly limit ("ceiling") for language models is nearly or wholly spent."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from typing import Final

import structlog
from django.utils import timezone

from foundation.alerts import alert_key, raise_alert
from foundation.database.acting_user import in_role
from foundation.database.roles import WORKER_ROLE
from foundation.model_usage.ceilings import CeilingStage, MonthlySpending, near_or_beyond_ceiling, spending_this_month
from foundation.telemetry.metrics import MODEL_CEILINGS

log = structlog.get_logger(__name__)
ALERT_KIND: Final = "model_ceiling"


def alert_ceilings() -> int:
    """Alert once a day for each ceiling that is at 80 % or at 100 % and over, and count them in the metrics; returns
    how many there are. Scheduled.
    """
    now = timezone.now()
    with in_role(WORKER_ROLE):
        found = near_or_beyond_ceiling(spending_this_month().values())
    counted = Counter(spent.stage for spent in found)
    for stage in CeilingStage:
        if stage != CeilingStage.OPEN:
            MODEL_CEILINGS.labels(stage=stage).set(counted[stage])
    for spent in found:
        _raise_alert(spent, now)
    return len(found)


def _raise_alert(spent: MonthlySpending, now: datetime) -> None:
    tenant, level = str(spent.tenant_id or ""), "ticket" if spent.stage == CeilingStage.WARNED else "page"
    log.warning("model_ceiling", tenant=tenant, stage=spent.stage, percent=int(spent.percent))
    key = alert_key("day", now, ALERT_KIND, tenant, spent.stage)
    told = {"tenant": tenant, "stage": str(spent.stage), "percent": str(int(spent.percent))}
    raise_alert(ALERT_KIND, level, key, at=now.isoformat(), **told)
