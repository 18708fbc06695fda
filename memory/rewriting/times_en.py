"""English expressions of time, resolved against the event's wall clock.

"Last Friday" is the latest Friday before the event; "next Friday" that of the following week, as 下周五 is. What surely
means whole days is read by the grammar in ``timex`` as well; these rules add what it leaves open: parts of a day,
"the end of the month", "recently", counts of "a few".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Final

from foundation.language import month_number, weekday_number
from foundation.lexicon import read_lexicon
from memory.rewriting import time_phrases
from memory.rewriting.protected_spans import preceded_by
from memory.rewriting.time_phrases import Phrase

_WORDS: Final = read_lexicon(__file__, "times").of("en")

Resolver = Callable[[re.Match[str], datetime], Phrase | None]

_WINTERS_LAST_MONTH: Final = 2
_SEASON_ENDS: Final = {"spring": 5, "summer": 8, "autumn": 11, "fall": 11, "winter": 12}
NUMBERS: Final = _WORDS.numbers("numbers")
_FUTURE = _WORDS.pattern("future", re.IGNORECASE)
_HOW_OFTEN = _WORDS.pattern("how_often", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.!?]\s|\n")
LONGEST_SENTENCE: Final = 400
"""Characters to either side. In what goes on for longer the words that say when stand nearer than that."""


def _number(word: str) -> int:
    return int(word) if word.isdigit() else NUMBERS[" ".join(word.lower().split())]


def shifted(now: datetime, amount: int, unit: str) -> Phrase:
    """``amount`` units from ``now``, as exactly as the unit allows: weeks roughly, months as months."""
    if unit in {"minute", "hour", "min", "hr"}:
        return time_phrases.at_minute(_later(now, amount * (60 if unit.startswith("h") else 1)), "at about", "左右")
    if unit == "month":
        return time_phrases.in_month(time_phrases.month_away(now, amount))
    if unit in {"year", "decade"}:
        return time_phrases.in_year(max(1, now.year + amount * (10 if unit == "decade" else 1)))
    if unit in {"week", "fortnight"}:
        return time_phrases.around(now.date() + timedelta(weeks=amount * (2 if unit == "fortnight" else 1)))
    return time_phrases.on_day(now.date() + timedelta(days=amount))


def _later(now: datetime, minutes: int) -> datetime:
    """So many minutes of real time later: where the clock is put forward, an hour before 03:30 it was 01:30."""
    return (now.astimezone(UTC) + timedelta(minutes=minutes)).astimezone(now.tzinfo)


def _day(offset: int) -> Resolver:
    def resolve(match: re.Match[str], now: datetime) -> Phrase:
        part = (match.groupdict().get("part") or "").lower()
        return time_phrases.on_day(now.date() + timedelta(days=offset), part, _CHINESE_PARTS.get(part, ""))

    return resolve


_CHINESE_PARTS: Final = {"morning": "早上", "afternoon": "下午", "evening": "晚上", "night": "夜里"}


def _weekday(match: re.Match[str], now: datetime) -> Phrase | None:
    """None for "previous Monday" on a Thursday: of this week, or of the week before."""
    wanted, which = weekday_number(match["day"]), match["which"].lower()
    if which == "previous" and wanted < now.weekday():
        return None
    if which in {"last", "this past", "past", "previous"}:
        day = now.date() - timedelta(days=(now.weekday() - wanted - 1) % 7 + 1)
    else:
        day = time_phrases.monday(now.date()) + timedelta(days=wanted + (7 if which == "next" else 0))
        if which in {"this coming", "coming"} and day <= now.date():
            day += timedelta(days=7)
    part = (match["part"] or "").lower()
    return time_phrases.on_day(day, part, _CHINESE_PARTS.get(part, ""))


def _step(which: str) -> int:
    return {
        "last": -1,
        "past": -1,
        "this past": -1,
        "previous": -1,
        "next": 1,
        "coming": 1,
        "this coming": 1,
    }.get(which.lower(), 0)


def _unit(match: re.Match[str], now: datetime) -> Phrase:
    return _period(match["unit"].lower(), _step(match["which"]), now.date())


def _period(unit: str, step: int, today: date, part: str = "") -> Phrase:
    if unit == "week":
        return time_phrases.in_week(today + timedelta(weeks=step), part)
    if unit == "weekend":
        return time_phrases.on_weekend(today + timedelta(weeks=step))
    if unit == "month":
        return time_phrases.in_month(time_phrases.month_away(today, step), part)
    if unit == "quarter":
        return time_phrases.in_quarter(time_phrases.month_away(today, 3 * step), part)
    return time_phrases.in_year(today.year + step, part)


def _season(match: re.Match[str], now: datetime) -> Phrase:
    """Winter counts to the year it begins in: in January "this winter" began the year before."""
    season, step = match["season"].lower(), _step(match["which"])
    if season == "winter" and now.month <= _WINTERS_LAST_MONTH:
        return time_phrases.in_season(season, now.year - 1 + step)
    over = now.month > _SEASON_ENDS[season]
    year = now.year - (step < 0 and not over) + (step > 0 and now.month > _SEASON_ENDS[season] - 3)
    return time_phrases.in_season(season, year)


def _month_name(match: re.Match[str], now: datetime) -> Phrase:
    month, step = month_number(match["month"]), _step(match["which"])
    year = now.year - (step < 0 and month >= now.month) + (step > 0 and month <= now.month)
    return time_phrases.in_month(date(year, month, 1))


def _ago(match: re.Match[str], now: datetime) -> Phrase:
    return _half(match, now, -1) or shifted(now, -_number(match["n"]), match["unit"].lower())


def _ahead(match: re.Match[str], now: datetime) -> Phrase | None:
    if not _is_ahead(match):
        return None
    return _half(match, now, 1) or shifted(now, _number(match["n"]), match["unit"].lower())


def _is_ahead(match: re.Match[str]) -> bool:
    """Whether "in two weeks" says when, and not how long something took."""
    return not match["lead"] or bool(match["time"]) or _FUTURE.search(_sentence_of(match)) is not None


def _half(match: re.Match[str], now: datetime, sign: int) -> Phrase | None:
    """Half an hour, half a year; half of any other unit is no more than about now. None for whole numbers."""
    if not match["n"].lower().startswith("half"):
        return None
    amount = {"year": 6, "hour": 30, "hr": 30}.get(match["unit"].lower())
    if amount is None:
        return time_phrases.around(now.date())
    return shifted(now, sign * amount, "month" if match["unit"].lower() == "year" else "minute")


def _sentence_of(match: re.Match[str]) -> str:
    """The sentence around a match, as far as anybody reads it as one."""
    text = match.string
    first, last = max(0, match.start() - LONGEST_SENTENCE), match.end() + LONGEST_SENTENCE
    before = [end.end() for end in _SENTENCE_END.finditer(text, first, match.start())]
    after = _SENTENCE_END.search(text, match.end(), last)
    return text[before[-1] if before else first : after.start() if after else last]


def _some_ago(match: re.Match[str], now: datetime) -> Phrase:
    """ "A few days ago", "a week or two ago": the words stay, before the event's day."""
    at = f"{now:%H:%M} on " if match["unit"].lower() in {"minute", "hour"} else ""
    words = f"{match['words'].lower()} before {at}{time_phrases.english_date(now)}"
    return Phrase("", words, f"{time_phrases.chinese_date(now)}之前不久")


def _some_ahead(match: re.Match[str], now: datetime) -> Phrase | None:
    """ "In a few weeks", "in a year or two"."""
    words = f"{match['words'].lower()} after {time_phrases.english_date(now)}"
    return Phrase("", words, f"{time_phrases.chinese_date(now)}之后一段时间") if _is_ahead(match) else None


def _counted_from_day(match: re.Match[str], now: datetime) -> Phrase:
    """ "A week ago today", "a fortnight from tomorrow", "two weeks today"."""
    sign = -1 if (match["side"] or "").lower() in {"ago", "before"} else 1
    anchor = now + timedelta(days={"yesterday": -1, "today": 0, "tomorrow": 1}[match["anchor"].lower()])
    unit = match["unit"].lower()
    days = {"day": 1, "week": 7, "fortnight": 14}.get(unit)
    if days is None:
        return shifted(anchor, sign * _number(match["n"]), unit)
    return time_phrases.on_day(anchor.date() + timedelta(days=sign * days * _number(match["n"])))


def _counted_from_weekday(match: re.Match[str], now: datetime) -> Phrase | None:
    """ "A week from Friday", "a week on Friday", "Friday week": so many weeks after the next Friday. None for a habit:
    "once a week on Friday".
    """
    if preceded_by(_HOW_OFTEN, match.string, match.start()):
        return None
    found = match.groupdict()
    ahead = (weekday_number(match["day"]) - now.weekday() - 1) % 7 + 1
    weeks = (_number(found["n"]) if found.get("n") else 1) * (2 if found.get("unit", "").lower() == "fortnight" else 1)
    return time_phrases.on_day(now.date() + timedelta(days=ahead + 7 * weeks))


def _weekday_beyond(match: re.Match[str], now: datetime) -> Phrase:
    """ "The Friday before last", "the Friday after next"."""
    wanted, is_past = weekday_number(match["day"]), match["side"].lower() == "before last"
    if is_past:
        return time_phrases.on_day(now.date() - timedelta(days=(now.weekday() - wanted - 1) % 7 + 8))
    return time_phrases.on_day(time_phrases.monday(now.date()) + timedelta(days=wanted + 14))


def _long_ago(match: re.Match[str], now: datetime) -> Phrase:
    words = f"{match['n'].lower()} before {time_phrases.english_date(now)}"
    return Phrase("", words, f"{time_phrases.chinese_date(now)}之前很久")


def _stretch(match: re.Match[str], now: datetime) -> Phrase:
    words = " ".join(filter(None, [match["n"], match["unit"]])).lower()
    ahead = match["side"].lower() not in {"last", "past"}
    return time_phrases.stretch(words, "之后的一段时间" if ahead else "之前的一段时间", now.date(), ahead=ahead)


def _edge(match: re.Match[str], now: datetime) -> Phrase:
    part = {"start": "beginning"}.get(match["edge"].lower(), match["edge"].lower())
    return _period(match["unit"].lower(), 0, now.date(), part)


def _tonight(_: re.Match[str], now: datetime) -> Phrase:
    return time_phrases.on_day(now.date(), "evening", "晚上")


def lately(_: re.Match[str], now: datetime) -> Phrase:
    """About the day of the event: "recently", 最近."""
    return time_phrases.around(now.date())


def just_now(_: re.Match[str], now: datetime) -> Phrase:
    """Shortly before the minute of the event: "just now", 刚才."""
    return time_phrases.at_minute(now, "shortly before", "前不久")


def later(_: re.Match[str], now: datetime) -> Phrase:
    """After the minute of the event: "soon", 稍后."""
    return time_phrases.at_minute(now, "after", "之后")


_RESOLVERS: Final[Mapping[str, Resolver]] = {
    "day_before_yesterday": _day(-2),
    "day_after_tomorrow": _day(2),
    "yesterday": _day(-1),
    "today": _day(0),
    "tomorrow": _day(1),
    "tonight": _tonight,
    "weekday": _weekday,
    "season": _season,
    "month_name": _month_name,
    "unit": _unit,
    "weekday_beyond": _weekday_beyond,
    "counted_from_day": _counted_from_day,
    "counted_from_weekday": _counted_from_weekday,
    "ago": _ago,
    "some_ago": _some_ago,
    "long_ago": _long_ago,
    "ahead": _ahead,
    "some_ahead": _some_ahead,
    "stretch": _stretch,
    "edge": _edge,
    "just_now": just_now,
    "lately": lately,
    "later": later,
}
RULES: Final[Sequence[tuple[re.Pattern[str], Resolver]]] = [
    (rule["pattern"], _RESOLVERS[rule["means"]]) for rule in _WORDS.rules("rules", re.IGNORECASE)
]
