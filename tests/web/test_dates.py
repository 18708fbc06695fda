"""The pages write dates in one style, in the time zone of who reads them."""

from __future__ import annotations

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

from django.utils import timezone

from finclaw.web.dates import clock, day, moment, tick
from finclaw.web.templatetags import dates as filters

LATE = datetime(2026, 3, 2, 23, 5, tzinfo=UTC)


def test_a_day_is_the_readers() -> None:
    with timezone.override(ZoneInfo("Asia/Shanghai")):
        assert (day(LATE), clock(LATE), moment(LATE)) == ("3 March 2026", "07:05", "3 March 2026, 07:05")
    with timezone.override(UTC):
        assert moment(LATE) == "2 March 2026, 23:05"


def test_a_day_without_a_zone_stays_as_it_is() -> None:
    with timezone.override(ZoneInfo("Asia/Shanghai")):
        assert day(date(2026, 3, 2)) == "2 March 2026"
        assert moment(LATE.replace(tzinfo=None)) == "2 March 2026, 23:05"


def test_a_time_line_names_what_its_marks_are() -> None:
    marked = [tick(date(2026, 3, 2), unit) for unit in ("year", "month", "day")]
    assert marked == ["2026", "March 2026", "2 March"]


def test_where_there_is_no_date_nothing_is_written() -> None:
    assert [filters.day(None), filters.clock(None), filters.moment(None)] == ["", "", ""]
