"""Figures of what language models were used for, how fast they were and what they cost, for two operators' pages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Final
from uuid import UUID

from django.conf import settings
from django.db.models import QuerySet
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from finclaw.console.charts import BarChart, bar_chart
from foundation.accounts.models import Tenant
from foundation.admin import short_day
from foundation.model_usage.ceilings import CeilingStage, MonthlySpending, near_or_beyond_ceiling, spending_this_month
from foundation.model_usage.models import ModelUsage
from foundation.model_usage.totals import UsageTotals, totals_by

DAYS: Final = 14
_TYPICAL, _SLOW = 50, 95  # percentiles
KIND_NAMES: Final[Mapping[str, Promise]] = {
    "answer": gettext_lazy("Answers"),
    "understanding": gettext_lazy("Understanding messages"),
    "memory_check": gettext_lazy("Checking memories"),
    "boundary_check": gettext_lazy("Checking requests to act"),
    "research": gettext_lazy("Research"),
    "learning": gettext_lazy("Learning from messages"),
    "events": gettext_lazy("Writing events"),
    "portrait": gettext_lazy("Portraits"),
    "arbitration": gettext_lazy("Judging conflicts"),
    "summary": gettext_lazy("Summaries"),
}
_STAGES: Final[Mapping[CeilingStage, Promise]] = {
    CeilingStage.OPEN: gettext_lazy("the configured models answer"),
    CeilingStage.WARNED: gettext_lazy("the configured models answer"),
    CeilingStage.SMALL_MODEL: gettext_lazy("the small model answers"),
    CeilingStage.OFFLINE: gettext_lazy("the offline model answers"),
}


@dataclass(frozen=True)
class UsageRow:
    """One line of a table: calls of one kind, or of one model, as they are shown."""

    name: str
    calls: int
    failures: int
    first_token: str
    slow_first_token: str
    whole: str
    input_tokens: int
    cached_percent: int
    output_tokens: int
    cost: str


@dataclass(frozen=True)
class SpendingRow:
    """What an organisation's models cost this month, and which model answers; ``stage`` is a ``CeilingStage``."""

    name: str
    cost: str
    ceiling: str
    percent: str
    stage: str
    answers: str

    @property
    def is_used_up(self) -> bool:
        """Whether the ceiling was reached, not only nearly."""
        return self.stage in (CeilingStage.SMALL_MODEL, CeilingStage.OFFLINE)


@dataclass(frozen=True)
class ModelCostsPage:
    """What the page shows; ``tenants`` can be chosen, ``tenant`` is the one chosen."""

    kinds: tuple[UsageRow, ...]
    models: tuple[UsageRow, ...]
    charts: tuple[BarChart, ...]
    spending: tuple[SpendingRow, ...]
    tenants: tuple[Tenant, ...]
    tenant: Tenant | None


def model_costs_page(now: datetime, wanted: str = "") -> ModelCostsPage:
    """The whole page, of everybody or of the tenant with the id ``wanted``. Call in the operators' role."""
    tenants = tuple(Tenant.objects.order_by("name"))
    tenant = next((offered for offered in tenants if str(offered.pk) == wanted), None)
    days = [now.date() - timedelta(days=ago) for ago in reversed(range(DAYS))]
    rows = ModelUsage.objects.filter(day__gte=days[0])
    rows = rows.filter(tenant=tenant) if tenant else rows
    names = {one.pk: one.name for one in tenants}
    spending = sorted(spending_this_month().values(), key=lambda one: -one.cost)
    return ModelCostsPage(
        kinds=_rows_by_kind(rows),
        models=tuple(_make_row(name, totals) for name, totals in totals_by(rows, "model_id").items()),
        charts=_charts(rows, days),
        spending=tuple(_make_spending_row(one, names) for one in spending if not tenant or one.tenant_id == tenant.pk),
        tenants=tenants,
        tenant=tenant,
    )


def usage_today(now: datetime) -> tuple[UsageRow, ...]:
    """The calls since midnight (UTC) by kind, for the Today page. Call in the operators' role."""
    return _rows_by_kind(ModelUsage.objects.filter(day=now.date()))


def reached_ceilings() -> tuple[SpendingRow, ...]:
    """The organisations whose ceiling is nearly or wholly used up, for the Today page. Call in the operators' role."""
    found = near_or_beyond_ceiling(spending_this_month().values())
    names = dict(Tenant.objects.filter(pk__in=[one.tenant_id for one in found]).values_list("pk", "name"))
    return tuple(_make_spending_row(one, names) for one in found)


def _rows_by_kind(rows: QuerySet[ModelUsage]) -> tuple[UsageRow, ...]:
    found = totals_by(rows, "kind")
    ordered = [*(kind for kind in KIND_NAMES if kind in found), *(kind for kind in found if kind not in KIND_NAMES)]
    return tuple(_make_row(str(KIND_NAMES.get(kind, kind)), found[kind]) for kind in ordered)


def _make_row(name: str, totals: UsageTotals) -> UsageRow:
    return UsageRow(
        name=name,
        calls=totals.calls,
        failures=totals.failures,
        first_token=_seconds_text(totals.first_token_seconds(_TYPICAL)),
        slow_first_token=_seconds_text(totals.first_token_seconds(_SLOW)),
        whole=_seconds_text(totals.whole_seconds(_SLOW)),
        input_tokens=totals.input_tokens,
        cached_percent=totals.cached_percent,
        output_tokens=totals.output_tokens,
        cost=_cost_text(totals),
    )


def _seconds_text(seconds: float | None) -> str:
    return "–" if seconds is None else f"{seconds:.2g} s" if seconds < 10 else f"{seconds:.0f} s"


def _cost_text(totals: UsageTotals) -> str:
    """The cost; an unknown price is stated as such, never shown as 0."""
    if totals.has_no_price:
        return _("no price known")
    known = _amount_text(totals.cost)
    if not totals.unpriced_calls:
        return known
    words = ngettext(
        "%(cost)s, and %(calls)d call without a known price",
        "%(cost)s, and %(calls)d calls without a known price",
        totals.unpriced_calls,
    )
    return words % {"cost": known, "calls": totals.unpriced_calls}


def _amount_text(amount: Decimal) -> str:
    """The amount with two digits, small ones with as many as say something."""
    shown = f"{amount:.2f}" if amount >= 1 or not amount else f"{amount:.2g}"
    return f"{Decimal(shown):f} {settings.MODEL_CURRENCY}"


def _make_spending_row(spent: MonthlySpending, names: Mapping[UUID, str]) -> SpendingRow:
    tenant = spent.tenant_id
    return SpendingRow(
        name=names.get(tenant, str(tenant)) if tenant else _("People without an organisation"),
        cost=_amount_text(spent.cost),
        ceiling="–" if spent.ceiling is None else _amount_text(spent.ceiling),
        percent="–" if spent.ceiling is None else f"{spent.percent:.0f} %",
        stage=spent.stage,
        answers=str(_STAGES[spent.stage]),
    )


def _charts(rows: QuerySet[ModelUsage], days: list[date]) -> tuple[BarChart, BarChart]:
    labels = [short_day(day) for day in days]
    by_day = totals_by(rows, "day")
    answers = totals_by(rows.filter(kind="answer"), "day")
    slow = [(answers[day].first_token_seconds(_SLOW) or 0.0) if day in answers else 0.0 for day in days]
    title = _("First word of an answer: 95th percentile by day (UTC)")
    return _cost_chart(by_day, days, labels), bar_chart(title, labels, {_("seconds"): slow}, " s")


def _cost_chart(by_day: Mapping[date, UsageTotals], days: list[date], labels: list[str]) -> BarChart:
    """The cost by day; where no call has a price, the tokens."""
    shown = [by_day.get(day) for day in days]
    if any(totals and totals.cost for totals in shown):
        costs = [float(totals.cost) if totals else 0.0 for totals in shown]
        return bar_chart(_("Cost by day (UTC)"), labels, {_("cost"): costs}, f" {settings.MODEL_CURRENCY}")
    series = {
        _("read"): [totals.input_tokens if totals else 0 for totals in shown],
        _("written"): [totals.output_tokens if totals else 0 for totals in shown],
    }
    return bar_chart(_("Tokens by day (UTC)"), labels, series)
