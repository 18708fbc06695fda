"""The date style of all pages: 2 March 2026, 14:05; in Chinese 2026年3月2日 14:05."""

from __future__ import annotations

from datetime import date, datetime
from typing import Final

from django.utils import timezone
from django.utils.formats import date_format, time_format
from django.utils.translation import gettext as _
from django.utils.translation import pgettext_lazy

DAY: Final = pgettext_lazy("date format", "j F Y")
MONTH: Final = pgettext_lazy("date format", "F Y")
DAY_OF_YEAR: Final = pgettext_lazy("date format", "j F")
YEAR: Final = pgettext_lazy("date format", "Y")
CLOCK: Final = "H:i"


def day(at: date) -> str:
    """A day; of a moment, the reader's local day."""
    return date_format(_local_date(at), str(DAY))


def clock(at: datetime) -> str:
    """The time of a moment in the reader's time zone."""
    return time_format(timezone.localtime(at) if timezone.is_aware(at) else at, CLOCK)


def moment(at: datetime) -> str:
    """A day and its time in the reader's time zone."""
    return _("%(day)s, %(clock)s") % {"day": day(at), "clock": clock(at)}


def tick(at: date, unit: str) -> str:
    """The label at a mark of a time line; ``unit`` is year, month or day."""
    return date_format(_local_date(at), str({"year": YEAR, "month": MONTH}.get(unit, DAY_OF_YEAR)))


def _local_date(at: date) -> date:
    return timezone.localtime(at) if isinstance(at, datetime) and timezone.is_aware(at) else at
