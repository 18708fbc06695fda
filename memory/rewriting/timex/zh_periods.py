"""Chinese stretches of days: periods of the calendar, their parts, and counted units."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Final

from foundation.lexicon import read_lexicon
from memory.rewriting.timex import calendar
from memory.rewriting.timex.meanings import Meaning, Read, fixed, longest, of_year, yearly
from memory.rewriting.timex.tokens import TokenStream, rule
from memory.rewriting.timex.types import Interval
from memory.rewriting.timex.zh_days import month, near_month, near_step, year
from memory.rewriting.timex.zh_words import WEEK, after, length, number, past, unit

_WORDS: Final = read_lexicon(__file__, "periods").of("zh")

_SEASONS: Final = _WORDS.words("seasons")

_BEHIND: Final = _WORDS.words("behind")
"""Words before a length of time that ends now: 过去."""

_CENTURIES: Final = _WORDS.read("centuries", dict[str, int])

_AHEAD: Final = _WORDS.words("ahead")
"""Words before a length of time to come: 未来."""


@rule
def plain_stretch(tokens: TokenStream, at: int) -> Read | None:
    """A stretch of which no part is named."""
    return longest(tokens, at, month_of_year, near_month, whole_year, part_of_year, near_unit, decade)


@rule
def stretch(tokens: TokenStream, at: int) -> Read | None:
    """Any stretch of days."""
    return longest(tokens, at, plain_stretch, edge, edge_of_decade, many_units, nth_of_stretch, season, half_month)


@rule
def whole_year(tokens: TokenStream, at: int) -> Read | None:
    """2016年, 去年, 民国三年."""
    found = year(tokens, at)
    if found is None:
        return None
    (value, is_relative), end = found
    return fixed("range", calendar.year_stretch(value), grain="year", is_relative=is_relative), past(
        tokens, end, "度", "全年"
    )


@rule
def month_of_year(tokens: TokenStream, at: int) -> Read | None:
    """2018年12月, 去年五月, 八月."""
    of = year(tokens, at)
    named = month(tokens, past(tokens, of[1], "的") if of else at)
    if named is None:
        return None
    meaning = yearly(tokens, lambda of: calendar.month_stretch(of, named[0]), is_day=False, grain="month")
    return (of_year(meaning, of[0][0], is_relative=of[0][1]) if of else meaning), named[1]


@rule
def part_of_year(tokens: TokenStream, at: int) -> Read | None:
    """2016年第一季度, 去年上半年, 三季度, 下半年."""
    of = year(tokens, at)
    found = _part(tokens, past(tokens, of[1], "的") if of else at)
    if found is None:
        return None
    (first, months), end = found
    meaning = yearly(
        tokens, lambda of: calendar.month_stretch(of, first, months), is_day=False,
        grain="quarter" if months == 3 else "month",
    )  # fmt: skip
    if of is None and months == 6:
        return of_year(meaning, tokens.now.year, is_relative=True), end
    return (of_year(meaning, of[0][0], is_relative=of[0][1]) if of else meaning), end


def _part(tokens: TokenStream, at: int) -> tuple[tuple[int, int], int] | None:
    """The first month of a part of a year, and its number of months."""
    half = after(tokens, at, "上半年", "下半年", "前半年", "后半年")
    if half is not None:
        return (1 if tokens.word(at) in {"上", "前"} else 7, 6), half
    start = past(tokens, at, "第")
    if tokens.word(start) == "q" and tokens.word(start + 1) in {"1", "2", "3", "4"}:
        return (3 * int(tokens.word(start + 1)) - 2, 3), start + 2
    found = number(tokens, start)
    end = after(tokens, past(tokens, found[1], "个"), "季度", "季") if found else None
    return ((3 * found[0] - 2, 3), end) if found and end is not None and 1 <= found[0] <= 4 else None


@rule
def near_unit(tokens: TokenStream, at: int) -> Read | None:
    """上周, 下个季度, 这个周末, 上上个星期."""
    step = near_step(tokens, at)
    if step is None or tokens.word(at - 1) in {"晚", "早", "马", "天", "线", "路", "网", "乡"}:
        return None  # 晚上, 线上 and the like are words of their own
    weekend = after(tokens, step[1], *(f"{week}末" for week in WEEK), "周六日")
    if weekend is not None:
        found = calendar.weekend_stretch((tokens.now + timedelta(weeks=step[0])).date())
        return fixed("range", found), weekend
    if (week := after(tokens, step[1], *WEEK)) is not None:
        found = calendar.week_stretch((tokens.now + timedelta(weeks=step[0])).date())
        return fixed("range", found, grain="week"), week
    if (quarter := after(tokens, step[1], "季度")) is not None:
        first = (tokens.now.month - 1) // 3 * 3 + 1 + 3 * step[0]
        return fixed("range", calendar.month_stretch(tokens.now.year, first, 3), grain="quarter"), quarter
    return None


@rule
def decade(tokens: TokenStream, at: int) -> Read | None:
    """九十年代, 1990年代, 十九世纪七十年代, 上世纪八十年代, 21世纪."""
    if century := _century(tokens, at):
        return _within_century(tokens, *century)
    found = number(tokens, at)
    end = after(tokens, found[1], "年代") if found else None
    if found is None or end is None or found[0] % 10:
        return None
    if 1000 <= found[0] < 2200:
        return fixed("range", calendar.year_stretch(found[0], 10), grain="year", is_relative=False), end
    base = tokens.now.year // 100 * 100
    both = (calendar.year_stretch(base - 100 + found[0], 10), calendar.year_stretch(base + found[0], 10))
    return fixed("range", *both, grain="year", is_relative=False, is_open=True), end


def _century(tokens: TokenStream, at: int) -> tuple[int, int, bool] | None:
    """The first year of 十九世纪 or 上世纪, the place after it, and whether the clock was needed."""
    for words, away in _CENTURIES.items():
        if (end := after(tokens, at, words)) is not None:
            return (tokens.now.year // 100 + away) * 100, end, True
    found = number(tokens, past(tokens, at, "第"))
    end = after(tokens, found[1], "世纪") if found else None
    return (100 * (found[0] - 1), end, False) if found and end is not None and 1 <= found[0] <= 90 else None


def _within_century(tokens: TokenStream, first_year: int, at: int, is_relative: bool) -> Read:
    """The decade of a century that is named behind it, else the whole century."""
    found = number(tokens, past(tokens, at, "的"))
    end = after(tokens, found[1], "年代") if found else None
    years, place = calendar.year_stretch(first_year, 100), at
    if found and end is not None and found[0] % 10 == 0 and found[0] < 100:
        years, place = calendar.year_stretch(first_year + found[0], 10), end
    return fixed("range", years, grain="year", is_relative=is_relative), place


@rule
def many_units(tokens: TokenStream, at: int) -> Read | None:
    """过去三年, 前1年, 未来两周, 后1年, 近三天: those ahead begin tomorrow."""
    behind = after(tokens, at, *_BEHIND)
    ahead = after(tokens, at, *_AHEAD) if behind is None else None
    start = behind if behind is not None else ahead
    found = length(tokens, past(tokens, start, "的")) if start is not None else None
    if start is None or found is None or tokens.word(found[1]) in {"前", "后", "以", "之", "的今"}:
        return None
    if tokens.word(at - 1) in {"以", "之", "年", "月", "日", "天", "周", "然", "最", "先"} and start == at + 1:
        return None
    amount = found[0]
    sign = -1 if behind is not None else 1
    if amount.is_of_clock:
        other = amount.shift(tokens.now, sign)
        made = Interval(*sorted((tokens.now, other))) if other else None
        return fixed("datetime_range", made, is_open=True, grain="hour"), found[1]
    first = calendar.midnight(tokens.now) + timedelta(days=sign > 0)
    other = amount.shift(first, sign)
    made = Interval(*sorted((first, other))) if other else None
    return fixed("range", made, is_open=True, grain=calendar.GRAINS[amount.finest]), found[1]


@rule
def nth_of_stretch(tokens: TokenStream, at: int) -> Read | None:
    """2021年的第三个月, 今年的最后3周, 2016年第十周, 三月的第一周, 下个月第一天."""
    of = longest(tokens, at, month_of_year, near_month, whole_year)
    if of is None:
        return None
    start = past(tokens, of[1], "的")
    lasts = after(tokens, start, "最后", "最末")
    firsts = after(tokens, start, "头", "前", "最初", "开始的") if lasts is None else None
    if lasts is not None or firsts is not None:
        found = length(tokens, lasts if lasts is not None else firsts or start)
        return (_at_edge(of[0], found[0], is_last=lasts is not None), found[1]) if found else None
    nth = number(tokens, start + 1) if tokens.word(start) == "第" else None
    named = unit(tokens, nth[1]) if nth else None
    if nth is None or named is None or named[0][1] not in {"day", "week", "month"}:
        return None
    name = named[0][1]
    made = replace(
        of[0],
        kind="date" if name == "day" else "range",
        intervals=tuple(cut for item in of[0].intervals if (cut := _nth(item, nth[0], name))),
        is_open=name == "week",
        in_year=None,
        grain=calendar.GRAINS[name],
    )
    return made, named[1]


def _at_edge(of: Meaning, amount: calendar.Length, *, is_last: bool) -> Meaning:
    """The last or the first so many units of a stretch; the last weeks are whole."""
    made: list[Interval] = []
    for found in of.intervals:
        assert found.start
        assert found.end
        last = found.end - timedelta(days=found.end.weekday() if amount.finest == "week" else 0)
        other = amount.shift(last if is_last else found.start, -1 if is_last else 1)
        if other:
            made.append(Interval(other, last) if is_last else Interval(found.start, other))
    return replace(of, intervals=tuple(made), in_year=None, is_open=True)


def _nth(found: Interval, nth: int, name: str) -> Interval | None:
    assert found.start
    if name == "day":
        return calendar.on_day((found.start + timedelta(days=nth - 1)).date())
    if name == "month":
        return calendar.month_stretch(found.start.year, found.start.month + nth - 1)
    return calendar.iso_week(found.start.year, nth, found.start.month)


@rule
def season(tokens: TokenStream, at: int) -> Read | None:
    """A season has no dates of its own."""
    of = year(tokens, at)
    end = after(tokens, past(tokens, of[1], "的") if of else at, *_SEASONS)
    return (Meaning("range", is_open=True), end) if end is not None else None


@rule
def half_month(tokens: TokenStream, at: int) -> Read | None:
    """上半月, 三月下半月: the halves of a month, the first to the fifteenth."""
    of = longest(tokens, at, month_of_year, near_month)
    start = past(tokens, of[1], "的") if of else at
    end = after(tokens, start, "上半月", "下半月", "前半月", "后半月")
    if end is None:
        return None
    is_first = tokens.word(start) in {"上", "前"}
    base = of[0] if of else fixed("range", calendar.month_stretch(tokens.now.year, tokens.now.month))
    made = tuple(_cut_month(found, 0 if is_first else 15, 15 if is_first else 0) for found in base.intervals)
    return replace(base, intervals=made, in_year=None, is_open=not of), end


def _cut_month(found: Interval, first: int, last: int) -> Interval:
    """The part of a month from its day ``first`` to before ``last``, counted from 0; to its end where ``last`` is 0."""
    assert found.start
    return Interval(found.start + timedelta(days=first), found.start + timedelta(days=last) if last else found.end)


_EDGES: Final = _WORDS.read("edges", dict[str, tuple[int, int]])

_YEAR_EDGES: Final = _WORDS.read("year_edges", dict[str, tuple[int, int]])

_DECADE_EDGES: Final = _WORDS.read("decade_edges", dict[str, str])


@rule
def edge_of_decade(tokens: TokenStream, at: int) -> Read | None:
    """九十年代末, 上世纪初: a third of the decade or the century."""
    of = decade(tokens, at)
    if of is None:
        return None
    for words, side in _DECADE_EDGES.items():
        if (end := after(tokens, of[1], words)) is not None:
            made = tuple(calendar.part_of_years(found, side) for found in of[0].intervals)
            return replace(of[0], intervals=made, is_open=True, edge=side), end
    return None


@rule
def edge(tokens: TokenStream, at: int) -> Read | None:
    """三月初, 上个月底, 2016年底, 年末. How many days or months such an edge spans is a convention."""
    of = longest(tokens, at, month_of_year, near_month)
    if of:
        for words, (first, last) in _EDGES.items():
            end = after(tokens, of[1], words)
            if end is not None and tokens.word(end) not in {"一", "国", "心", "旬"}:
                made = tuple(_cut_month(found, first, last) for found in of[0].intervals)
                side = "end" if first == 15 else ""
                return replace(of[0], intervals=made, in_year=None, is_open=True, edge=side), end
    whole = year(tokens, at)
    start = whole[1] if whole else at
    for words, (first, months) in _YEAR_EDGES.items():
        end = after(tokens, start, words)
        if end is not None and (whole or len(words) > 1) and tokens.word(at - 1) not in {"每", "往", "全"}:
            value = whole[0][0] if whole else tokens.now.year
            found = calendar.month_stretch(value, first, months)
            return fixed("range", found, is_open=True, grain="month", edge="end" if first == 9 else ""), end
    return None
