"""Chinese expressions of time, resolved against the event's wall clock. Weeks run from Monday to Sunday."""

# ruff: noqa: E501, SIM905 - a pattern and what it means are read on one line

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

from memory.historian import phrases
from memory.historian.phrases import Phrase
from memory.historian.times_en import Resolver, shifted

_DAYS: Final = {
    "大前": -3, "前": -2, "昨": -1, "今": 0, "当": 0, "明": 1, "后": 2, "大后": 3,
}  # fmt: skip
_YEARS: Final = {"前": -2, "去": -1, "上": -1, "今": 0, "本": 0, "明": 1, "下": 1, "后": 2}
_STEPS: Final = {"上上": -2, "上": -1, "这": 0, "本": 0, "当": 0, "下": 1, "下下": 2}
_DIGITS: Final = {"一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9}
_UNITS: Final = {
    "分钟": "minute", "小时": "hour", "个小时": "hour", "钟头": "hour", "个钟头": "hour", "天": "day", "日": "day",
    "周": "week",
    "个星期": "week", "星期": "week", "个礼拜": "week", "礼拜": "week", "个月": "month", "年": "year",
}  # fmt: skip
_UNIT = "|".join(sorted(_UNITS, key=len, reverse=True))
_N = r"\d{1,3}|[一二两三四五六七八九]?十[一二三四五六七八九]?|[一二两三四五六七八九]"
_WEEK = r"(?:周|星期|礼拜)"
_WHICH = r"(?P<which>上上|下下|(?<![马晚早加线])上|(?<![天以])下|这|本)"
_AFTER_EVENT = "".join(f"(?<!{word})" for word in "毕业 入职 结婚 出生 离职 开始 手术 上市 成立 创业 工作 之后 分手 考试 出发 退休 过了 住了 学了 等了 做了 用了".split())  # fmt: skip
_ENGLISH_PARTS: Final = {"早": "morning", "晨": "morning", "晚": "evening", "夜": "night"}
_ENGLISH_EDGES: Final = {"底": "end", "末": "end", "初": "beginning", "中": "middle"}


def number(text: str) -> int:
    """A Chinese or Arabic numeral below one hundred (or three digits)."""
    if text.isdigit():
        return int(text)
    tens, ten, ones = text.partition("十")
    if not ten:
        return _DIGITS[text]
    return (_DIGITS[tens] if tens else 1) * 10 + (_DIGITS[ones] if ones else 0)


def _day(match: re.Match[str], now: datetime) -> Phrase:
    part = match["part"] or ""
    chinese = {"早": "早上", "晨": "早晨", "晚": "晚上", "夜": "夜里"}.get(part, "")
    return phrases.on_day(now.date() + timedelta(days=_DAYS[match["which"]]), _ENGLISH_PARTS.get(part, ""), chinese)


def _week(match: re.Match[str], now: datetime) -> Phrase:
    day = now.date() + timedelta(weeks=_STEPS[match["which"]])
    name = match["day"]
    if not name:
        return phrases.in_week(day)
    if name == "末":
        return phrases.on_weekend(day)
    offset = 6 if name in "日天" else _DIGITS[name] - 1
    return phrases.on_day(phrases.monday(day) + timedelta(days=offset))


def _month(match: re.Match[str], now: datetime) -> Phrase:
    edge = match["edge"] or ""
    month = phrases.month_away(now, _STEPS[match["which"] or "本"])
    return phrases.in_month(month, _ENGLISH_EDGES.get(edge[:1], ""), edge)


def _year(match: re.Match[str], now: datetime) -> Phrase:
    edge = match["edge"] or ""
    year = now.year + _YEARS[match["which"] or "今"]
    return phrases.in_year(year, _ENGLISH_EDGES.get(edge[-1:], ""), edge)


def _quarter(match: re.Match[str], now: datetime) -> Phrase:
    return phrases.in_quarter(phrases.month_away(now, 3 * _STEPS[match["which"]]))


def _sign(match: re.Match[str]) -> int:
    return -1 if "前" in match["side"] else 1


def _shift(match: re.Match[str], now: datetime) -> Phrase:
    return shifted(now, _sign(match) * number(match["n"]), _UNITS[match["unit"]])


def _half(match: re.Match[str], now: datetime) -> Phrase:
    sign = _sign(match)
    if match["unit"] == "年":
        return shifted(now, sign * 6, "month")
    if match["unit"] == "个月":
        return phrases.around(now.date() + timedelta(days=15 * sign))
    return shifted(now, sign * (30 if "小时" in match["unit"] else 12 * 60), "minute")


def _several(match: re.Match[str], now: datetime) -> Phrase:
    side, word = ("之前", "before") if _sign(match) < 0 else ("之后", "after")
    unit = _UNITS[match["unit"]]
    return Phrase(
        "",
        f"a few {unit}s {word} {phrases.english_date(now)}",
        f"{phrases.chinese_date(now)}{side}几{match['unit']}",
    )


def _around(_: re.Match[str], now: datetime) -> Phrase:
    return phrases.around(now.date())


def _minute(english: str, chinese: str) -> Callable[[re.Match[str], datetime], Phrase]:
    return lambda _, now: phrases.at_minute(now, english, chinese)


def _c(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


RULES: Final[tuple[tuple[re.Pattern[str], Resolver], ...]] = (
    (_c(r"(?P<which>大前|大后|昨|今|明|(?<![以之年天])[前后])(?:天|日)(?P<part>)(?![气性]|免疫|培养)"), _day),
    (_c(r"(?P<which>昨|今|明)(?:天|日)?(?P<part>[早晚晨夜])(?:上|晨|间|里)?"), _day),
    (_c(rf"{_WHICH}(?:一)?个?{_WEEK}(?P<day>[一二三四五六日天末]?)(?![年岁])"), _week),
    (_c(rf"{_WHICH}(?:一)?个?月(?P<edge>中旬|底|末|初|中)?"), _month),
    (_c(r"(?<![\d月个每])(?P<which>)月(?P<edge>底|初|末)"), _month),
    (_c(r"(?<![\d过几数多])(?P<which>今|去|明|前|后)年(?P<edge>年?底|年?末|年?初|年中)?"), _year),
    (_c(r"(?<![\d年每今去明前后])(?P<which>)(?P<edge>年底|年末|年初)"), _year),
    (_c(r"(?P<which>上|这|本|下)个?季度"), _quarter),
    (_c(rf"(?<![\d十第月]){_AFTER_EVENT}(?P<n>{_N})(?P<unit>{_UNIT})(?P<side>以前|之前|前|以后|之后|后)(?!后|天(?!气))"), _shift),
    (_c(r"半(?P<unit>年|个月|个?小时|天)(?P<side>以前|之前|前|以后|之后|后)"), _half),
    (_c(rf"(?:好)?[几数](?P<unit>{_UNIT})(?P<side>以前|之前|前|以后|之后|后)"), _several),
    (_c(r"刚才|刚刚|方才"), _minute("shortly before", "前不久")),
    (_c(r"稍后|待会儿?|等会儿?|过一会儿?|等一下"), _minute("after", "之后")),
    (_c(r"最近(?:几天|一段时间)?|近期|近来|近日|前几天|前些天|前阵子|前段时间|这几天|这阵子|不久前"), _around),
)  # fmt: skip
