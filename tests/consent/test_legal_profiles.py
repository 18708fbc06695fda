"""Which law's term holds, when it ends in working or calendar days, and how urgent an erasure is (C-10)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_django import Settings

from consent.exceptions import LegalProfileUnknown
from consent.legal_terms import (
    TermEnd,
    Urgency,
    due_at,
    is_calendar_known,
    is_working_day,
    last_day,
    legal_profile_for,
    urgency,
)
from consent.models import LegalProfile
from finclaw.statuses import STATUS_OF
from foundation.accounts.models import Tenant, User

CHINA, BERLIN = "Asia/Shanghai", "Europe/Berlin"
WORKING, CALENDAR = LegalProfile.SlaType.WORKING_DAYS, LegalProfile.SlaType.CALENDAR_DAYS
_FROM, _TO = datetime.fromisoformat("2001-01-01"), datetime.fromisoformat("2035-12-01")  # hypothesis adds the zone
MOMENTS = st.datetimes(_FROM, _TO, timezones=st.just(UTC))
DAYS = st.integers(1, 40)


def _profile(days: int, sla_type: str = WORKING, country: str = "CN") -> LegalProfile:
    return LegalProfile(code="x", name="X", country=country, sla_type=sla_type, deletion_sla_days=days)


def _in_china(words: str) -> datetime:
    return datetime.fromisoformat(words).replace(tzinfo=ZoneInfo(CHINA))


@pytest.mark.parametrize(
    ("day", "works"),
    [
        ("2024-02-04", True),  # a Sunday that Spring Festival turned into a working day
        ("2024-02-18", True),
        ("2024-02-09", True),  # New Year's Eve became a holiday only in 2025
        ("2024-02-10", False),
        ("2024-02-15", False),  # swapped for the 4th
        ("2024-02-24", False),
        ("2025-01-28", False),
        ("2025-10-11", True),
        ("2026-10-10", True),
        ("2026-10-08", True),
        ("2027-10-01", True),  # not announced yet: weekends alone
        ("2027-10-02", False),
    ],
)
def test_china_works_on_make_up_days_and_rests_on_what_they_were_swapped_for(day: str, works: bool) -> None:
    assert is_working_day("CN", date.fromisoformat(day)) is works


@pytest.mark.parametrize(
    ("country", "year", "known"),
    [("CN", 2001, True), ("CN", 2024, True), ("CN", 2026, True), ("CN", 2000, False), ("CN", 2031, False),
     ("CN", 1949, False), ("DE", 2031, True), ("ZZ", 2024, False), ("", 2024, False)],
)  # fmt: skip
def test_a_chinese_year_is_known_once_its_make_up_days_are_announced(country: str, year: int, known: bool) -> None:
    assert is_calendar_known(country, year) is known


@pytest.mark.parametrize(
    ("requested", "days", "last", "known"),
    [
        # Over Spring Festival 2024: Fri 2, Sun 4 (make-up), Mon 5 to Fri 9, then Sun 18 (make-up) to Tue 27.
        ("2024-02-01T10:00", 15, "2024-02-27", True),
        ("2024-02-03T23:59", 1, "2024-02-04", True),
        ("2024-02-09T18:00", 1, "2024-02-18", True),
        # Over National Day 2026: 1 to 7 October off, Saturday the 10th worked.
        ("2026-09-30T00:00", 3, "2026-10-10", True),
        # Into a year nobody has announced: 1 January 2031 counts, and it is said.
        ("2030-12-31T12:00", 1, "2031-01-01", False),
    ],
)
def test_working_days_in_china(requested: str, days: int, last: str, known: bool) -> None:
    end = _in_china(last) + timedelta(days=1)
    assert due_at(_profile(days), _in_china(requested), CHINA) == TermEnd(end, known)


@pytest.mark.parametrize(
    ("profile", "requested", "end"),
    [
        (_profile(30, CALENDAR, ""), "2026-03-01T12:00+01:00", "2026-04-01T00:00+02:00"),  # summer time begins between
        (_profile(1, WORKING, "DE"), "2026-04-02T12:00+02:00", "2026-04-08T00:00+02:00"),  # Good Friday, Easter Monday
        (_profile(1, WORKING, ""), "2026-04-02T12:00+02:00", "2026-04-04T00:00+02:00"),  # no country: weekends alone
    ],
)
def test_other_terms(profile: LegalProfile, requested: str, end: str) -> None:
    assert due_at(profile, datetime.fromisoformat(requested), BERLIN).at == datetime.fromisoformat(end)


def test_calendar_days_need_no_calendar_and_working_days_without_one_say_so() -> None:
    asked = datetime(2040, 5, 5, tzinfo=UTC)

    assert due_at(_profile(30, CALENDAR, ""), asked, "UTC").calendar_known
    assert not due_at(_profile(30, WORKING, ""), asked, "UTC").calendar_known
    assert not due_at(_profile(30, WORKING, "CN"), asked, "UTC").calendar_known


def test_the_day_it_was_asked_on_is_the_persons_own() -> None:
    late_in_london = datetime(2026, 3, 2, 23, 0, tzinfo=UTC)  # already the 3rd in Shanghai

    in_london, in_shanghai = (due_at(_profile(1), late_in_london, zone).at for zone in ("Europe/London", CHINA))

    assert in_london == datetime(2026, 3, 4, tzinfo=UTC)
    assert in_shanghai == _in_china("2026-03-05T00:00")


@given(MOMENTS, DAYS, st.sampled_from([WORKING, CALENDAR]), st.sampled_from(["CN", "DE", ""]))
def test_a_term_is_never_shorter_than_its_days(asked: datetime, days: int, sla_type: str, country: str) -> None:
    due = due_at(_profile(days, sla_type, country), asked, CHINA)

    assert due.at >= asked + timedelta(days=days)  # Shanghai has had no summer time since 1991


@given(MOMENTS, DAYS)
def test_one_more_day_never_ends_it_earlier(asked: datetime, days: int) -> None:
    assert due_at(_profile(days + 1), asked, CHINA).at > due_at(_profile(days), asked, CHINA).at


@given(st.dates(date(2001, 1, 1), date(2035, 1, 1)), DAYS, st.sets(st.integers(1, 60)))
def test_a_holiday_more_never_makes_it_earlier(first: date, days: int, offsets: set[int]) -> None:
    extra = {first + timedelta(days=offset) for offset in offsets}

    def usually(day: date) -> bool:
        return is_working_day("CN", day)

    assert last_day(first, days, _without(usually, extra)) >= last_day(first, days, usually)


def _without(counts: Callable[[date], bool], holidays: set[date]) -> Callable[[date], bool]:
    return lambda day: counts(day) and day not in holidays


@pytest.mark.parametrize(
    ("left", "level"),
    [(100, "fine"), (25, "fine"), (24.9, "warn"), (10, "warn"), (9.9, "critical"), (0.1, "critical"), (0, "overdue"),
     (-50, "overdue")],
)  # fmt: skip
def test_urgency_follows_the_share_of_the_term_that_is_left(left: float, level: str) -> None:
    asked = datetime(2026, 3, 2, tzinfo=UTC)
    term = timedelta(days=20)

    assert urgency(asked, asked + term, asked + term * (1 - left / 100), LegalProfile()) == Urgency(level)


@given(st.integers(0, 100), st.integers(0, 100), st.floats(0, 2))
def test_urgency_never_falls_as_time_goes_on(first: int, second: int, passed: float) -> None:
    profile = LegalProfile(warn_pct=max(first, second), critical_pct=min(first, second))
    asked = datetime(2026, 3, 2, tzinfo=UTC)
    term = timedelta(days=15)

    levels = [urgency(asked, asked + term, asked + term * share, profile) for share in (0, passed, passed + 0.1, 3)]

    assert levels == sorted(levels, key=list(Urgency).index)


def test_the_settings_name_the_law_where_no_tenant_does(alice: User, settings: Settings) -> None:
    assert legal_profile_for(alice).code == "pipl"
    settings.LEGAL_PROFILE = "gdpr"
    assert legal_profile_for(alice).code == "gdpr"


def test_a_tenants_setting_goes_before(alice: User, bob: User) -> None:
    alice.tenant = Tenant.objects.create(name="North desk", settings={"legal_profile": "gdpr"})
    bob.tenant = Tenant.objects.create(name="South desk", settings={})

    assert (legal_profile_for(alice).code, legal_profile_for(bob).code) == ("gdpr", "pipl")


def test_a_law_nobody_wrote_down_is_an_error_that_names_it(alice: User) -> None:
    alice.tenant = Tenant.objects.create(name="North desk", settings={"legal_profile": "atlantis"})

    with pytest.raises(LegalProfileUnknown) as refusal:
        legal_profile_for(alice)

    assert refusal.value.details == {"legal_profile": "atlantis"}
    assert STATUS_OF[refusal.value.code] == 500
