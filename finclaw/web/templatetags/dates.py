"""Template filters for dates; empty where there is no date."""

from __future__ import annotations

from datetime import date, datetime

from django import template

from finclaw.web import dates

register = template.Library()


@register.filter
def day(at: date | None) -> str:
    """As 2 March 2026."""
    return dates.day(at) if at else ""


@register.filter
def clock(at: datetime | None) -> str:
    """As 14:05."""
    return dates.clock(at) if at else ""


@register.filter
def moment(at: datetime | None) -> str:
    """As 2 March 2026, 14:05."""
    return dates.moment(at) if at else ""


@register.filter
def tick(at: date, unit: str) -> str:
    """The label at a mark of a time line: 2026, March 2026 or 2 March."""
    return dates.tick(at, unit)
