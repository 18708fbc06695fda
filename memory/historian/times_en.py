"""English expressions of time, resolved against the event's wall clock.

"Last Friday" is the latest Friday before the event; "next Friday" that of the following week, as 下周五 is.
"""

# ruff: noqa: E501 - a pattern and what it means are read on one line

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime, timedelta
from typing import Final

from memory.historian import phrases
from memory.historian.phrases import Phrase

Resolver = Callable[[re.Match[str], datetime], Phrase | None]

_DAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS: Final = tuple(name.lower() for name in phrases.MONTHS)
_SEASON_ENDS: Final = {"spring": 5, "summer": 8, "autumn": 11, "fall": 11, "winter": 12}
_NUMBERS: Final = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "a couple of": 2, "couple of": 2, "half a": 0,
}  # fmt: skip
_N = r"(?:\d{1,3}|half a|a couple of|couple of|twelve|eleven|ten|nine|eight|seven|six|five|four|three|two|one|an|a)"
_FEW = r"(?:a few|few|several|some|many)"
_WEEKDAY = "|".join(_DAYS)
_PART = r"morning|afternoon|evening|night"
_FUTURE = re.compile(
    r"\b(?:will|going to|plans?|planning|starts?|begins?|leaves?|leaving|moving|moves|flying|"
    r"travell?ing|due|expires?|wants?|hopes?|"
    r"expects?|scheduled|arrives?|returns?|ends?|opens?|retires?|getting married|meets?|visiting|"
    r"have to|has to|must)\b|'ll\b",
    re.IGNORECASE,
)


def _number(word: str) -> int:
    return int(word) if word.isdigit() else _NUMBERS[" ".join(word.lower().split())]


def shifted(now: datetime, amount: int, unit: str) -> Phrase:
    """``amount`` units from ``now``, as exactly as the unit allows: weeks roughly, months as months."""
    if unit in {"minute", "hour", "min", "hr"}:
        moved = now + timedelta(minutes=amount * (60 if unit.startswith("h") else 1))
        return phrases.at_minute(moved, "at about", "左右")
    if unit == "month":
        return phrases.in_month(phrases.month_away(now, amount))
    if unit in {"year", "decade"}:
        return phrases.in_year(max(1, now.year + amount * (10 if unit == "decade" else 1)))
    if unit == "week":
        return phrases.around(now.date() + timedelta(weeks=amount))
    return phrases.on_day(now.date() + timedelta(days=amount))


def _day(offset: int) -> Resolver:
    def resolve(match: re.Match[str], now: datetime) -> Phrase:
        part = (match.groupdict().get("part") or "").lower()
        return phrases.on_day(now.date() + timedelta(days=offset), part, _CHINESE_PARTS.get(part, ""))

    return resolve


_CHINESE_PARTS: Final = {"morning": "早上", "afternoon": "下午", "evening": "晚上", "night": "夜里"}


def _weekday(match: re.Match[str], now: datetime) -> Phrase:
    wanted, which = _DAYS.index(match["day"].lower()), match["which"].lower()
    if which in {"last", "this past", "past"}:
        day = now.date() - timedelta(days=(now.weekday() - wanted - 1) % 7 + 1)
    else:
        day = phrases.monday(now.date()) + timedelta(days=wanted + (7 if which == "next" else 0))
        if which in {"this coming", "coming"} and day <= now.date():
            day += timedelta(days=7)
    part = (match["part"] or "").lower()
    return phrases.on_day(day, part, _CHINESE_PARTS.get(part, ""))


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
    step, unit, today = _step(match["which"]), match["unit"].lower(), now.date()
    if unit == "week":
        return phrases.in_week(today + timedelta(weeks=step))
    if unit == "weekend":
        return phrases.on_weekend(today + timedelta(weeks=step))
    if unit == "month":
        return phrases.in_month(phrases.month_away(now, step))
    if unit == "quarter":
        return phrases.in_quarter(phrases.month_away(now, 3 * step))
    return phrases.in_year(today.year + step)


def _season(match: re.Match[str], now: datetime) -> Phrase:
    season, step = match["season"].lower(), _step(match["which"])
    over = now.month > _SEASON_ENDS[season]
    year = now.year - (step < 0 and not over) + (step > 0 and now.month > _SEASON_ENDS[season] - 3)
    return phrases.in_season(season, year)


def _month_name(match: re.Match[str], now: datetime) -> Phrase:
    month, step = _MONTHS.index(match["month"].lower()) + 1, _step(match["which"])
    year = now.year - (step < 0 and month >= now.month) + (step > 0 and month <= now.month)
    return phrases.in_month(date(year, month, 1))


def _ago(match: re.Match[str], now: datetime) -> Phrase:
    if match["n"].lower().startswith("half"):
        return shifted(now, -6, "month") if match["unit"].lower() == "year" else phrases.around(now.date())
    return shifted(now, -_number(match["n"]), match["unit"].lower())


def _ahead(match: re.Match[str], now: datetime) -> Phrase | None:
    if match["lead"] and not _FUTURE.search(match.string):
        return None
    if match["n"].lower().startswith("half"):
        return shifted(now, 6, "month") if match["unit"].lower() == "year" else phrases.around(now.date())
    return shifted(now, _number(match["n"]), match["unit"].lower())


def _few_ago(match: re.Match[str], now: datetime) -> Phrase:
    words = f"{match['n'].lower()} {match['unit'].lower()}s"
    return Phrase("", f"{words} before {phrases.english_date(now)}", f"{phrases.chinese_date(now)}之前不久")


def _past_stretch(match: re.Match[str], now: datetime) -> Phrase:
    return phrases.stretch(f"{match['n'].lower()} {match['unit'].lower()}", "之前的一段时间", now.date())


def _edge(match: re.Match[str], now: datetime) -> Phrase:
    part = {"start": "beginning"}.get(match["edge"].lower(), match["edge"].lower())
    if match["unit"].lower() == "month":
        return phrases.in_month(now.date(), part)
    return phrases.in_year(now.year, part)


def _p(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"\b{pattern}\b", re.IGNORECASE)


_WHICH = r"(?P<which>last|next|this past|this coming|this|past|coming|previous)"
_UNITS = r"(?P<unit>minute|min|hour|hr|day|week|month|year|decade)s?"

RULES: Final[tuple[tuple[re.Pattern[str], Resolver], ...]] = (
    (_p(rf"the day before yesterday(?: (?P<part>{_PART}))?"), _day(-2)),
    (_p(rf"the day after tomorrow(?: (?P<part>{_PART}))?"), _day(2)),
    (_p(rf"(?:earlier |later )?today(?: (?P<part>{_PART}))?"), _day(0)),
    (_p(rf"yesterday(?: (?P<part>{_PART}))?"), _day(-1)),
    (_p(rf"tomorrow(?: (?P<part>{_PART}))?"), _day(1)),
    (_p(r"(?:earlier |later )?this (?P<part>morning|afternoon|evening)"), _day(0)),
    (_p(r"tonight"), lambda _, now: phrases.on_day(now.date(), "evening", "晚上")),
    (_p(r"last (?P<part>night|evening)"), _day(-1)),
    (_p(rf"(?:the )?{_WHICH} (?P<day>{_WEEKDAY})(?: (?P<part>{_PART}))?"), _weekday),
    (_p(rf"{_WHICH} (?P<season>spring|summer|autumn|fall|winter)"), _season),
    (_p(rf"{_WHICH} (?P<month>{'|'.join(_MONTHS)})(?! \d)"), _month_name),
    (_p(r"(?:earlier |later )?(?P<which>last|next|this past|this coming|this) (?P<unit>weekend|week|month|quarter|year)"), _unit),
    (_p(rf"(?:about |around |over |almost )?(?P<n>{_N}) {_UNITS} ago"), _ago),
    (_p(rf"(?P<n>{_FEW}) (?P<unit>minute|hour|day|week|month|year)s ago"), _few_ago),
    (_p(rf"(?P<lead>in) (?P<n>{_N}) {_UNITS}(?:' time)?(?! ago)"), _ahead),
    (_p(rf"(?P<lead>)(?P<n>{_N}) {_UNITS} from (?:now|today)"), _ahead),
    (_p(rf"(?:the )?(?:last|past) (?P<n>few|couple of|several|{_N}) (?P<unit>days|weeks|months|years)"), _past_stretch),
    (_p(r"(?:the )?(?P<edge>end|beginning|start|middle) of the (?P<unit>month|year)(?! \d)"), _edge),
    (_p(r"just now|a (?:moment|minute|second|while) ago|moments ago"), lambda _, now: phrases.at_minute(now, "shortly before", "前不久")),
    (_p(r"(?:very |just )?recently|lately|these days|nowadays|the other day"), lambda _, now: phrases.around(now.date())),
    (_p(r"(?:very |pretty )?soon|later(?: on)?"), lambda _, now: phrases.at_minute(now, "after", "之后")),
)  # fmt: skip
