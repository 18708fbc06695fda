"""The picture of what was true when, as numbers."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from uuid import uuid4
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finclaw.web.timeline import (
    LABEL_GAP,
    LINE_GAP,
    MARGIN,
    MOST_TICKS,
    SHORTEST_BAR,
    TICK_ROOM,
    WIDTH,
    Kind,
    TimelineSpan,
    draw_timeline,
    shorten_to_width,
)

NOW = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)
DAY = timedelta(days=1)


def span(
    begins: datetime, ends: datetime | None = None, words: str = "Follows BTC", kind: Kind = "now"
) -> TimelineSpan:
    return TimelineSpan(uuid4(), words, begins, ends, kind)


def test_an_open_bar_ends_today_and_a_closed_one_where_the_next_begins() -> None:
    changed = NOW - 30 * DAY
    old, new = span(NOW - 90 * DAY, changed, kind="past"), span(changed, words="Follows ETH")
    (lane,) = draw_timeline([[old, new]], NOW).lanes
    first, second = lane.bars
    assert first.x == MARGIN
    assert first.x + first.width == pytest.approx(second.x)
    assert second.x + second.width == pytest.approx(WIDTH - MARGIN)
    assert (first.is_open, second.is_open) == (False, True)
    assert second.width == pytest.approx((WIDTH - 2 * MARGIN) / 3, abs=0.2)
    assert [label.words for label in lane.labels] == ["Follows ETH", "Follows BTC"]


def test_a_version_that_was_never_true_is_not_drawn() -> None:
    never = span(NOW - DAY, NOW - DAY, kind="past")
    assert draw_timeline([[never]], NOW).lanes == ()
    (lane,) = draw_timeline([[never, span(NOW - DAY)]], NOW).lanes
    assert len(lane.bars) == 1


def test_what_was_replaced_within_the_hour_stands_beside_what_took_its_place() -> None:
    minutes = [NOW - timedelta(minutes=count) for count in (9, 6, 3)]
    old = [span(minutes[0], minutes[1], "A1", "past"), span(minutes[1], minutes[2], "A2", "past")]
    for elder in ([], [[span(NOW - 3_000 * DAY)]]):
        lane = draw_timeline([[*old, span(minutes[2], words="A3")], *elder], NOW).lanes[0]
        edges = [(bar.x, bar.x + bar.width) for bar in lane.bars]
        assert all(end <= begin for (_, end), (begin, _) in pairwise(edges))
        assert [(label.words, label.kind) for label in lane.labels] == [("A3", "now"), ("A2", "past"), ("A1", "past")]


def test_an_end_ahead_moves_today_into_the_picture() -> None:
    picture = draw_timeline([[span(NOW - 10 * DAY, NOW + 10 * DAY)]], NOW)
    assert picture.today_x == pytest.approx(WIDTH / 2)
    assert not picture.today_is_last
    assert draw_timeline([[span(NOW - 10 * DAY)]], NOW).today_is_last


def test_words_stand_at_the_end_of_a_bar_that_begins_late() -> None:
    early, late = draw_timeline([[span(NOW - 100 * DAY)], [span(NOW - DAY)]], NOW).lanes
    assert (early.labels[0].anchor, early.labels[0].x) == ("start", MARGIN)
    assert (late.labels[0].anchor, late.labels[0].x) == ("end", WIDTH - MARGIN - LINE_GAP)


def test_earlier_words_stand_only_where_the_latest_leave_room() -> None:
    changed = NOW - 10 * DAY
    long = "Follows a great many companies of every size in both Shanghai and Hong Kong"
    old = span(NOW - 60 * DAY, changed, words="Follows BTC", kind="past")
    (lane,) = draw_timeline([[old, span(changed, words=long)]], NOW).lanes
    assert [label.words for label in lane.labels] == [long, "Follows BTC"]
    (lane,) = draw_timeline([[old, span(changed, words=long + ", and Singapore, and New York")]], NOW).lanes
    assert len(lane.labels) == 1


@pytest.mark.parametrize(
    ("length", "unit"), [(DAY, "day"), (40 * DAY, "day"), (200 * DAY, "month"), (4_000 * DAY, "year")]
)
def test_dates_are_told_as_precisely_as_the_length_allows(length: timedelta, unit: str) -> None:
    ticks = draw_timeline([[span(NOW - length)]], NOW).ticks
    assert {tick.unit for tick in ticks} == {unit}
    assert all(tick.at.hour == 0 and (unit == "day" or tick.at.day == 1) for tick in ticks)


def test_dates_are_those_of_the_readers_zone() -> None:
    shanghai = NOW.astimezone(ZoneInfo("Asia/Shanghai"))
    ticks = draw_timeline([[span(NOW - 5 * DAY)]], shanghai).ticks
    assert {tick.at.utcoffset() for tick in ticks} == {timedelta(hours=8)}
    assert {tick.at.hour for tick in ticks} == {0}


def test_chinese_words_are_cut_at_half_the_letters() -> None:
    assert shorten_to_width("prefers short answers", 400) == "prefers short answers"
    english, chinese = shorten_to_width("a" * 100, 120), shorten_to_width("简" * 100, 120)
    assert english.endswith("…")
    assert chinese.endswith("…")
    assert len(english) > len(chinese) * 1.5


MOMENTS = st.integers(-2_000 * 365, 7_900 * 365).map(lambda days: NOW + timedelta(days=days, minutes=days % 997))
SPANS = st.builds(span, MOMENTS, st.none() | MOMENTS)


@given(st.lists(st.lists(SPANS, max_size=4), max_size=5))
def test_nothing_is_ever_drawn_outside_the_picture(statements: list[list[TimelineSpan]]) -> None:
    picture = draw_timeline(statements, NOW)
    for bar in (bar for lane in picture.lanes for bar in lane.bars):
        assert bar.width >= SHORTEST_BAR
        assert bar.x >= 0
        assert bar.x + bar.width <= WIDTH
    for lane in picture.lanes:
        assert all(one.x + one.width <= other.x + 0.1 for one, other in pairwise(lane.bars))
    xs = [tick.x for tick in picture.ticks]
    assert xs == sorted(xs)
    assert len(xs) <= MOST_TICKS + 1
    assert all(TICK_ROOM / 2 <= x <= WIDTH - TICK_ROOM / 2 for x in xs)


def test_words_of_one_lane_keep_their_distance() -> None:
    old = span(NOW - timedelta(minutes=9), NOW - timedelta(minutes=5), "打算去昆明", "past")
    (lane,) = draw_timeline([[old, span(NOW - timedelta(minutes=5), words="打算和阿杰去大理")]], NOW).lanes
    latest, earlier = lane.labels
    assert (latest.anchor, earlier.anchor) == ("end", "end")
    assert latest.x - 12 * len(latest.words) - earlier.x >= LABEL_GAP
