"""Timelines as geometry: numbers that a template writes into SVG, without scripts or inline styles.

One lane for each statement, one bar for each version of it, from when it became true to when it ended.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import accumulate
from typing import Literal
from unicodedata import east_asian_width
from uuid import UUID

WIDTH = 720  # in the picture's units; its type is 12 high
MARGIN = 8
LANE = 40
HEAD = 28  # where the dates stand
BAR_Y, BAR_HEIGHT = 22, 10  # within a lane, its words above
SHORTEST_BAR = 6
SHORTEST_AXIS = timedelta(days=7)
MOST_TICKS = 6
TICK_ROOM = 64  # room between two dates
LABEL_GAP, LINE_GAP = 12, 4  # gaps beside other words and beside today's line
SHORTEST_LABEL = 60  # a label with less room is left out
WIDE_LETTER, NARROW_LETTER = 12.0, 7.4  # rather too wide: spare room does no harm, overlapping words do

Kind = Literal["now", "past", "unsure"]
Unit = Literal["day", "month", "year"]
_STEPS: tuple[tuple[Unit, int, timedelta], ...] = (
    *(("day", count, timedelta(days=count)) for count in (1, 2, 7, 14)),
    *(("month", count, timedelta(days=30 * count)) for count in (1, 2, 3, 6)),
    *(("year", count, timedelta(days=365 * count)) for count in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000)),
)


@dataclass(frozen=True)
class TimelineSpan:
    """One version of a statement, true from ``begins`` to ``ends``; None where it still is."""

    key: UUID
    words: str
    begins: datetime
    ends: datetime | None
    kind: Kind


@dataclass(frozen=True)
class TimelineBar:
    """A span as drawn; ``is_open`` where its end is not known."""

    span: TimelineSpan
    x: float
    width: float
    is_open: bool


@dataclass(frozen=True)
class TimelineLabel:
    """The words above a bar, as far as they fit."""

    words: str
    x: float
    anchor: Literal["start", "end"]
    kind: Kind


@dataclass(frozen=True)
class TimelineLane:
    """One statement: its bars with their words above them, latest first."""

    bars: tuple[TimelineBar, ...]
    labels: tuple[TimelineLabel, ...]
    y: int

    @property
    def latest(self) -> TimelineSpan:
        """The version that names the lane."""
        return self.bars[-1].span

    @property
    def label_y(self) -> int:
        """The baseline of its labels."""
        return self.y + BAR_Y - 7

    @property
    def bar_y(self) -> int:
        """The upper edge of its bars."""
        return self.y + BAR_Y


@dataclass(frozen=True)
class TimelineTick:
    """A date on the axis, as precise as ``unit`` says."""

    x: float
    at: datetime
    unit: Unit


@dataclass(frozen=True)
class Timeline:
    """The whole picture; without lanes there is nothing to draw."""

    lanes: tuple[TimelineLane, ...]
    ticks: tuple[TimelineTick, ...]
    today_x: float
    height: int
    width: int = WIDTH
    lane_height: int = LANE
    bar_height: int = BAR_HEIGHT

    @property
    def today_is_last(self) -> bool:
        """Whether the word "today" must end at its line to stay inside."""
        return self.today_x > WIDTH - TICK_ROOM


@dataclass(frozen=True)
class _TimelineAxis:
    begins: datetime
    ends: datetime

    def x(self, at: datetime) -> float:
        """The position of a moment, kept inside the picture."""
        share = (at - self.begins) / (self.ends - self.begins)
        return round(MARGIN + min(max(share, 0.0), 1.0) * (WIDTH - 2 * MARGIN), 1)


def draw_timeline(statements: Sequence[Sequence[TimelineSpan]], now: datetime) -> Timeline:
    """The picture of these statements, each a sequence of versions, oldest first; dates in the zone of ``now``.

    A version that was never true (an empty span) is not drawn, nor a statement of only such.
    """
    drawn = [spans for statement in statements if (spans := [span for span in statement if _has_duration(span)])]
    axis = _make_axis([span for spans in drawn for span in spans], now)
    lanes = tuple(_make_lane(spans, HEAD + index * LANE, axis, now) for index, spans in enumerate(drawn))
    today_x = axis.x(now)
    return Timeline(lanes, tuple(_make_ticks(axis, today_x)), today_x, HEAD + len(lanes) * LANE)


def shorten_to_width(words: str, room: float) -> str:
    """The words on one line, cut where they would exceed ``room``; Chinese characters are twice as wide."""
    line = " ".join(words.split())
    if _text_width(line) <= room:
        return line
    kept = line
    while kept and _text_width(kept + "…") > room:
        kept = kept[:-1]
    return kept.rstrip() + "…"


def _text_width(line: str) -> float:
    return sum(WIDE_LETTER if east_asian_width(letter) in "WF" else NARROW_LETTER for letter in line)


def _has_duration(span: TimelineSpan) -> bool:
    return span.ends is None or span.ends > span.begins


def _make_axis(spans: Sequence[TimelineSpan], now: datetime) -> _TimelineAxis:
    """From the first beginning to today, or to an end ahead of it."""
    ends = max([now, *(span.ends or span.begins for span in spans)])
    begins = min([now, *(span.begins for span in spans)])
    return _TimelineAxis(min(begins, ends - SHORTEST_AXIS).astimezone(now.tzinfo), ends.astimezone(now.tzinfo))


def _make_lane(spans: Sequence[TimelineSpan], y: int, axis: _TimelineAxis, now: datetime) -> TimelineLane:
    bars = tuple(_make_bars(spans, axis, now))
    return TimelineLane(bars, tuple(_make_labels(bars)), y)


def _make_bars(spans: Sequence[TimelineSpan], axis: _TimelineAxis, now: datetime) -> Iterator[TimelineBar]:
    """The bars, side by side: a version replaced within the hour has the shortest visible length and is not hidden."""
    begins = _spread_starts([axis.x(span.begins) for span in spans])
    for span, left, limit in zip(spans, begins, [*begins[1:], WIDTH - MARGIN], strict=True):
        right = min(max(axis.x(span.ends or max(now, span.begins)), left + SHORTEST_BAR), limit)
        yield TimelineBar(span, left, round(max(right - left, SHORTEST_BAR), 1), span.ends is None)


def _spread_starts(begins: Sequence[float]) -> list[float]:
    """Starts of the bars, moved so that each has its shortest length before the next one and before the end."""
    room = min(SHORTEST_BAR, (WIDTH - 2 * MARGIN) / len(begins))
    from_left = list(accumulate(begins, lambda before, left: max(left, before + room)))
    ends = WIDTH - MARGIN - SHORTEST_BAR + room
    from_right = accumulate(reversed(from_left), lambda after, left: min(left, after - room), initial=ends)
    return [round(left, 1) for left in from_right][:0:-1]


def _make_labels(bars: Sequence[TimelineBar]) -> Iterator[TimelineLabel]:
    """The words of the latest version at its bar; those of earlier versions only where they have room."""
    latest = bars[-1]
    right = latest.x + latest.width
    if latest.x <= WIDTH / 2:
        label = TimelineLabel(
            shorten_to_width(latest.span.words, WIDTH - latest.x), latest.x, "start", latest.span.kind
        )
        taken = latest.x
    else:
        label = TimelineLabel(shorten_to_width(latest.span.words, right), right - LINE_GAP, "end", latest.span.kind)
        taken = label.x - _text_width(label.words)
    yield label
    for bar in bars[-2::-1]:
        edge = min(bar.x + bar.width, taken) - LABEL_GAP
        is_long = edge - bar.x >= SHORTEST_LABEL
        room = edge - (bar.x if is_long else MARGIN)
        if room < SHORTEST_LABEL:
            return
        words = shorten_to_width(bar.span.words, room)
        yield TimelineLabel(words, bar.x if is_long else edge, "start" if is_long else "end", bar.span.kind)
        taken = bar.x if is_long else edge - _text_width(words)


def _make_ticks(axis: _TimelineAxis, today_x: float) -> Iterator[TimelineTick]:
    """Round dates with room beside each other, beside the edges and beside "today"."""
    length = axis.ends - axis.begins
    unit, count, _ = next((step for step in _STEPS if length / step[2] <= MOST_TICKS), _STEPS[-1])
    for at in _round_dates(axis, unit, count):
        x = axis.x(at)
        if TICK_ROOM / 2 <= x <= WIDTH - TICK_ROOM / 2 and abs(x - today_x) >= TICK_ROOM:
            yield TimelineTick(x, at, unit)


def _round_dates(axis: _TimelineAxis, unit: Unit, count: int) -> list[datetime]:
    """Midnights ``count`` days apart, or firsts of a month ``count`` months or years apart, within the axis."""
    midnight = axis.begins.replace(hour=0, minute=0, second=0, microsecond=0)
    if unit == "day":
        days = range(0, (axis.ends - midnight).days + 1, count)
        dates = [midnight + timedelta(days=day) for day in days]
    else:
        step = count if unit == "month" else 12 * count
        first, last = (12 * at.year + at.month - 1 for at in (axis.begins, axis.ends))
        months = range(max(first - first % step, 12), last + 1, step)
        dates = [midnight.replace(year=month // 12, month=month % 12 + 1, day=1) for month in months]
    return [at for at in dates if axis.begins <= at <= axis.ends]
