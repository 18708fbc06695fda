"""Chinese expressions of time, resolved against the event's wall clock. Weeks run from Monday to Sunday."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

from foundation.language import (
    chinese_numeral,
    weekday_number,
)
from foundation.lexicon import read_lexicon
from memory.rewriting import time_phrases
from memory.rewriting.time_phrases import Phrase
from memory.rewriting.times_en import Resolver, just_now, lately, later, shifted

_WORDS: Final = read_lexicon(__file__, "times").of("zh")
NUMBER: Final = _WORDS.pattern("number")
"""A number in digits or characters."""
_DAYS: Final = _WORDS.numbers("days")
_YEARS: Final = _WORDS.numbers("years")
_STEPS: Final = _WORDS.numbers("steps")
_UNITS: Final = _WORDS.mapping("units")
_IN_MINUTES: Final = _WORDS.numbers("in_minutes")
_PARTS: Final = _WORDS.mapping("parts")
_ENGLISH_PARTS: Final = _WORDS.mapping("english_parts")
_ENGLISH_EDGES: Final = _WORDS.mapping("english_edges")
_OTHER_TIME: Final = _WORDS.pattern("other_time")
_IS_DONE: Final = _WORDS.pattern("is_done")
_SENTENCE_END: Final = re.compile(r"[。！？!?；;\n]")


def _day(match: re.Match[str], now: datetime) -> Phrase:
    part = match["part"] or ""
    day = now.date() + timedelta(days=_DAYS[match["which"]])
    return time_phrases.on_day(day, _ENGLISH_PARTS.get(part, ""), _PARTS.get(part, ""))


def _week(match: re.Match[str], now: datetime) -> Phrase:
    day = now.date() + timedelta(weeks=_STEPS[match["which"]])
    name = match["day"]
    if not name:
        return time_phrases.in_week(day)
    if name == "末":
        return time_phrases.on_weekend(day)
    offset = weekday_number(f"周{name}")
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
    return shifted(now, _sign(match) * (chinese_numeral(match["n"]) or 0), _UNITS[match["unit"]])


@_unless_counted_from_elsewhere
def _half(match: re.Match[str], now: datetime) -> Phrase:
    """半年前, 一年半前, 一个半小时前: so many whole units and a half."""
    sign, whole, unit = _sign(match), chinese_numeral(match["n"] or "") or 0, match["unit"]
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


_RESOLVERS: Final[Mapping[str, Resolver]] = {
    "day": _day,
    "week": _week,
    "month": _month,
    "year": _year,
    "financial_year": _financial_year,
    "half_year": _half_year,
    "quarter": _quarter,
    "shift": _shift,
    "half": _half,
    "several": _several,
    "stretch": _stretch,
    "just_now": just_now,
    "later": later,
    "lately": lately,
}
RULES: Final[Sequence[tuple[re.Pattern[str], Resolver]]] = [
    (rule["pattern"], _RESOLVERS[rule["means"]]) for rule in _WORDS.rules("rules")
]
