"""Chinese expressions of time, whole: days with a time of the clock, stretches from one to another, lengths, habits."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from memory.historian.timex import calendar
from memory.historian.timex.core import (
    ClockStretch,
    ClockTime,
    Meaning,
    Read,
    TokenStream,
    at_clock,
    clock_between,
    fixed,
    longest,
    opened,
    rule,
    stretch_between,
    within_clock,
)
from memory.historian.timex.types import Interval
from memory.historian.timex.zh_days import day, month, simple_day
from memory.historian.timex.zh_periods import plain_stretch, stretch
from memory.historian.timex.zh_words import after, length, number, past, unit, weekday

_HOUR: Final = 3_600
_PARTS: Final = {
    "清晨": (6, 8), "凌晨": (0, 8), "早晨": (8, 12), "早上": (8, 12), "早间": (8, 12), "上午": (8, 12),
    "中午": (11, 13),
    "午间": (11, 13), "正午": (11, 13), "下午": (12, 16), "午后": (12, 16), "傍晚": (16, 20), "晚上": (16, 20),
    "晚间": (16, 20), "夜里": (20, 24), "夜间": (20, 24), "夜晚": (16, 20), "深夜": (20, 24), "半夜": (20, 24),
    "早": (8, 12), "晨": (8, 12), "晚": (16, 20), "夜": (20, 24),
}  # fmt: skip
"""Hours, as Recognizers-Text has them."""
_SHORT_PARTS: Final = frozenset({"早", "晨", "晚", "夜"})
_JOINS: Final = ("到", "至", "-", "－", "—", "~", "～", "直到")
_FROM: Final = ("从", "自", "由", "于", "在")
_AFTERWARDS: Final[tuple[tuple[tuple[str, ...], str], ...]] = (
    (("或之后", "及之后", "和之后", "或以后", "及以后", "和以后", "或更晚", "以来", "起", "开始", "始"), "since"),
    (("或之前", "及之前", "和之前", "或以前", "及以前", "和以前", "或更早", "或其前", "为止", "止"), "until"),
    (("之后", "以后", "过后", "后"), "after"), (("之前", "以前", "前"), "before"),
)  # fmt: skip
_BEFOREHAND: Final[tuple[tuple[tuple[str, ...], str], ...]] = (
    (("截至", "截止到", "截止", "直到", "不晚于", "不迟于", "最晚", "至"), "until"),
    (("不早于", "最早", "始于"), "since"),
    (("早于", "先于"), "before"), (("晚于", "迟于"), "after"),
)  # fmt: skip
NUMERALS: Final = frozenset("〇零○一壹二两贰三叁四五六七八九十百千万")
OPENINGS: Final = frozenset(
    "〇零○一壹二两贰三叁四五六七八九十百千万几数半大今昨前明后次翌第当隔去上本这来下公正腊冬初农阴旧周星礼元情妇植愚劳青儿建教国万光双平圣再过春夏秋冬"
    "此近最刚之接未往以随年每从自由于在截直不始早先晚迟还只清凌早上中午间正傍夜深半大约差现如目民顺康雍乾嘉道咸同光宣洪永崇贞开除q"
)
"""What an expression begins with, but for figures."""


def expression(tokens: TokenStream, at: int) -> Read | None:
    """The longest expression of time that begins there."""
    return longest(tokens, at, habit, between, modified, dated_clock, bare_clock, day, stretch, left_over, duration)


@rule
def duration(tokens: TokenStream, at: int) -> Read | None:
    """A length of time."""
    found = length(tokens, at)
    if found is None or tokens.word(at - 1) in {"第", "周", "期", "拜"}:
        return None
    return Meaning("duration", length=found[0], is_relative=False, is_open=found[0].is_vague), found[1]


@rule
def left_over(tokens: TokenStream, at: int) -> Read | None:
    """还剩5分钟: from now on."""
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


Clock = tuple[ClockTime, int]


@rule
def clock(tokens: TokenStream, at: int) -> Clock | None:
    """晚上19:30, 九点二十, 下午5:00, 17点55分23秒, 十点半."""
    start = past(tokens, at, "大约", "大概", "约", "差不多")
    part = part_name(tokens, start)
    hour_at = past(tokens, part[1], "的", "大约", "大概") if part else start
    found = _with_colon(tokens, hour_at) or _spoken(tokens, hour_at)
    if found is None:
        return None
    value, end = found
    return (_in_part(value, part[0]) if part else value), past(tokens, end, "左右", "整")


def _in_part(value: ClockTime, part: str) -> ClockTime:
    """下午五点 is 17:00, 凌晨三点 3:00."""
    is_late = (_PARTS[part][0] >= 12 and value.hour < 12) or (part in {"中午", "午间"} and value.hour < 3)
    is_past_midnight = part in {"半夜", "深夜", "夜里"} and value.hour < 6
    hour = value.hour + 12 * (is_late and not is_past_midnight)
    return replace(value, hour=hour % 24, is_half_known=True)


def _with_colon(tokens: TokenStream, at: int) -> Clock | None:
    hour, sign, minute = tokens.word(at), tokens.word(at + 1), tokens.word(at + 2)
    if sign not in {":", "："} or not (hour.isdecimal() and minute.isdecimal()) or len(hour) > 2 or len(minute) != 2:
        return None
    if int(hour) > 24 or int(minute) > 59:
        return None
    end, second = at + 3, 0
    if tokens.word(end) in {":", "："} and tokens.word(end + 1).isdecimal() and len(tokens.word(end + 1)) == 2:
        second, end = int(tokens.word(end + 1)) % 60, end + 2
    value = ClockTime(int(hour), int(minute), second, is_half_known=int(hour) > 12 or hour.startswith("0"))
    return _western_half(tokens, value, end)


def _western_half(tokens: TokenStream, value: ClockTime, at: int) -> Clock:
    """Am and pm, dotted or not."""
    letters = tokens.word(at)
    if letters in {"am", "pm"}:
        return replace(value, hour=value.hour % 12 + 12 * (letters == "pm"), is_half_known=True), at + 1
    if letters in {"a", "p"} and tokens.word(tokens.skip(at + 1, ".")) == "m":
        end = tokens.skip(tokens.skip(at + 1, ".") + 1, ".")
        return replace(value, hour=value.hour % 12 + 12 * (letters == "p"), is_half_known=True), end
    return value, at


def _spoken(tokens: TokenStream, at: int) -> Clock | None:
    hour = number(tokens, at)
    end = after(tokens, hour[1], "点钟", "点", "时") if hour else None
    if (
        hour is None
        or end is None
        or hour[0] > 24
        or tokens.word(end) in {"间", "候", "代", "期", "击", "评", "赞", "钟头"}
    ):
        return None
    minute, end = _minutes(tokens, end)
    second = number(tokens, end)
    second_end = after(tokens, second[1], "秒") if second else None
    value = ClockTime(hour[0], minute, is_half_known=not 1 <= hour[0] <= 12)
    if second and second_end is not None and second[0] < 60:
        return replace(value, second=second[0]), second_end
    return value, end


def _minutes(tokens: TokenStream, at: int) -> tuple[int, int]:
    """半, 一刻, 三刻, 二十分, 零五分; 0 where none are named."""
    for words, value in (("半", 30), ("一刻", 15), ("三刻", 45), ("1刻", 15), ("3刻", 45)):
        if (end := after(tokens, at, words)) is not None:
            return value, end
    found = number(tokens, past(tokens, at, "过"))
    if (
        found is None
        or found[0] > 59
        or tokens.word(found[1]) in {"个", "天", "月", "年", "号", "日", "人", "点", "小"}
    ):
        return 0, at
    has_unit = tokens.word(found[1]) == "分"
    return (found[0], found[1] + has_unit) if has_unit or not tokens.word(at).isdecimal() else (0, at)


@rule
def part_name(tokens: TokenStream, at: int) -> tuple[str, int] | None:
    """A part of the day."""
    for words in _PARTS:
        end = after(tokens, at, words)
        if end is not None and (
            words not in _SHORT_PARTS or tokens.word(end) not in {"餐", "饭", "点", "安", "会", "期", "年"}
        ):
            return words, end
    return None


def _span(part: str) -> ClockStretch:
    first, last = _PARTS[part]
    return ClockStretch(((first * _HOUR, min(last * _HOUR, 86_399)),), is_part=True)


@rule
def clock_stretch(tokens: TokenStream, at: int) -> tuple[ClockStretch, int] | None:
    """下午五点到七点半, 8:00-9:00."""
    start = past(tokens, at, *_FROM)
    first = clock(tokens, start)
    join = after(tokens, first[1], *_JOINS) if first else None
    last = clock(tokens, join) if join is not None else None
    if first is None or last is None:
        return None
    beginning, ending = first[0], last[0]
    if beginning.is_half_known and not ending.is_half_known and part_name(tokens, start):
        ending = replace(
            ending, hour=ending.hour + 12 * (beginning.hour >= 12 and ending.hour < 12), is_half_known=True
        )
    return clock_between(beginning, ending), last[1]


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
    return (within_clock(found[0], _span(part[0])), part[1]) if part else None


@rule
def bare_clock(tokens: TokenStream, at: int) -> Read | None:
    """A time or a part of any day: no date of its own."""
    found = clock_stretch(tokens, at) or clock(tokens, at)
    if found:
        return Meaning("time", is_relative=False), found[1]
    part = part_name(tokens, at)
    return (Meaning("time", is_relative=False), part[1]) if part and part[0] not in _SHORT_PARTS else None


@rule
def point(tokens: TokenStream, at: int) -> Read | None:
    """What a stretch begins or ends with."""
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
    start = past(tokens, at, *_FROM)
    first = point(tokens, start)
    if first is None:
        return _years_between(tokens, start)
    join = after(tokens, first[1], *_JOINS)
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
        return None
    made = stretch_between(first[0], last[0], tokens.now)
    return (made, last[1] if end is None else end) if made else None


def _shared_last(tokens: TokenStream, start: int, at: int, first: Meaning) -> Read | None:
    """The twelfth of "from the tenth of January to the twelfth", of the same month."""
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
    join = after(tokens, first[1], *_JOINS) if first and 1000 <= first[0] <= 2200 else None
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
    start = past(tokens, at, *_FROM)
    found = longest(tokens, start, dated_minute, simple_day, plain_stretch)
    if found is None or not found[0].intervals:
        return None
    for words, modifier in _AFTERWARDS:
        end = after(tokens, found[1], *words)
        if end is not None and _closes(tokens, end):
            if modifier == "after" and start > at and tokens.word(at) in {"从", "自"}:
                modifier = "since"
            return opened(found[0], modifier), end
    return None


def _closes(tokens: TokenStream, end: int) -> bool:
    """Not 之前后, 前天, 后面."""
    is_single = tokens.word(end - 1) in {"前", "后", "起", "止", "始"} and tokens.word(end - 2) not in {
        "之",
        "以",
        "开",
    }
    return not (
        is_single and tokens.word(end) in {"天", "后", "面", "来", "往", "半", "一", "几", "两", "床", "飞", "诉", "痛"}
    )
