"""Computes the legal term of an erasure: which law applies to a user, when the term ends, and how urgent that is.

Working days come from the ``holidays`` library, with the weekend days that China's State Council turns into
working days. It announces them each November for the year to come: until then a year's calendar is not known.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

import holidays
from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from consent.exceptions import LegalProfileUnknown
from consent.models import LegalProfile
from foundation.accounts.models import User

_DAY = timedelta(days=1)
_FRIDAY = 4
# Countries whose calendar of a year is known only when its make-up working days are: every year since 2001 had some.
_ANNOUNCED_YEARLY = frozenset({"CN"})


class Urgency(models.TextChoices):
    """How near a term's end is."""

    FINE = "fine", _("in time")
    WARN = "warn", _("due soon")
    CRITICAL = "critical", _("nearly due")
    OVERDUE = "overdue", _("overdue")


@dataclass(frozen=True)
class TermEnd:
    """The end of a term. ``calendar_known`` is False where the holidays of a year in it were not known, so that only
    weekends were left out.
    """

    at: datetime
    calendar_known: bool


def legal_profile_for(user: User) -> LegalProfile:
    """The legal profile of a user: their organisation's setting ``legal_profile``, else ``LEGAL_PROFILE``.

    Raises ``LegalProfileUnknown`` for a code that no profile has.
    """
    chosen = user.tenant.settings.get("legal_profile") if user.tenant else None
    code = str(chosen or settings.LEGAL_PROFILE)
    profile = LegalProfile.objects.filter(code=code).first()
    if profile is None:
        raise LegalProfileUnknown(details={"legal_profile": code})
    return profile


def due_at(profile: LegalProfile, requested_at: datetime, zone: str) -> TermEnd:
    """When an erasure requested at ``requested_at`` must be done: the midnight, in the IANA ``zone``, that ends the
    last day of the profile's term. The day of the request does not count.
    """
    local = ZoneInfo(zone)
    first = requested_at.astimezone(local).date()
    last = last_day(first, profile.deletion_sla_days, _day_filter(profile))
    at = datetime.combine(last + _DAY, time.min, local).astimezone(UTC)
    return TermEnd(at, is_term_calendar_known(profile, first, last))


def last_day(first: date, days: int, counts: Callable[[date], bool]) -> date:
    """The day on which ``days`` counted days have passed after ``first``; ``counts`` tells which days count."""
    day = first
    while days:
        day += _DAY
        days -= counts(day)
    return day


def is_working_day(country: str, day: date) -> bool:
    """Whether people work on that day in the country (ISO 3166-1); by weekends alone where its year is not known."""
    calendar = _calendar(country, day.year)
    if calendar is None:
        return day.weekday() <= _FRIDAY
    return calendar.is_working_day(day) if is_calendar_known(country, day.year) else not calendar.is_weekend(day)


def is_calendar_known(country: str, year: int) -> bool:
    """Whether the country's holidays of that year are known, its make-up working days with them."""
    calendar = _calendar(country, year)
    if calendar is None or not calendar.start_year <= year <= calendar.end_year:
        return False
    # A make-up day in December may belong to the next year's notice, so it says nothing about its own year.
    announced = any(day.year == year and day.month < 12 for day in calendar.weekend_workdays)
    return announced or country not in _ANNOUNCED_YEARLY


def is_country(code: str) -> bool:
    """Whether the library has a calendar of this country."""
    return code in holidays.list_supported_countries()


def is_term_calendar_known(profile: LegalProfile, first: date, last: date) -> bool:
    """Whether every holiday between the two days is known; for calendar days none needs to be."""
    if profile.sla_type == LegalProfile.SlaType.CALENDAR_DAYS:
        return True
    return all(is_calendar_known(profile.country, year) for year in range(first.year, last.year + 1))


def urgency(requested_at: datetime, due: datetime, now: datetime, profile: LegalProfile) -> Urgency:
    """How urgent it is by the share of the term that is left: under ``warn_pct`` a warning, under ``critical_pct``
    critical (25 and 10 per cent by default), with nothing left overdue.
    """
    if now >= due:
        return Urgency.OVERDUE
    left = 100 * (due - now) / (due - requested_at)
    if left < profile.critical_pct:
        return Urgency.CRITICAL
    return Urgency.WARN if left < profile.warn_pct else Urgency.FINE


def _day_filter(profile: LegalProfile) -> Callable[[date], bool]:
    if profile.sla_type == LegalProfile.SlaType.CALENDAR_DAYS:
        return lambda day: True
    return lambda day: is_working_day(profile.country, day)


@lru_cache(maxsize=256)
def _calendar(country: str, year: int) -> holidays.HolidayBase | None:
    return holidays.country_holidays(country, years=year) if is_country(country) else None
