"""Reads any Chinese expression of time: days with a time of the clock, stretches, lengths, recurrences.

Every rule takes the index of a token and returns a ``Read``, or None where it does not apply; see the English grammar.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from foundation.lexicon import read_lexicon
from memory.rewriting.timex import calendar
from memory.rewriting.timex.clock_times import at_clock, within_clock
from memory.rewriting.timex.meanings import Meaning, Read, fixed, longest, opened, stretch_between
from memory.rewriting.timex.tokens import TokenStream, rule
from memory.rewriting.timex.types import Interval
from memory.rewriting.timex.zh_clock import SHORT_PARTS, clock, clock_stretch, part_name, span_of_part
from memory.rewriting.timex.zh_days import day, month, simple_day
from memory.rewriting.timex.zh_periods import plain_stretch, stretch
from memory.rewriting.timex.zh_words import FROM, JOINS, after, length, number, past, unit, weekday

_WORDS: Final = read_lexicon(__file__, "expressions").of("zh")

_AFTERWARDS: Final[tuple[tuple[tuple[str, ...], str], ...]] = (
    (("或之后", "及之后", "和之后", "或以后", "及以后", "和以后", "或更晚", "以来", "起", "开始", "始"), "since"),
    (("或之前", "及之前", "和之前", "或以前", "及以前", "和以前", "或更早", "或其前", "为止", "止"), "until"),
    (("之后", "以后", "过后", "后"), "after"), (("之前", "以前", "前"), "before"),
)  # fmt: skip
"""Words behind a time, with the modifier of ``opened`` that they stand for."""
_BEFOREHAND: Final[tuple[tuple[tuple[str, ...], str], ...]] = (
    (("截至", "截止到", "截止", "直到", "不晚于", "不迟于", "最晚", "至"), "until"),
    (("不早于", "最早", "始于"), "since"),
    (("早于", "先于"), "before"), (("晚于", "迟于"), "after"),
)  # fmt: skip
"""Words before a time, with the modifier of ``opened`` that they stand for."""
NUMERALS: Final = frozenset(_WORDS.words("numerals"))
OPENINGS: Final = frozenset(_WORDS.words("openings"))
"""The words that an expression may begin with; it may also begin with a figure."""


def expression(tokens: TokenStream, at: int) -> Read | None:
    """The longest expression of time that begins there."""
    return longest(tokens, at, habit, between, modified, dated_clock, bare_clock, day, stretch, left_over, duration)


@rule
def duration(tokens: TokenStream, at: int) -> Read | None:
    """A length of time."""
    found = length(tokens, at)
    if found is None or tokens.word(at - 1) in {"第", "周", "期", "拜"}:  # an ordinal, 第三天, or a weekday, 周三
        return None
    return Meaning("duration", length=found[0], is_relative=False, is_open=found[0].is_vague), found[1]


@rule
def left_over(tokens: TokenStream, at: int) -> Read | None:
    """还剩5分钟, "5 minutes are left": the stretch of that length from now on."""
    start = after(tokens, at, "还剩", "还有", "只剩")
    found = length(tokens, start) if start is not None else None
    if found is None or not found[0].is_of_clock or len(found[0].parts) > 1:
        return None
    other = found[0].shift(tokens.now, 1)
    return fixed("datetime_range", Interval(tokens.now, other) if other else None, is_open=True), found[1]


@rule
def habit(tokens: TokenStream, at: int) -> Read | None:
    """每天, 每两周, 每周一, 每隔三天: no date of its own."""
    start = after(tokens, at, "每隔", "每逢", "每一", "每")
    if start is None:
        return None
    named = weekday(tokens, start)
    if named:
        return Meaning("set", is_relative=False), named[1]
    counted = length(tokens, start)
    of_unit = unit(tokens, past(tokens, start, "一"))
    end = counted[1] if counted else of_unit[1] if of_unit else after(tokens, start, "个月", "月")
    if end is None:
        found = month(tokens, start)
        end = found[1] if found else None
    return (Meaning("set", is_relative=False), end) if end is not None else None


@rule
def dated_clock(tokens: TokenStream, at: int) -> Read | None:
    """明天上午, 昨晚, 2015年十月初一早上九点二十, 周五下午三点到五点."""
    found = day(tokens, at)
    if found is None or found[0].kind != "date":
        return None
    start = past(tokens, found[1], "的", ",", "，", "t")
    within = clock_stretch(tokens, start)
    if within:
        return within_clock(found[0], within[0]), within[1]
    moment = clock(tokens, start)
    if moment:
        return at_clock(found[0], moment[0]), moment[1]
    part = part_name(tokens, start)
    return (within_clock(found[0], span_of_part(part[0])), part[1]) if part else None


@rule
def bare_clock(tokens: TokenStream, at: int) -> Read | None:
    """A time of the clock or a part of the day, without a date."""
    found = clock_stretch(tokens, at) or clock(tokens, at)
    if found:
        return Meaning("time", is_relative=False), found[1]
    part = part_name(tokens, at)
    return (Meaning("time", is_relative=False), part[1]) if part and part[0] not in SHORT_PARTS else None


@rule
def point(tokens: TokenStream, at: int) -> Read | None:
    """What a stretch may begin or end with."""
    present = after(tokens, at, "现在", "如今", "目前", "今")
    if present is not None and (tokens.word(at) != "今" or tokens.word(present) not in {"天", "日", "年", "晚", "早"}):
        return fixed("date", calendar.on_day(tokens.now.date())), present
    return longest(tokens, at, dated_minute, day, stretch)


@rule
def dated_minute(tokens: TokenStream, at: int) -> Read | None:
    """A day with a time of the clock."""
    found = dated_clock(tokens, at)
    return found if found and found[0].kind == "datetime" else None


@rule
def between(tokens: TokenStream, at: int) -> Read | None:
    """从一月十日到十二日, 2018/1/10-2018/7/10, 在5月和7月之间."""
    start = past(tokens, at, *FROM)
    first = point(tokens, start)
    if first is None:
        return _years_between(tokens, start)
    join = after(tokens, first[1], *JOINS)
    is_pair = join is None
    join = after(tokens, first[1], "和", "与") if is_pair else join
    if join is None:
        return None
    last = point(tokens, join)
    shared = _shared_last(tokens, start, join, first[0])
    if shared and (last is None or shared[1] >= last[1]):
        last = shared
    if last is None:
        return None
    end = after(tokens, last[1], "之间", "期间", "间")
    if is_pair and end is None:
        return None  # 5月和7月 is a stretch only with 之间 behind it
    made = stretch_between(first[0], last[0], tokens.now)
    return (made, last[1] if end is None else end) if made else None


def _shared_last(tokens: TokenStream, start: int, at: int, first: Meaning) -> Read | None:
    """The last day of 从一月十日到十二日, which names no month: it is in the month of the first."""
    found = number(tokens, at)
    if found is None or first.kind != "date" or tokens.word(found[1]) not in {"日", "号"}:
        return None

    def same_month(interval: Interval) -> Interval | None:
        assert interval.start
        return calendar.calendar_day(interval.start.year, interval.start.month, found[0])

    made = tuple(item for interval in first.intervals if (item := same_month(interval)))
    in_year = None
    if first.in_year:
        given = first.in_year

        def in_year(of: int) -> Interval | None:
            interval = given(of)
            return same_month(interval) if interval else None

    return replace(first, intervals=made, in_year=in_year), found[1] + 1


def _years_between(tokens: TokenStream, at: int) -> Read | None:
    """2016到2018年."""
    first = number(tokens, at)
    join = after(tokens, first[1], *JOINS) if first and 1000 <= first[0] <= 2200 else None
    last = plain_stretch(tokens, join) if join is not None else None
    if first is None or last is None or last[0].grain != "year":
        return None
    beginning = fixed("range", calendar.year_stretch(first[0]), grain="year", is_relative=False)
    made = stretch_between(beginning, last[0], tokens.now)
    return (made, last[1]) if made else None


@rule
def modified(tokens: TokenStream, at: int) -> Read | None:
    """2019年8月6日或之后, 2013年及以前, 自2018年起, 截至五月."""
    for words, modifier in _BEFOREHAND:
        start = after(tokens, at, *words)
        found = point(tokens, start) if start is not None else None
        if found and found[0].intervals:
            return opened(found[0], modifier), found[1]
    start = past(tokens, at, *FROM)
    found = longest(tokens, start, dated_minute, simple_day, plain_stretch)
    if found is None or not found[0].intervals:
        return None
    for words, modifier in _AFTERWARDS:
        end = after(tokens, found[1], *words)
        if end is not None and _closes(tokens, end):
            if modifier == "after" and start > at and tokens.word(at) in {"从", "自"}:  # 从2018年以后 includes 2018
                modifier = "since"
            return opened(found[0], modifier), end
    return None


def _closes(tokens: TokenStream, end: int) -> bool:
    """Whether a single 前 or 后 ends the expression there and does not begin another word: 前天, 后面."""
    is_single = tokens.word(end - 1) in {"前", "后", "起", "止", "始"} and tokens.word(end - 2) not in {
        "之",
        "以",
        "开",
    }
    return not (
        is_single and tokens.word(end) in {"天", "后", "面", "来", "往", "半", "一", "几", "两", "床", "飞", "诉", "痛"}
    )
