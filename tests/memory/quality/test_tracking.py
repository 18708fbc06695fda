"""What a release was observed at is tracked until a release passes it, and counted by releases."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from django.db import connection
from django.db.utils import ProgrammingError

from memory.models import AcceptanceReport, TrackingEntry
from memory.quality.acceptance import Verdict, judge
from memory.quality.release_report import judge_release
from memory.quality.tracking_entries import follow_up, open_entries
from tests.memory.quality.test_acceptance import GOOD

FAILOVER = 11


def _judge(release: str, before: list[Mapping[int, Verdict]] | None = None, **figures: float) -> TrackingEntry | None:
    """The open entry of the failover after a release with these figures."""
    rows = judge(GOOD | figures, before or ())
    report = AcceptanceReport.objects.create(release=release, verdict="observe", rows=[row.as_json() for row in rows])
    follow_up(report, rows)
    return open_entries().filter(number=FAILOVER).first()


def test_a_release_without_an_observation_opens_nothing(db: None) -> None:
    assert _judge("1.0") is None
    assert _judge("1.1", failover=2.0) is None  # failed at once: it is blocked, not observed
    assert not TrackingEntry.objects.exists()


def test_an_observation_opens_an_entry_that_a_pass_closes(db: None) -> None:
    opened = _judge("1.0", failover=0.9)
    assert opened is not None
    assert (opened.measure, opened.opened_by.release, opened.releases, opened.is_blocking) == (
        "failover",
        "1.0",
        1,
        False,
    )

    assert _judge("1.1") is None
    closed = TrackingEntry.objects.get()
    assert closed.closed_by is not None
    assert (closed.closed_by.release, closed.closed_at) == ("1.1", closed.closed_by.created_at)


def test_releases_in_a_row_are_counted_once_each_and_the_third_blocks(db: None) -> None:
    observed = {FAILOVER: Verdict.OBSERVE}
    entries = [
        _judge("1.0", failover=0.9),
        _judge("1.0", failover=0.95),
        _judge("1.1", [observed], failover=0.9),
        _judge("1.2", [observed, observed], failover=0.9),
    ]
    assert [(entry.releases, entry.is_blocking) for entry in entries if entry] == [
        (1, False), (1, False), (2, False), (3, True)
    ]  # fmt: skip
    assert TrackingEntry.objects.count() == 1


def test_what_is_observed_again_after_a_pass_is_an_entry_of_its_own(db: None) -> None:
    _judge("1.0", failover=0.9)
    _judge("1.1")
    again = _judge("1.2", failover=0.9)
    assert again is not None
    assert (again.releases, TrackingEntry.objects.count()) == (1, 2)


def test_judging_a_named_release_tracks_what_it_is_observed_at(db: None) -> None:
    judge_release("")
    assert not TrackingEntry.objects.exists()
    report = judge_release("1.0")
    tracked = set(open_entries().values_list("number", flat=True))
    assert tracked == {row.number for row in report.rows if row.found == Verdict.OBSERVE}
    assert tracked


@pytest.mark.django_db
def test_nobody_deletes_an_entry() -> None:
    _judge("1.0", failover=0.9)
    with pytest.raises(ProgrammingError, match="permission denied"), connection.cursor() as cursor:
        cursor.execute("DELETE FROM memory_trackingentry")
