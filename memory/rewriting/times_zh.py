"""Chinese expressions of time, resolved against the event's wall clock. Weeks run from Monday to Sunday."""

# ruff: noqa: E501, SIM905 - a pattern and what it means are read on one line

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

from memory.rewriting import time_phrases
from memory.rewriting.time_phrases import Phrase
from memory.rewriting.times_en import Resolver, shifted

_DAYS: Final = {
    "大前": -3, "前": -2, "昨": -1, "今": 0, "当": 0, "明": 1, "后": 2, "大后": 3,
}  # fmt: skip
_YEARS: Final = {"大前": -3, "前": -2, "去": -1, "上": -1, "今": 0, "本": 0, "明": 1, "下": 1, "后": 2}
_STEPS: Final = {"上上": -2, "上": -1, "这": 0, "本": 0, "当": 0, "下": 1, "下下": 2}
_DIGITS: Final = {"一": 1, "二": 2, "两": 2, "俩": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9}
_UNITS: Final = {
    "分钟": "minute", "小时": "hour", "个小时": "hour", "钟头": "hour", "个钟头": "hour", "天": "day", "日": "day",
    "周": "week", "个周": "week",
    "个星期": "week", "星期": "week", "个礼拜": "week", "礼拜": "week", "个月": "month", "年": "year",
}  # fmt: skip
UNIT = "|".join(sorted(_UNITS, key=len, reverse=True))
NUMBER = r"\d{1,3}|[一二两三四五六七八九]?十[一二三四五六七八九]?|[一二两俩三四五六七八九]"
_WEEK = r"(?:周|星期|礼拜)"
_ON = "马晚早加线网路身桌世史实本街际乎爱赶遇"  # 晚上, 线上, 历史上, 爱上: 上 ends a word of its own
_UNDER = "天以乡楼剩留手地之如"
_WHICH = rf"(?P<which>上上|下下|(?<![{_ON}])上|(?<![{_UNDER}])下|这|本)"
NUMERAL = "一二三四五六七八九十百千万两几多半"
AFTER_EVENT = "".join(f"(?<!{word})" for word in "毕业 入职 结婚 出生 离职 开始 手术 上市 成立 创业 工作 之后 分手 考试 出发 退休 过了 住了 学了 等了 做了 用了".split())  # fmt: skip
_OTHER_TIME: Final = re.compile(
    r"(?:[昨前明][天日早晚年]|去年|[今早][早上晚]|中午|下午|晚上|[上下]个?(?:周|月|星期|礼拜|季度)|\d[年月日号点]|[一二三四五六七八九十][月号点]"
    r"|(?:周|星期|礼拜)[一二三四五六日天])"
)
_SENTENCE_END: Final = re.compile(r"[。！？!?；;\n]")
_IS_DONE: Final = re.compile(r"[^，,。！？!?；;\n就要会快将]*了")
_ENGLISH_PARTS: Final = {"早": "morning", "晨": "morning", "晚": "evening", "夜": "night"}
_ENGLISH_EDGES: Final = {
    "底": "end", "末": "end", "下旬": "end", "初": "beginning", "上旬": "beginning", "中": "middle", "中旬": "middle",
}  # fmt: skip
_IN_MINUTES: Final = {"分钟": 1, "小时": 60, "个小时": 60, "钟头": 60, "个钟头": 60}


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
    return time_phrases.on_day(
        now.date() + timedelta(days=_DAYS[match["which"]]), _ENGLISH_PARTS.get(part, ""), chinese
    )


def _week(match: re.Match[str], now: datetime) -> Phrase:
    day = now.date() + timedelta(weeks=_STEPS[match["which"]])
    name = match["day"]
    if not name:
        return time_phrases.in_week(day)
    if name == "末":
        return time_phrases.on_weekend(day)
    offset = 6 if name in "日天" else _DIGITS[name] - 1
    return time_phrases.on_day(time_phrases.monday(day) + timedelta(days=offset))


def _month(match: re.Match[str], now: datetime) -> Phrase:
    edge = match["edge"] or ""
    month = time_phrases.month_away(now, _STEPS[match["which"] or "本"])
    return time_phrases.in_month(month, _ENGLISH_EDGES.get(edge, ""), edge)


def _year(match: re.Match[str], now: datetime) -> Phrase:
    edge = match["edge"] or ""
    year = now.year + _YEARS[match["which"] or "今"]
    return time_phrases.in_year(year, _ENGLISH_EDGES.get(edge[-1:], ""), edge)


def _quarter(match: re.Match[str], now: datetime) -> Phrase:
    return time_phrases.in_quarter(time_phrases.month_away(now, 3 * _STEPS[match["which"]]))


def _sign(match: re.Match[str]) -> int:
    return -1 if "前" in match["side"] else 1


def _unless_counted_from_elsewhere(resolve: Resolver) -> Resolver:
    """In "去年入职，半年后升职" the half year counts from last year, in "两天后好了" from what came before."""

    def resolved(match: re.Match[str], now: datetime) -> Phrase | None:
        said, after = match.string[: match.start()], match.string[match.end() :]
        elsewhere = _sign(match) > 0 and (_names_a_time(said) or _IS_DONE.match(after))
        return None if elsewhere else resolve(match, now)

    return resolved


def _names_a_time(said: str) -> bool:
    """Whether a clause that is over, of the sentence that ``said`` ends in, names another time."""
    sentence = _SENTENCE_END.split(said)[-1]
    over = sentence[: max(sentence.rfind("，"), sentence.rfind(","), 0)]
    return _OTHER_TIME.search(over) is not None


@_unless_counted_from_elsewhere
def _shift(match: re.Match[str], now: datetime) -> Phrase:
    return shifted(now, _sign(match) * number(match["n"]), _UNITS[match["unit"]])


@_unless_counted_from_elsewhere
def _half(match: re.Match[str], now: datetime) -> Phrase:
    """半年前, 一年半前, 一个半小时前: so many whole units and a half."""
    sign, whole, unit = _sign(match), number(match["n"]) if match["n"] else 0, match["unit"]
    if unit == "年":
        return shifted(now, sign * (12 * whole + 6), "month")
    if unit in _IN_MINUTES:
        return shifted(now, sign * (2 * whole + 1) * _IN_MINUTES[unit] // 2, "minute")
    days = {"个月": 30, "月": 30, "周": 7, "星期": 7, "个星期": 7}.get(unit)
    if days is None:
        return shifted(now, sign * (24 * whole + 12), "hour")
    return time_phrases.around(now.date() + timedelta(days=sign * (2 * whole + 1) * days // 2))


@_unless_counted_from_elsewhere
def _several(match: re.Match[str], now: datetime) -> Phrase:
    """几天前, 十几年前, 多年前: the words stay, from the event's day on."""
    side, word = ("之前", "before") if _sign(match) < 0 else ("之后", "after")
    unit = _UNITS.get(match["unit"].removesuffix("多"), "month")
    clock = f"{now:%H:%M}" if match["unit"] in _IN_MINUTES else ""
    return Phrase(
        "",
        f"a few {unit}s {word} {f'{clock} on ' if clock else ''}{time_phrases.english_date(now)}",
        f"{time_phrases.chinese_date(now)}{clock}{side}{match['n']}{match['unit']}",
    )


def _stretch(match: re.Match[str], now: datetime) -> Phrase:
    """过去三年, 未来两周."""
    ahead = match["side"] not in {"最近", "过去", "近", "这"}
    words = f"{match['n']}{match['unit']}"
    return time_phrases.stretch(
        f"{_UNITS.get(match['unit'], 'month')}s", f"{'之后' if ahead else '之前'}的{words}", now.date(), ahead=ahead
    )


def _half_year(match: re.Match[str], now: datetime) -> Phrase:
    which, english = {"上": ("上半年", "first"), "下": ("下半年", "second")}[match["which"]]
    return Phrase("in", f"the {english} half of {now.year}", f"{now.year}年{which}", f"{now.year}")


def _financial_year(match: re.Match[str], now: datetime) -> Phrase:
    year = now.year + _YEARS[match["which"]]
    return Phrase("in", str(year), f"{year}年度", str(year))


def _around(_: re.Match[str], now: datetime) -> Phrase:
    return time_phrases.around(now.date())


def _minute(english: str, chinese: str) -> Callable[[re.Match[str], datetime], Phrase]:
    return lambda _, now: time_phrases.at_minute(now, english, chinese)


def _c(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


_EITHER = "一两|一二|两三|二三|三四|三五|四五|五六|六七|七八|八九"
_SIDE = r"(?P<side>以前|之前|前|以后|之后|后)(?!后|天(?!气)|的今天)"

RULES: Final[tuple[tuple[re.Pattern[str], Resolver], ...]] = (
    (_c(r"(?P<which>大前|大后|昨|今|明|(?<![以之年天然最雨饭午课事])[前后])(?<!前的今)(?:天|日|儿个?)(?P<part>)(?![气性晴]|免疫|培养)"), _day),
    (_c(r"(?P<which>(?<![午饭])前|昨|今|明)(?:天|日)?(?P<part>[早晚晨夜])(?![点些餐饭茶])(?:上|晨|间|里)?"), _day),
    (_c(rf"{_WHICH}(?:一)?个?{_WEEK}(?P<day>[一二三四五六日天末]?)(?![年岁])"), _week),
    (_c(rf"{_WHICH}(?:一)?个?月(?P<edge>[上中下]旬|底|末|初|中)?"), _month),
    (_c(rf"(?<![\d日月个每正腊{NUMERAL}])(?P<which>)月(?P<edge>底|初|末)"), _month),
    (_c(r"(?<![\d过几数多以])(?P<which>今|去|明|大前|前|后)年(?![轻龄代份纪])(?P<edge>年?底|年?末|年?初|年中)?"), _year),
    (_c(rf"(?<![\d日年每今去明前后大常全周岁{NUMERAL}])(?P<which>)(?P<edge>年底|年末|年初)(?![蕴{NUMERAL}])"), _year),
    (_c(r"(?P<which>[本上下])年度"), _financial_year),
    (_c(r"(?<![年\d])(?P<which>[上下])半年"), _half_year),
    (_c(r"(?P<which>上上|上|下下|下|这|本)(?:一)?个?季度"), _quarter),
    (_c(rf"(?<![\d十百千第月]){AFTER_EVENT}(?P<n>{NUMBER})(?P<unit>{UNIT}){_SIDE}"), _shift),
    (_c(rf"再过(?P<n>{NUMBER})(?P<unit>{UNIT})(?P<side>)(?![前后])"), _shift),
    (_c(rf"(?<![\d十第月年天上下大小{NUMERAL}])(?P<n>)半(?P<unit>年|个?月|个?小时|天){_SIDE}"), _half),
    (_c(r"再过(?P<n>)半(?P<unit>年|个?月|个?小时|天)(?P<side>)(?![前后])"), _half),
    (_c(rf"(?<![\d第])(?P<n>{NUMBER})(?P<unit>年|天)半{_SIDE}"), _half),
    (_c(rf"(?<![\d第])(?P<n>{NUMBER})个半(?P<unit>小时|钟头|月|星期){_SIDE}"), _half),
    (_c(rf"(?P<n>[好许很]?多|好几|(?:[一二两三四五六七八九]?十)?[几数多]|几十|数十|好多|[一二两三四五六七八九]?十来|{_EITHER})(?P<unit>{UNIT}|月){_SIDE}"), _several),
    (_c(rf"(?<![\d第]){AFTER_EVENT}(?P<n>(?:{NUMBER}|半)个多)(?P<unit>月|星期|礼拜|小时|钟头){_SIDE}"), _several),
    (_c(rf"(?<![\d第]){AFTER_EVENT}(?P<n>{NUMBER}|半)(?P<unit>[年天周]多){_SIDE}"), _several),
    (_c(rf"(?P<n>[大小]半)(?P<unit>年|个月|天){_SIDE}"), _several),
    (_c(r"再过(?P<n>几)(?P<unit>个月|年|周|天|个?星期|个?小时)(?P<side>)(?![前后])"), _several),
    (_c(r"(?P<side>前)(?P<n>几)(?P<unit>个月|年|周|个?星期|个?小时)"), _several),
    (_c(rf"(?P<side>最近|过去|(?<![附将接靠临])近|这(?!一)|未来|接下来的?|今后|往后)(?P<n>{NUMBER}|几|数|半|十几|几十)(?P<unit>{UNIT})(?!前|后|之)"), _stretch),
    (_c(r"刚才|刚刚|方才|适才"), _minute("shortly before", "前不久")),
    (_c(r"稍后|待会儿?|等会儿?|过一会儿?|等一下|等下(?![个周月次礼星])"), _minute("after", "之后")),
    (_c(r"最近(?:一段时间)?|近期|近来|近日|近年来|前几天|前些天|前些日子|前阵子|前段时间|这段时间|这几天|这些天|这阵子|前一阵子?|前不久|不久[之以]?前"), _around),
)  # fmt: skip
