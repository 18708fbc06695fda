"""Limits what language models may cost an organisation in a month, and says which model answers beyond the limit.

Up to the ceiling the configured models answer; beyond it the small one; beyond ``MODEL_OFFLINE_PERCENT`` of it the
offline one. Where no small model is configured, the offline one answers beyond the ceiling at once. Users without an
organisation share one ceiling, that of the settings.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import StrEnum
from time import monotonic
from typing import Any, Final
from uuid import UUID

from django.conf import settings
from django.db.models import Sum
from django.utils import timezone

from foundation.database.acting_user import in_role
from foundation.database.roles import WORKER_ROLE

CEILING_SETTING: Final = "monthly_model_ceiling"
"""The key of a tenant's settings: an amount, or null for no ceiling; without it that of the settings holds."""
WARNED_AT: Final = Decimal(80)  # percent
READ_AGAIN_SECONDS: Final = 60.0


class CeilingStage(StrEnum):
    """How much of a month's ceiling is used up, and so which models answer."""

    OPEN = "open"
    WARNED = "warned"
    SMALL_MODEL = "small_model"
    OFFLINE = "offline"


@dataclass(frozen=True)
class MonthlySpending:
    """What an organisation's models cost this month; ``ceiling`` is None where nothing bounds it."""

    tenant_id: UUID | None
    cost: Decimal
    ceiling: Decimal | None

    @property
    def percent(self) -> Decimal:
        """The share of the ceiling that is used up; 100 of a ceiling of nothing."""
        if self.ceiling is None:
            return Decimal(0)
        return 100 * self.cost / self.ceiling if self.ceiling else Decimal(100)

    @property
    def stage(self) -> CeilingStage:
        """Which models answer now."""
        if self.ceiling is None or self.percent < WARNED_AT:
            return CeilingStage.OPEN
        if self.percent < 100:
            return CeilingStage.WARNED
        has_small = settings.MODEL_SMALL not in ("", settings.MODEL_LARGE)
        is_over = self.percent >= settings.MODEL_OFFLINE_PERCENT
        return CeilingStage.SMALL_MODEL if has_small and not is_over else CeilingStage.OFFLINE


def spending_this_month() -> dict[UUID | None, MonthlySpending]:
    """What every organisation with a call this month has spent. Call in a role that reads all of them."""
    from foundation.model_usage.models import ModelUsage  # models are imported before the apps are there

    rows = ModelUsage.objects.filter(day__gte=_first_of_month()).order_by()
    summed = rows.values_list("tenant_id", "tenant__settings").annotate(cost=Sum("cost"))
    return {tenant: MonthlySpending(tenant, cost, ceiling_of(stated)) for tenant, stated, cost in summed}


def ceiling_of(tenant_settings: Mapping[str, Any] | None) -> Decimal | None:
    """The ceiling by a tenant's settings, else that of the installation; None where there is none."""
    stated = (tenant_settings or {}).get(CEILING_SETTING, settings.MODEL_MONTHLY_CEILING)
    return None if stated is None else Decimal(str(stated))


def near_or_beyond_ceiling(spending: Iterable[MonthlySpending]) -> list[MonthlySpending]:
    """The organisations whose ceiling is nearly or wholly used up, the furthest first."""
    return sorted((spent for spent in spending if spent.stage != CeilingStage.OPEN), key=lambda spent: -spent.percent)


class CeilingReader:
    """Gives an organisation's stage; the figures of all are read from the database in one query, once a minute."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.forget()

    def forget(self) -> None:
        """Read the figures anew when they are next asked for."""
        self._read_at: float | None = None
        self._stages: dict[UUID | None, CeilingStage] = {}

    def stage_of(self, tenant_id: UUID | None) -> CeilingStage:
        """Which models answer this organisation. While one thread reads the figures, others use the previous ones."""
        if not settings.MODEL_PRICES:  # then nothing has a cost that could reach a ceiling
            return CeilingStage.OPEN
        if self._is_due() and self._lock.acquire(blocking=False):
            try:
                self._read()
            finally:
                self._lock.release()
        return self._stages.get(tenant_id, CeilingStage.OPEN)

    def _is_due(self) -> bool:
        return self._read_at is None or monotonic() - self._read_at >= READ_AGAIN_SECONDS

    def _read(self) -> None:
        self._read_at = monotonic()
        with in_role(WORKER_ROLE):
            self._stages = {tenant: spent.stage for tenant, spent in spending_this_month().items()}


ceiling_reader: Final = CeilingReader()
"""The reader of this process."""


def _first_of_month() -> date:
    return timezone.now().date().replace(day=1)
