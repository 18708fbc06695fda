"""Chinese days: dates, weekdays, feasts, and days counted from now."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Final

from foundation.lexicon import read_lexicon
from memory.rewriting.timex import calendar
from memory.rewriting.timex.en_days import monthly
from memory.rewriting.timex.meanings import Meaning, Read, counted, fixed, longest, of_year, weekly, yearly
from memory.rewriting.timex.tokens import TokenStream, rule
from memory.rewriting.timex.zh_words import ERAS, after, digits, length, number, past, weekday

_WORDS: Final = read_lexicon(__file__, "days").of("zh")

_DAYS: Final = _WORDS.numbers("days")

_BEFORE_AND_AFTER: Final = frozenset(_WORDS.words("before_and_after"))
"""Before these 前 and 后 belong to another word: 雨后, 以前, 午后."""

_OPEN_DAYS: Final = _WORDS.numbers("open_days")

_YEARS: Final = _WORDS.numbers("years")

STEPS: Final = _WORDS.numbers("steps")

_FEASTS: Final = _WORDS.read("feasts", dict[str, tuple[int, int]])


@rule
def simple_day(tokens: TokenStream, at: int) -> Read | None:
    """A day."""
    return longest(tokens, at, spoken_day, dated_day, numeric_day, week_day, feast)


@rule
def day(tokens: TokenStream, at: int) -> Read | None:
    """A day, counted or not."""
    return longest(tokens, at, simple_day, counted_day)


@rule
def spoken_day(tokens: TokenStream, at: int) -> Read | None:
    """今天, 昨晚 (its part is read by itself), 次日."""
    for words, offset in (*_DAYS.items(), *_OPEN_DAYS.items()):
        end = after(tokens, at, words)
        if end is None or _is_another_word(tokens, at, end):
            continue
        made = fixed("date", calendar.on_day((tokens.now + timedelta(days=offset)).date()), is_open=words in _OPEN_DAYS)
        is_part = words[-1] in "早晚夜晨"
        return made, end - is_part
    return None


def _is_another_word(tokens: TokenStream, at: int, end: int) -> bool:
    """Whether 后天 or 前天 ends another word, 以后天天, or begins one, 后天性."""
    if tokens.word(at) in {"前", "后"} and tokens.word(at - 1) in _BEFORE_AND_AFTER:
        return True
    return tokens.word(end) in {"气", "性", "晴", "免", "培"} or (tokens.word(end) == "天" and tokens.word(at) == "后")


@rule
def year(tokens: TokenStream, at: int) -> tuple[tuple[int, bool], int] | None:
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


def _figured_year(tokens: TokenStream, at: int) -> tuple[tuple[int, bool], int] | None:
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
def month(tokens: TokenStream, at: int) -> tuple[int, int] | None:
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
def day_of_month(tokens: TokenStream, at: int) -> tuple[int, int] | None:
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


def _is_no_label(tokens: TokenStream, at: int) -> bool:
    """Whether 号 does not number a thing, as in 1号线 (a metro line) and 3号楼 (a building)."""
    return tokens.word(at + 1) not in {"线", "楼", "院", "店", "机", "位", "门", "元", "厅", "房", "桌", "仓", "码"}


@rule
def dated_day(tokens: TokenStream, at: int) -> Read | None:
    """2016年12月3日, 十月初一, 上个月29号, 29日, 大年三十; a weekday behind it is read but adds nothing."""
    found = _dated(tokens, past(tokens, at, "农历", "阴历", "旧历"))
    if found is None:
        return None
    bracket = past(tokens, found[1], ",", "，", "(", "（", "、", "是")
    named = weekday(tokens, bracket)
    if named is None:
        return found
    return found[0], past(tokens, named[1], ")", "）") if tokens.word(bracket - 1) in {"(", "（"} else named[1]


def _dated(tokens: TokenStream, at: int) -> Read | None:
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


def _of_a_near_month(tokens: TokenStream, at: int) -> Read | None:
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
def numeric_day(tokens: TokenStream, at: int) -> Read | None:
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


def near_step(tokens: TokenStream, at: int) -> tuple[int, int] | None:
    """上, 上上, 这, 本, 下 with 一个 or 个 after it."""
    for words, step in STEPS.items():
        end = after(tokens, at, words)
        if end is not None:
            return step, past(tokens, end, "一个", "个", "一")
    return None


@rule
def week_day(tokens: TokenStream, at: int) -> Read | None:
    """星期一, 上周五, 下个礼拜三."""
    step = near_step(tokens, at)
    if step and (named := weekday(tokens, step[1])):
        return fixed("date", calendar.weekday_of(tokens.now, named[0], step[0])), named[1]
    plain = weekday(tokens, at)
    return (weekly(tokens, plain[0]), plain[1]) if plain else None


@rule
def feast(tokens: TokenStream, at: int) -> Read | None:
    """圣诞节, 去年国庆."""
    of = year(tokens, at)
    start = past(tokens, of[1], "的") if of else at
    for words, (number_of_month, number_of_day) in _FEASTS.items():
        end = after(tokens, start, words)
        if end is not None:
            meaning = _on_feast(tokens, number_of_month, number_of_day)
            return (of_year(meaning, of[0][0], is_relative=of[0][1]) if of else meaning), end
    return None


def _on_feast(tokens: TokenStream, number_of_month: int, number_of_day: int) -> Meaning:
    return yearly(tokens, lambda of: calendar.calendar_day(of, number_of_month, number_of_day), is_day=True)


@rule
def counted_day(tokens: TokenStream, at: int) -> Read | None:
    """三天前, 两个月以后, 2小时后, 再过两周. What lies ahead is open but for 再过: it may not count from now."""
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


def _begins_another_word(tokens: TokenStream, end: int) -> bool:
    """Whether the expression goes on and means something else: 三天前后, 两年后的今天."""
    return tokens.word(end) in {"后", "天"} or after(tokens, end, "的今天") is not None


@rule
def near_month(tokens: TokenStream, at: int) -> Read | None:
    """上个月, 本月, 下下个月."""
    step = near_step(tokens, at)
    if step is None or tokens.word(step[1]) != "月" or tokens.word(at - 1) in {"晚", "早", "马"}:
        return None  # 晚上, 早上 and 马上 are words of their own
    found = calendar.month_stretch(tokens.now.year, tokens.now.month + step[0])
    return fixed("range", found, grain="month"), step[1] + 1
