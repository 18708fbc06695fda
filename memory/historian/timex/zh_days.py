"""Chinese days and stretches of days."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Final

from memory.historian.timex import calendar
from memory.historian.timex.core import (
    Meaning,
    Read,
    Tokens,
    counted,
    fixed,
    longest,
    of_year,
    rule,
    weekly,
    yearly,
)
from memory.historian.timex.en_days import monthly
from memory.historian.timex.types import Interval
from memory.historian.timex.zh_words import ERAS, WEEK, after, digits, length, number, past, unit, weekday

_DAYS: Final = {
    "大前天": -3, "大后天": 3, "今天": 0, "今日": 0, "昨天": -1, "昨日": -1, "前天": -2, "前日": -2, "明天": 1,
    "明日": 1,
    "后天": 2, "后日": 2, "今儿": 0, "昨儿": -1, "明儿": 1, "今早": 0, "今晚": 0, "昨晚": -1, "昨夜": -1, "明早": 1,
    "明晚": 1,
    "今夜": 0, "今晨": 0, "明晨": 1, "昨晨": -1, "前晚": -2, "后晚": 2,
}  # fmt: skip
_BEFORE_AND_AFTER: Final = frozenset("以之年天月然最先雨饭午课事")
"""Before these 前 and 后 belong to another word: 雨后, 以前, 午后."""
_OPEN_DAYS: Final = {"次日": 1, "翌日": 1, "第二天": 1, "当天": 0, "当日": 0, "隔天": 1, "前一天": -1, "后一天": 1}
_YEARS: Final = {
    "大前年": -3, "前年": -2, "去年": -1, "上一年": -1, "今年": 0, "本年": 0, "这一年": 0, "明年": 1, "来年": 1,
    "下一年": 1,
    "后年": 2,
}  # fmt: skip
STEPS: Final = {"上上": -2, "上": -1, "这": 0, "本": 0, "下下": 2, "下": 1, "当": 0}
_SEASONS: Final = ("春天", "夏天", "秋天", "冬天", "春季", "夏季", "秋季", "冬季")
_FEASTS: Final = {
    "元旦节": (1, 1), "元旦": (1, 1), "情人节": (2, 14), "妇女节": (3, 8), "植树节": (3, 12), "愚人节": (4, 1),
    "劳动节": (5, 1),
    "青年节": (5, 4), "儿童节": (6, 1), "建党节": (7, 1), "建军节": (8, 1), "教师节": (9, 10), "国庆节": (10, 1),
    "国庆": (10, 1),
    "万圣节": (10, 31), "光棍节": (11, 11), "双十一": (11, 11), "平安夜": (12, 24), "圣诞节": (12, 25),
    "圣诞": (12, 25),
}  # fmt: skip
_BEHIND: Final = ("过去的", "过去", "最近的", "最近", "近", "前", "上", "此前", "刚过去的", "之前")
_AHEAD: Final = (
    "接下来的",
    "接下来",
    "未来的",
    "未来",
    "今后的",
    "今后",
    "往后",
    "后",
    "下",
    "以后的",
    "之后的",
    "随后的",
)


@rule
def simple_day(tokens: Tokens, at: int) -> Read | None:
    """A day."""
    return longest(tokens, at, spoken_day, dated_day, numeric_day, week_day, feast)


@rule
def day(tokens: Tokens, at: int) -> Read | None:
    """A day, counted or not."""
    return longest(tokens, at, simple_day, counted_day)


@rule
def spoken_day(tokens: Tokens, at: int) -> Read | None:
    """今天, 昨晚 (its part is read by itself), 次日."""
    for words, offset in (*_DAYS.items(), *_OPEN_DAYS.items()):
        end = after(tokens, at, words)
        if end is None or _is_another_word(tokens, at, end):
            continue
        made = fixed("date", calendar.on_day((tokens.now + timedelta(days=offset)).date()), is_open=words in _OPEN_DAYS)
        is_part = words[-1] in "早晚夜晨"
        return made, end - is_part
    return None


def _is_another_word(tokens: Tokens, at: int, end: int) -> bool:
    """Whether 后天 or 前天 ends another word, 以后天天, or begins one, 后天性."""
    if tokens.word(at) in {"前", "后"} and tokens.word(at - 1) in _BEFORE_AND_AFTER:
        return True
    return tokens.word(end) in {"气", "性", "晴", "免", "培"} or (tokens.word(end) == "天" and tokens.word(at) == "后")


@rule
def year(tokens: Tokens, at: int) -> tuple[tuple[int, bool], int] | None:
    """The year that is named, and whether it counts from now."""
    for words, offset in _YEARS.items():
        end = after(tokens, at, words)
        if (
            end is not None
            and tokens.word(end) not in {"轻", "龄", "级"}
            and tokens.word(at - 1) not in {"多", "几", "以", "之"}
        ):
            return (tokens.now.year + offset, True), end
    for era, first in ERAS.items():
        start = after(tokens, at, era)
        counted_years = number(tokens, past(tokens, start, "元")) if start is not None else None
        if counted_years and tokens.word(counted_years[1]) == "年":
            return (first + counted_years[0] - 1, False), counted_years[1] + 1
    return _figured_year(tokens, past(tokens, at, "公元"))


def _figured_year(tokens: Tokens, at: int) -> tuple[tuple[int, bool], int] | None:
    found = digits(tokens, at)
    if found is None or tokens.word(found[1]) not in {"年", "财"}:
        return None
    written, end = found
    end += 1 if tokens.word(end) == "年" else 2
    if len(written) == 4:
        return (int(written), False), end
    following = number(tokens, end)
    is_month = following is not None and tokens.word(following[1]) == "月"
    if len(written) == 2 and (written.startswith("0") or is_month or not tokens.word(at).isdecimal()):
        if tokens.word(end) in {"前", "后", "来", "多", "内", "间", "之", "以"} and not is_month:
            return None
        return ((2000 if int(written) < 50 else 1900) + int(written), False), end
    return None


@rule
def month(tokens: Tokens, at: int) -> tuple[int, int] | None:
    """十月, 10月份, 正月, 腊月."""
    named = {"正月": 1, "腊月": 12, "冬月": 11}
    for words, value in named.items():
        if (end := after(tokens, at, words)) is not None:
            return value, end
    found = number(tokens, at)
    if found is None or not 1 <= found[0] <= 12 or tokens.word(found[1]) != "月":
        return None
    return found[0], past(tokens, found[1] + 1, "份")


@rule
def day_of_month(tokens: Tokens, at: int) -> tuple[int, int] | None:
    """十二日, 3号, 初一, 三十."""
    first = after(tokens, at, "初")
    found = number(tokens, at if first is None else first)
    if found is None or not 1 <= found[0] <= 31:
        return None
    if first is not None:
        return found if found[0] <= 10 else None
    return (
        (found[0], found[1] + 1) if tokens.word(found[1]) in {"日", "号"} and _is_no_label(tokens, found[1]) else None
    )


def _is_no_label(tokens: Tokens, at: int) -> bool:
    """Not 1号线, 3号楼."""
    return tokens.word(at + 1) not in {"线", "楼", "院", "店", "机", "位", "门", "元", "厅", "房", "桌", "仓", "码"}


@rule
def dated_day(tokens: Tokens, at: int) -> Read | None:
    """2016年12月3日, 十月初一, 上个月29号, 29日, 大年三十; a weekday after it says no more."""
    found = _dated(tokens, past(tokens, at, "农历", "阴历", "旧历"))
    if found is None:
        return None
    bracket = past(tokens, found[1], ",", "，", "(", "（", "、", "是")
    named = weekday(tokens, bracket)
    if named is None:
        return found
    return found[0], past(tokens, named[1], ")", "）") if tokens.word(bracket - 1) in {"(", "（"} else named[1]


def _dated(tokens: Tokens, at: int) -> Read | None:
    of = year(tokens, at)
    start = past(tokens, of[1], "的", ",", "，") if of else at
    last_of_year = after(tokens, start, "大年三十", "除夕")
    if last_of_year is not None:  # of a lunar calendar that is not reckoned here
        found = calendar.calendar_day(of[0][0], 1, 30) if of and tokens.word(last_of_year - 1) == "十" else None
        return fixed("date", found, is_open=True, is_relative=bool(of and of[0][1])), last_of_year
    named = month(tokens, start)
    if named is None:
        return _of_a_near_month(tokens, at) if of is None else None
    number_at = past(tokens, named[1], "的")
    in_month = day_of_month(tokens, number_at)
    bare = number(tokens, number_at)
    if (
        in_month is None
        and bare
        and 1 <= bare[0] <= 31
        and tokens.word(bare[1]) not in {"个", "天", "月", "年", "周", "点"}
    ):
        in_month = bare
    if in_month is None:
        return None
    is_lunar = tokens.word(number_at) == "初" or tokens.word(start) in {"正", "腊", "冬"}
    meaning = yearly(tokens, lambda of: calendar.calendar_day(of, named[0], in_month[0]), is_day=True)
    meaning = replace(meaning, is_open=is_lunar)
    return (of_year(meaning, of[0][0], is_relative=of[0][1]) if of else meaning), in_month[1]


def _of_a_near_month(tokens: Tokens, at: int) -> Read | None:
    """上个月29号; 29日 alone is that of the last or the next month that has one."""
    found = near_month(tokens, at)
    if found is None:
        only = day_of_month(tokens, at)
        is_date = only is not None and tokens.word(at) != "初"
        return (monthly(tokens, only[0]), only[1]) if only and is_date else None
    in_month = day_of_month(tokens, past(tokens, found[1], "的"))
    first = found[0].intervals[0].start if found[0].intervals else None
    if in_month is None or first is None:
        return None
    return fixed("date", calendar.calendar_day(first.year, first.month, in_month[0])), in_month[1]


@rule
def numeric_day(tokens: Tokens, at: int) -> Read | None:
    """2019-8-6, 2019/8/6, 2019.8.6; 1/2/2020 is the first of February, or the second of January."""
    sign = tokens.word(at + 1)
    if (
        sign not in {"/", "-", "."}
        or tokens.word(at + 3) != sign
        or not all(tokens.is_glued(at + n) for n in range(1, 5))
    ):
        return None
    parts = [tokens.word(at + place) for place in (0, 2, 4)]
    if not all(part.isdecimal() and len(part) <= 4 for part in parts):
        return None
    first, second, third = map(int, parts)
    if len(parts[0]) == 4:
        return fixed("date", calendar.calendar_day(first, second, third), is_relative=False), at + 5
    if len(parts[2]) != 4:
        return None
    found = calendar.calendar_day(third, second, first) or calendar.calendar_day(third, first, second)
    return fixed("date", found, is_relative=False, is_open=first <= 12 and second <= 12), at + 5


def _step(tokens: Tokens, at: int) -> tuple[int, int] | None:
    """上, 上上, 这, 本, 下 with 一个 or 个 after it."""
    for words, step in STEPS.items():
        end = after(tokens, at, words)
        if end is not None:
            return step, past(tokens, end, "一个", "个", "一")
    return None


@rule
def week_day(tokens: Tokens, at: int) -> Read | None:
    """星期一, 上周五, 下个礼拜三."""
    step = _step(tokens, at)
    if step and (named := weekday(tokens, step[1])):
        return fixed("date", calendar.weekday_of(tokens.now, named[0], step[0])), named[1]
    plain = weekday(tokens, at)
    return (weekly(tokens, plain[0]), plain[1]) if plain else None


@rule
def feast(tokens: Tokens, at: int) -> Read | None:
    """圣诞节, 去年国庆."""
    of = year(tokens, at)
    start = past(tokens, of[1], "的") if of else at
    for words, (number_of_month, number_of_day) in _FEASTS.items():
        end = after(tokens, start, words)
        if end is not None:
            meaning = _on_feast(tokens, number_of_month, number_of_day)
            return (of_year(meaning, of[0][0], is_relative=of[0][1]) if of else meaning), end
    return None


def _on_feast(tokens: Tokens, number_of_month: int, number_of_day: int) -> Meaning:
    return yearly(tokens, lambda of: calendar.calendar_day(of, number_of_month, number_of_day), is_day=True)


@rule
def counted_day(tokens: Tokens, at: int) -> Read | None:
    """三天前, 两个月以后, 2小时后, 再过两周. What is told after the time of something else may count from there."""
    again = after(tokens, at, "再过", "过")
    found = length(tokens, at if again is None else again)
    if found is None:
        return None
    if again is not None and tokens.word(at) == "再":
        return counted(tokens, found[0], 1, is_open=found[0].is_vague), past(tokens, found[1], "之后", "以后", "后")
    end = after(tokens, found[1], "以前", "之前", "前", "以后", "之后", "后")
    if end is None or again is not None or _begins_another_word(tokens, end):
        return None
    sign = -1 if tokens.word(end - 1) == "前" else 1
    return counted(tokens, found[0], sign, is_open=found[0].is_vague or sign > 0), end


def _begins_another_word(tokens: Tokens, end: int) -> bool:
    """三天前后, 两年后的今天."""
    return tokens.word(end) in {"后", "天"} or after(tokens, end, "的今天") is not None


@rule
def near_month(tokens: Tokens, at: int) -> Read | None:
    """上个月, 本月, 下下个月."""
    step = _step(tokens, at)
    if step is None or tokens.word(step[1]) != "月" or tokens.word(at - 1) in {"晚", "早", "马"}:
        return None
    found = calendar.month_stretch(tokens.now.year, tokens.now.month + step[0])
    return fixed("range", found, grain="month"), step[1] + 1


@rule
def plain_stretch(tokens: Tokens, at: int) -> Read | None:
    """A stretch of which no part is named."""
    return longest(tokens, at, month_of_year, near_month, whole_year, part_of_year, near_unit, decade)


@rule
def stretch(tokens: Tokens, at: int) -> Read | None:
    """Any stretch of days."""
    return longest(tokens, at, plain_stretch, edge, many_units, nth_of_stretch, season, half_month)


@rule
def whole_year(tokens: Tokens, at: int) -> Read | None:
    """2016年, 去年, 民国三年."""
    found = year(tokens, at)
    if found is None:
        return None
    (value, is_relative), end = found
    return fixed("range", calendar.year_stretch(value), grain="year", is_relative=is_relative), past(
        tokens, end, "度", "全年"
    )


@rule
def month_of_year(tokens: Tokens, at: int) -> Read | None:
    """2018年12月, 去年五月, 八月."""
    of = year(tokens, at)
    named = month(tokens, past(tokens, of[1], "的") if of else at)
    if named is None:
        return None
    meaning = yearly(tokens, lambda of: calendar.month_stretch(of, named[0]), is_day=False, grain="month")
    return (of_year(meaning, of[0][0], is_relative=of[0][1]) if of else meaning), named[1]


@rule
def part_of_year(tokens: Tokens, at: int) -> Read | None:
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


def _part(tokens: Tokens, at: int) -> tuple[tuple[int, int], int] | None:
    """Its first month, and how many it has."""
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
def near_unit(tokens: Tokens, at: int) -> Read | None:
    """上周, 下个季度, 这个周末, 上上个星期."""
    step = _step(tokens, at)
    if step is None or tokens.word(at - 1) in {"晚", "早", "马", "天", "线", "路", "网", "乡"}:
        return None
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
def decade(tokens: Tokens, at: int) -> Read | None:
    """九十年代, 1990年代, 十九世纪七十年代, 21世纪."""
    century = number(tokens, past(tokens, at, "第"))
    century_end = after(tokens, century[1], "世纪") if century else None
    start = at if century_end is None else past(tokens, century_end, "的")
    found = number(tokens, start)
    end = after(tokens, found[1], "年代") if found else None
    if century and century_end is not None and 1 <= century[0] <= 90:
        base = 100 * (century[0] - 1)
        if found and end is not None and found[0] % 10 == 0 and found[0] < 100:
            return fixed("range", calendar.year_stretch(base + found[0], 10), grain="year", is_relative=False), end
        return fixed("range", calendar.year_stretch(base, 100), grain="year", is_relative=False), century_end
    if found is None or end is None or found[0] % 10:
        return None
    if 1000 <= found[0] < 2200:
        return fixed("range", calendar.year_stretch(found[0], 10), grain="year", is_relative=False), end
    base = tokens.now.year // 100 * 100
    both = (calendar.year_stretch(base - 100 + found[0], 10), calendar.year_stretch(base + found[0], 10))
    return fixed("range", *both, grain="year", is_relative=False, is_open=True), end


@rule
def many_units(tokens: Tokens, at: int) -> Read | None:
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
def nth_of_stretch(tokens: Tokens, at: int) -> Read | None:
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
def season(tokens: Tokens, at: int) -> Read | None:
    """A season has no dates of its own."""
    of = year(tokens, at)
    end = after(tokens, past(tokens, of[1], "的") if of else at, *_SEASONS)
    return (Meaning("range", is_open=True), end) if end is not None else None


@rule
def half_month(tokens: Tokens, at: int) -> Read | None:
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
    """From a day of the month to another, counted from 0; to its end where that is 0."""
    assert found.start
    return Interval(found.start + timedelta(days=first), found.start + timedelta(days=last) if last else found.end)


_EDGES: Final = {
    "上旬": (0, 10), "中旬": (10, 20), "下旬": (20, 0), "初": (0, 15), "中": (9, 20), "底": (15, 0), "末": (15, 0),
}  # fmt: skip
_YEAR_EDGES: Final = {
    "年初": (1, 4),
    "初": (1, 4),
    "年中": (5, 4),
    "年底": (9, 4),
    "年末": (9, 4),
    "底": (9, 4),
    "末": (9, 4),
}


@rule
def edge(tokens: Tokens, at: int) -> Read | None:
    """三月初, 上个月底, 2016年底, 年末: how long an edge is, is convention."""
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
