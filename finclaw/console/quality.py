"""Memory quality for operators: each indicator with its objective, its last days, and the budgets that burn
too fast.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from finclaw.console.charts import BarChart, bar_chart
from foundation.accounts.group_sizes import tenants_with_figures
from foundation.accounts.models import Tenant
from foundation.admin import short_day
from memory.models import AcceptanceReport, TrackingEntry
from memory.quality import quality_indicators
from memory.quality.acceptance import verdict_on
from memory.quality.budget_alerts import ALERTING_LEVELS, measured_budgets
from memory.quality.error_budget import BurnLevel
from memory.quality.indicators import Indicator, IndicatorReading, IndicatorTarget, IndicatorUnit
from memory.quality.quality_indicators import SLIS, history_of
from memory.quality.release_report import latest_report
from memory.quality.tracking_entries import open_entries

DAYS = 14

NAMES: Mapping[str, Promise] = {
    quality_indicators.STALENESS.name: gettext_lazy("Out of date"),
    quality_indicators.CONFLICT.name: gettext_lazy("In conflict"),
    quality_indicators.INJECTION.name: gettext_lazy("Well chosen"),
    quality_indicators.LATENCY.name: gettext_lazy("Time to find"),
    quality_indicators.OVERFLOW.name: gettext_lazy("Over budget"),
    quality_indicators.DELETION.name: gettext_lazy("Erasures overdue"),
    quality_indicators.COMPLETENESS.name: gettext_lazy("Receipts complete"),
}
_MEANINGS: Mapping[str, Promise] = {
    quality_indicators.STALENESS.name: gettext_lazy(
        "Memories that stopped being true within seven days, of all in use"
    ),
    quality_indicators.CONFLICT.name: gettext_lazy(
        "Active memories restated twice or more within thirty days, of all that are active"
    ),
    quality_indicators.INJECTION.name: gettext_lazy(
        "Memories taken of all that fit the message, less those that were called wrong"
    ),
    quality_indicators.LATENCY.name: gettext_lazy("95 of 100 searches took no longer"),
    quality_indicators.OVERFLOW.name: gettext_lazy("Turns whose memories did not fit, of all turns"),
    quality_indicators.DELETION.name: gettext_lazy("Erasures past their legal term, of all that were open"),
    quality_indicators.COMPLETENESS.name: gettext_lazy("Receipts with every field they need, of all receipts"),
}


@dataclass(frozen=True)
class QualityFigure:
    """One indicator now. ``state`` is good, bad or none (nothing, or too few samples); ``words`` say the same.

    One that ``fails`` would block a release; off target it may yet be observed.
    """

    key: str
    name: str
    meaning: str
    value: str
    target: str
    samples: str
    state: str
    words: str
    fails: bool = False

    @property
    def is_off_target(self) -> bool:
        """Whether it misses its objective, given enough samples to tell."""
        return self.state == "bad"


@dataclass(frozen=True)
class BudgetAlert:
    """An error budget that burns too fast; ``urgent`` needs action at once, any other in working hours."""

    name: str
    urgent: bool


@dataclass(frozen=True)
class QualityPage:
    """What the page shows; ``tenants`` with enough people can be chosen, ``tenant`` is the one chosen. ``open_entries``
    are what releases were observed at, and none has passed since.
    """

    figures: tuple[tuple[QualityFigure, BarChart], ...]
    alerts: tuple[BudgetAlert, ...]
    report: AcceptanceReport | None
    report_rows: tuple[dict[str, Any], ...]
    tenants: tuple[Tenant, ...]
    tenant: Tenant | None
    open_entries: tuple[TrackingEntry, ...]


def quality_page(now: datetime, wanted: str = "") -> QualityPage:
    """The whole page, of everybody or of the tenant with the id ``wanted``. Call in the operators' role."""
    tenants = tuple(Tenant.objects.filter(pk__in=tenants_with_figures()).order_by("name"))
    tenant = next((offered for offered in tenants if str(offered.pk) == wanted), None)
    report = latest_report()
    return QualityPage(
        figures=tuple(_with_chart(indicator, now, tenant.pk if tenant else None) for indicator in SLIS),
        alerts=current_alerts(now),
        report=report,
        report_rows=tuple(report.rows if report else ()),
        tenants=tenants,
        tenant=tenant,
        open_entries=tuple(open_entries().select_related("opened_by")),
    )


def tenant_figures(now: datetime, tenant: UUID) -> tuple[QualityFigure, ...]:
    """The seven indicators of one organisation as they stand."""
    return tuple(_make_figure(history_of(indicator, [now], tenant)[0]) for indicator in SLIS)


def current_figures(now: datetime) -> tuple[QualityFigure, ...]:
    """The seven indicators as they stand, for the Today page."""
    return tuple(_make_figure(reading) for reading in quality_indicators.all_readings(at=now))


def current_alerts(now: datetime) -> tuple[BudgetAlert, ...]:
    """The error budgets that are used up too fast; those with too few samples raise no alert."""
    return tuple(
        BudgetAlert(str(NAMES[budget.indicator.name]), budget.level == BurnLevel.PAGE)
        for budget in measured_budgets(now)
        if budget.level in ALERTING_LEVELS
    )


def _with_chart(indicator: Indicator, now: datetime, tenant: UUID | None) -> tuple[QualityFigure, BarChart]:
    moments = [now - timedelta(days=ago) for ago in reversed(range(DAYS))]
    readings = history_of(indicator, moments, tenant)
    return _make_figure(readings[-1]), _readings_chart(readings, moments)


def _readings_chart(readings: Sequence[IndicatorReading], moments: Sequence[datetime]) -> BarChart:
    is_share = readings[0].unit == IndicatorUnit.SHARE
    values = [(reading.value or 0.0) * (100 if is_share else 1) for reading in readings]
    title = _("The last %d days") % DAYS
    labels = [short_day(moment) for moment in moments]
    return bar_chart(title, labels, {str(NAMES[readings[0].name]): values}, " %" if is_share else " ms")


def _make_figure(reading: IndicatorReading) -> QualityFigure:
    state, words = _reading_state(reading)
    return QualityFigure(
        key=reading.name,
        name=str(NAMES[reading.name]),
        meaning=str(_MEANINGS[reading.name]),
        value="–" if reading.value is None else _value_text(reading.value, reading.unit),
        target=_target_text(reading.target, reading.unit),
        samples=_samples_text(reading),
        state=state,
        words=words,
        fails=verdict_on(reading) == AcceptanceReport.Verdict.FAIL,
    )


def _samples_text(reading: IndicatorReading) -> str:
    counted = {"found": reading.numerator, "all": reading.denominator}
    if reading.unit == IndicatorUnit.MILLISECONDS:
        return _("%(found)d of %(all)d took longer than they should") % counted
    return _("%(found)d of %(all)d") % counted


def _reading_state(reading: IndicatorReading) -> tuple[str, str]:
    if reading.is_on_target is None:
        return "none", _("nothing to measure")
    if not reading.is_conclusive:
        return "none", _("too few to tell")
    return ("good", _("on target")) if reading.is_on_target else ("bad", _("off target"))


def _target_text(target: IndicatorTarget, unit: IndicatorUnit) -> str:
    if target.kind == "zero":
        return _("none at all")
    bound = _value_text(target.bound, unit)
    return (_("below %s") if target.kind == "below" else _("above %s")) % bound


def _value_text(value: float, unit: IndicatorUnit) -> str:
    return f"{value * 100:.3g} %" if unit == IndicatorUnit.SHARE else f"{value:.0f} ms"
