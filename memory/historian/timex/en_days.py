"""English days: dates, weekdays, feasts, and days counted from now."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Final

from memory.historian.timex import calendar
from memory.historian.timex.core import (
    Meaning,
    Read,
    Tokens,
    counted,
    counted_from,
    fixed,
    longest,
    of_year,
    rule,
    weekly,
    yearly,
)
from memory.historian.timex.en_words import (
    MONTHS,
    UNITS,
    day_number,
    is_a_name,
    length,
    month,
    ordinal,
    short_year,
    weekday,
    whole,
    year_number,
)
from memory.historian.timex.types import Interval, Kind

STEPS: Final = {
    "last": -1, "past": -1, "previous": -1, "this": 0, "current": 0, "next": 1, "coming": 1, "upcoming": 1,
    "following": 1, "recent": -1,
}  # fmt: skip
PARTS_WITHIN: Final = ("morning", "afternoon", "evening", "night")
_TODAY: Final = {"today": 0, "yesterday": -1, "tomorrow": 1, "tmrw": 1, "tmr": 1, "yday": -1}
_PHRASES: Final = {
    "day before yesterday": -2, "day after tomorrow": 2, "day before last": -2, "day after next": 2,
}  # fmt: skip
_OPEN_DAYS: Final = {
    "the day after": 1, "the next day": 1, "next day": 1, "the following day": 1, "the day before": -1,
    "the previous day": -1, "last day": -1, "previous day": -1, "for the day": 0, "this day": 0,
}  # fmt: skip
_NO_OPEN_DAY: Final = frozenset({"of", "that", "i", "after", "before", "he", "she", "we", "they", "you", "it", "the"})
"""What follows "the day after" where it is the day after something."""
_SEPARATORS: Final = frozenset({"/", "-", "."})
_BEFORE_NUMERIC: Final = frozenset(
    {"on", "by", "from", "to", "until", "till", "since", "before", "after", "between", "-"}
)
_FEASTS: Final[dict[str, tuple[int, int]]] = {
    "christmas": (12, 25), "christmas day": (12, 25), "xmas": (12, 25), "christmas eve": (12, 24),
    "boxing day": (12, 26),
    "new year ' s eve": (12, 31), "new years eve": (12, 31), "new year eve": (12, 31), "new year ' s day": (1, 1),
    "new years day": (1, 1), "new year ' s": (1, 1), "new year": (1, 1), "valentine ' s day": (2, 14),
    "valentines day": (2, 14), "valentine ' s": (2, 14), "halloween": (10, 31), "independence day": (7, 4),
    "saint patrick": (3, 17), "st patrick": (3, 17), "st . patrick": (3, 17), "saint patrick ' s day": (3, 17),
    "st . patrick ' s day": (3, 17), "st patrick ' s day": (3, 17), "saint patricks day": (3, 17),
    "international workers ' day": (5, 1), "workers ' day": (5, 1), "may day": (5, 1),
    "earth day": (4, 22), "groundhog day": (2, 2), "groundhog ' s day": (2, 2), "veterans day": (11, 11),
    "april fools ' day": (4, 1), "april fools": (4, 1), "april fools day": (4, 1), "juneteenth": (6, 19),
    "all saints ' day": (11, 1), "cinco de mayo": (5, 5), "children ' s day": (6, 1), "white day": (3, 14),
    "pi day": (3, 14), "loyalty day": (5, 1), "girls ' day": (3, 7), "youth day": (5, 4), "teacher ' s day": (9, 10),
    "teachers ' day": (9, 10), "teachers day": (9, 10), "singles day": (11, 11), "single ' s day": (11, 11),
    "arbor day": (4, 28), "tree planting day": (3, 12), "inauguration day": (1, 20), "remembrance day": (11, 11),
    "armistice day": (11, 11), "st nicholas day": (12, 6), "flag day": (6, 14),
    "bastille day": (7, 14), "anzac day": (4, 25), "canada day": (7, 1), "australia day": (1, 26),
    "st george ' s day": (4, 23),
    "april fool ' s day": (4, 1), "international women ' s day": (3, 8),
    "all souls day": (11, 2), "epiphany": (1, 6), "guy fawkes day": (11, 5), "women ' s day": (3, 8),
}  # fmt: skip
_NTH_FEASTS: Final[dict[str, tuple[int, int, int, int]]] = {
    "thanksgiving day": (11, 3, 4, 0), "thanksgiving": (11, 3, 4, 0), "black friday": (11, 3, 4, 1),
    "cyber monday": (11, 3, 4, 4), "labor day": (9, 0, 1, 0), "memorial day": (5, 0, -1, 0),
    "mother ' s day": (5, 6, 2, 0), "mothers day": (5, 6, 2, 0), "father ' s day": (6, 6, 3, 0),
    "fathers day": (6, 6, 3, 0), "columbus day": (10, 0, 2, 0), "martin luther king day": (1, 0, 3, 0),
    "mlk day": (1, 0, 3, 0), "martin luther king jr day": (1, 0, 3, 0), "presidents day": (2, 0, 3, 0),
    "president ' s day": (2, 0, 3, 0), "presidents ' day": (2, 0, 3, 0), "us thanksgiving": (11, 3, 4, 0),
    "thanks giving day": (11, 3, 4, 0), "washington ' s birthday": (2, 0, 3, 0), "labour day": (9, 0, 1, 0),
}  # fmt: skip
"""Month, weekday, which of the month's, and days after it."""
_AROUND_EASTER: Final = {
    "easter": 0, "easter sunday": 0, "easter day": 0, "easter monday": 1, "good friday": -2, "ash wednesday": -46,
    "palm sunday": -7, "maundy thursday": -3, "easter saturday": -1,
    "pentecost": 49, "whit sunday": 49, "whit monday": 50, "ascension day": 39, "ascension": 39, "corpus christi": 60,
    "mardi gras": -47, "shrove tuesday": -47,
}  # fmt: skip


@rule
def day(tokens: Tokens, at: int) -> Read | None:
    """Any expression that means a day."""
    return longest(tokens, at, simple_day, counted_day)


@rule
def simple_day(tokens: Tokens, at: int) -> Read | None:
    """A day that is not counted from another."""
    return longest(
        tokens, at, named_day, with_weekday, numeric_day, plain_weekday, relative_weekday, weekday_of_week,
        weekday_of_month, day_of_month, feast, spoken_day,
    )  # fmt: skip


@rule
def month_and_day(tokens: Tokens, at: int) -> Read | None:
    """ "January 2nd, 2019", "dec31", "2nd of January", "06 Jan '15", "May 3 (Friday)": with its year or without."""
    found = longest(tokens, at, _month_first, _day_first)
    if found and tokens.word(found[1]) == "(" and (named := weekday(tokens, found[1] + 1)):
        return (found[0], named[1] + 1) if tokens.word(named[1]) == ")" else found
    return found


def _month_first(tokens: Tokens, at: int) -> Read | None:
    named = month(tokens, at)
    if named is None:
        return None
    day_at = tokens.skip(named[1], "the", "/", "-", ",") if tokens.word(named[1]) != "," else named[1]
    number = day_number(tokens, day_at)
    if number is None or tokens.word(number[1]) in {":", "am", "pm"} or _is_decimal(tokens, number[1]):
        return None
    return _with_year(tokens, named[0], number)


def _day_first(tokens: Tokens, at: int) -> Read | None:
    number = day_number(tokens, at)
    if number is None:
        return None
    named = month(tokens, tokens.skip(number[1], "of", "-", "/"))
    return _with_year(tokens, named[0], (number[0], named[1])) if named else None


def _is_decimal(tokens: Tokens, at: int) -> bool:
    return (
        tokens.word(at) == "." and tokens.is_glued(at) and tokens.is_glued(at + 1) and tokens.word(at + 1).isdecimal()
    )


def _with_year(tokens: Tokens, number: int, found: tuple[int, int]) -> Read:
    """The day with the year that follows, if any does."""
    day_in_month, end = found
    year_at = tokens.skip(tokens.skip(end, ","), "of", "in", "/", "-")
    year = (short_year if year_at != end else year_number)(tokens, year_at)
    if year and tokens.word(year_at - 1) in {"-", "of", "in"} and not _is_year_of_date(tokens, year_at, year[1]):
        year = None

    def in_year(year: int) -> Interval | None:
        return calendar.calendar_day(year, number, day_in_month)

    meaning = yearly(tokens, in_year, is_day=True)
    if year is None and tokens.word(end) in {"this", "of", "next", "last"}:
        step_at = tokens.skip(end, "of")
        if tokens.word(step_at) in STEPS and tokens.word(step_at + 1) == "year":
            return of_year(meaning, tokens.now.year + STEPS[tokens.word(step_at)], is_relative=True), step_at + 2
    return (of_year(meaning, year[0]), year[1]) if year else (meaning, end)


def _is_year_of_date(tokens: Tokens, at: int, end: int) -> bool:
    """ "3 May-2019" has a year; "3 May-20:15" and "3 May-20 June" have none."""
    return len(tokens.word(at)) != 2 or tokens.word(at - 1) == "of" or tokens.word(end) not in {":", "am", "pm"}


@rule
def named_day(tokens: Tokens, at: int) -> Read | None:
    """A month and a day, after "the" or not."""
    return month_and_day(tokens, tokens.skip(at, "the"))


@rule
def with_weekday(tokens: Tokens, at: int) -> Read | None:
    """A weekday before its date: "Friday, March 15th", "this Friday 5/12", "Mon 13th"."""
    start = at + (tokens.word(at) in STEPS)
    named = weekday(tokens, start)
    if named is None:
        return None
    date_at = tokens.skip(tokens.skip(named[1], ","), "the")
    found = longest(tokens, date_at, month_and_day, numeric_day, month_and_day_numeric)
    if found is None or (tokens.word(date_at + 1) == "-" and not _falls_on(found[0], named[0])):
        return _weekday_and_number(tokens, named[0], date_at)
    meaning, end = found
    if start > at and meaning.in_year:
        return of_year(meaning, tokens.now.year, is_relative=True), end
    return found


def _falls_on(meaning: Meaning, wanted: int) -> bool:
    """Whether a date is that weekday: "Friday 7-6" may be the sixth of July, "Monday 11-4" are hours."""
    return any(found.start and found.start.weekday() == wanted for found in meaning.intervals)


def _weekday_and_number(tokens: Tokens, wanted: int, at: int) -> Read | None:
    number = ordinal(tokens, at) or _late_number(tokens, at)
    if number is None or tokens.word(number[1]) in {"of", "week"}:
        return None
    months = [calendar.month_stretch(tokens.now.year, tokens.now.month + away) for away in range(-60, 61)]
    days = [calendar.calendar_day(m.start.year, m.start.month, number[0]) for m in months if m and m.start]
    fitting = [found for found in days if found and found.start and found.start.weekday() == wanted]
    over = [found for found in fitting if calendar.is_over(found, tokens.now, is_day=True)]
    return fixed("date", *over[-1:], *fitting[len(over) : len(over) + 1]), number[1]


def _late_number(tokens: Tokens, at: int) -> tuple[int, int] | None:
    """The 13 of "Friday 13": a smaller one may be an hour."""
    number = whole(tokens, at)
    is_day = number and 12 < number[0] <= 31 and tokens.word(number[1]) not in {":", "am", "pm", "-", "/", "."}
    return number if is_day else None


@rule
def numeric_day(tokens: Tokens, at: int) -> Read | None:
    """ "2019-01-02", "1/2/2019", "2019/aug/01", "23-2020-September"; without a year after "on" and its like."""
    parts = _numeric_parts(tokens, at)
    if len(parts) == 3:
        return _three_parts(tokens, parts, at + 5)
    if len(parts) == 2 and (tokens.word(at - 1) in _BEFORE_NUMERIC or _is_date_like(tokens, at)):
        return month_and_day_numeric(tokens, at)
    return None


def _is_date_like(tokens: Tokens, at: int) -> bool:
    """Whether "4/23" may be a date where nothing announces it: no fraction of a unit, and not "24/7"."""
    if tokens.word(at + 1) != "/" or tokens.word(at - 1) in {".", "/", ":", "-", "$"}:
        return False
    return (tokens.word(at), tokens.word(at + 2)) != ("24", "7") and tokens.word(at + 3) not in {
        "of",
        "/",
        "cup",
        "%",
        *UNITS,
    }


def _numeric_parts(tokens: Tokens, at: int) -> list[str]:
    """Three parts, or two, with the same sign between them and no space."""
    parts, sign = [tokens.word(at)], tokens.word(at + 1)
    place = at
    while len(parts) < 3 and tokens.word(place + 1) == sign and sign in _SEPARATORS:
        if not (tokens.is_glued(place + 1) and tokens.is_glued(place + 2)):
            break
        parts.append(tokens.word(place + 2))
        place += 2
    return parts if all(part.isdecimal() or month(tokens, at + 2 * n) for n, part in enumerate(parts)) else []


def _three_parts(tokens: Tokens, parts: list[str], end: int) -> Read | None:
    years = [place for place, part in enumerate(parts) if len(part) == 4]
    named = [place for place in range(3) if not parts[place].isdecimal()]
    if not years and len(parts[2]) == 2 and parts[2].isdecimal() and tokens.word(end - 2) != ".":
        years, parts = [2], [*parts[:2], str((1900 if int(parts[2]) > 50 else 2000) + int(parts[2]))]
    if len(years) != 1 or len(named) > 1:
        return None
    year = int(parts[years[0]])
    rest = [(place, part) for place, part in enumerate(parts) if place != years[0]]
    if named:
        numbers = [MONTHS[parts[named[0]]], *(int(part) for place, part in rest if place != named[0])]
        return fixed("date", calendar.calendar_day(year, numbers[0], numbers[1]), is_relative=False), end
    (_, first), (_, second) = rest
    return _either_order(year, int(first), int(second), end)


def _either_order(year: int, first: int, second: int, end: int) -> Read | None:
    """Month before day, as is written in America; the other way where there is no such day."""
    found = calendar.calendar_day(year, first, second)
    is_open = first <= 12 and second <= 12 and first != second
    other = None if found else calendar.calendar_day(year, second, first)
    return fixed("date", found, other, is_relative=False, is_open=is_open), end


@rule
def month_and_day_numeric(tokens: Tokens, at: int) -> Read | None:
    """ "5/12", "22/04", "7-6", "5.12"."""
    parts = _numeric_parts(tokens, at)
    if len(parts) != 2 or not all(part.isdecimal() and len(part) <= 2 for part in parts):
        return None
    first, second = int(parts[0]), int(parts[1])
    numbers = (first, second) if first <= 12 else (second, first)
    if not (1 <= numbers[0] <= 12 and 1 <= numbers[1] <= 31):
        return None
    meaning = yearly(tokens, lambda year: calendar.calendar_day(year, *numbers), is_day=True)
    end = at + 3
    year = year_number(tokens, tokens.skip(end, ","))
    meaning = replace(meaning, is_open=first <= 12 and second <= 12)
    return (of_year(meaning, year[0]), year[1]) if year and tokens.word(end) == "," else (meaning, end)


@rule
def plain_weekday(tokens: Tokens, at: int) -> Read | None:
    """ "Friday": the last and the next."""
    named = weekday(tokens, tokens.skip(at, "the"))
    if named is None or not is_a_name(tokens, named[1] - 1) or tokens.word(named[1] - 1).endswith("days"):
        return None
    return weekly(tokens, named[0]), named[1]


@rule
def relative_weekday(tokens: Tokens, at: int) -> Read | None:
    """ "Next Friday" is that of the next week, "last Friday" the latest, "previous Friday" that of the week before."""
    start = tokens.skip(at, "the")
    two = tokens.word(start) in {"this", "the"} and tokens.word(start + 1) in {"past", "coming", "upcoming"}
    which_at = start + two
    named = weekday(tokens, which_at + 1)
    if named is None or tokens.word(which_at) not in STEPS:
        return None
    which, wanted = tokens.word(which_at), named[0]
    if which in {"last", "past"}:
        back = (tokens.now.weekday() - wanted - 1) % 7 + 1
        is_open = wanted < tokens.now.weekday()  # on a Thursday "last Monday" is this week's, or that of the last week
        return fixed("date", calendar.on_day((tokens.now - timedelta(days=back)).date()), is_open=is_open), named[1]
    if which in {"coming", "upcoming", "following"}:
        ahead = (wanted - tokens.now.weekday() - 1) % 7 + 1
        return fixed("date", calendar.on_day((tokens.now + timedelta(days=ahead)).date())), named[1]
    is_open = which == "previous" and wanted < tokens.now.weekday()
    return fixed("date", calendar.weekday_of(tokens.now, wanted, STEPS[which]), is_open=is_open), named[1]


@rule
def weekday_of_week(tokens: Tokens, at: int) -> Read | None:
    """ "Next week on Tuesday", "next week Wednesday", "Tuesday of next week", "Friday next week"."""
    if tokens.word(at) in STEPS and tokens.word(at + 1) == "week":
        day_at = tokens.after_any(at + 2, ("' s", "’ s")) or tokens.skip(tokens.skip(at + 2, ","), "on")
        named = weekday(tokens, day_at)
        return (_in_week(tokens, named[0], STEPS[tokens.word(at)]), named[1]) if named else None
    named = weekday(tokens, tokens.skip(at, "on", "the"))
    if named is None:
        return None
    week_at = tokens.skip(tokens.skip(named[1], "of", "in", ","), "the")
    if tokens.word(week_at) in STEPS and tokens.word(week_at + 1) == "week":
        return _in_week(tokens, named[0], STEPS[tokens.word(week_at)]), week_at + 2
    return None


def _in_week(tokens: Tokens, wanted: int, weeks: int) -> Meaning:
    return fixed("date", calendar.weekday_of(tokens.now, wanted, weeks))


@rule
def weekday_of_month(tokens: Tokens, at: int) -> Read | None:
    """ "The first Monday of next month", "the last Friday in June 2020"."""
    start = tokens.skip(at, "the")
    nth = (-1, start + 1) if tokens.word(start) == "last" else ordinal(tokens, start)
    named = weekday(tokens, nth[1]) if nth else None
    if nth is None or named is None:
        return None
    named = named[0], tokens.skip(named[1], *PARTS_WITHIN)
    if tokens.word(named[1]) not in {"of", "in"}:
        return None
    return nth_of_month(tokens, named[1] + 1, lambda year, number: calendar.nth_weekday(year, number, named[0], nth[0]))


def nth_of_month(
    tokens: Tokens, at: int, of: Callable[[int, int], Interval | None], *, is_day: bool = True
) -> Read | None:
    """Something of the month that is named there: by its name, with a year or not, or from now."""
    kind: Kind = "date" if is_day else "range"
    start = tokens.skip(at, "the")
    if (tokens.word(start + 1) == "month" and tokens.word(start) in STEPS) or tokens.word(start) == "month":
        away = STEPS.get(tokens.word(start), 0)
        first = calendar.month_stretch(tokens.now.year, tokens.now.month + away)
        found = of(first.start.year, first.start.month) if first and first.start else None
        return fixed(kind, found), start + 1 + (tokens.word(start) != "month")
    named = month(tokens, start)
    if named is None:
        return None
    year = short_year(tokens, tokens.skip(tokens.skip(named[1], ","), "of", "in"))
    year = year_number(tokens, named[1]) if year and tokens.word(named[1]) not in {"of", "in", ","} else year
    meaning = replace(yearly(tokens, lambda year: of(year, named[0]), is_day=is_day), kind=kind)
    return (of_year(meaning, year[0]), year[1]) if year else (meaning, named[1])


@rule
def day_of_month(tokens: Tokens, at: int) -> Read | None:
    """ "The 15th day of next month", "the 21st of the month", "on 29th"."""
    start = tokens.skip(at, "the")
    if (of_last := tokens.after_any(start, ("last day of", "last day in"))) is not None:
        return _last_day(tokens, of_last)
    if tokens.word(at) in STEPS and tokens.word(at + 1) == "month":
        return _day_of_named_month(tokens, at)
    number = ordinal(tokens, start) or _number_before_clock(tokens, start)
    if number is None or not 1 <= number[0] <= 31:
        return None
    of_at = tokens.skip(number[1], "day")
    if tokens.word(of_at) in STEPS and tokens.word(of_at + 1) == "month":
        return nth_of_month(tokens, of_at, lambda year, named: calendar.calendar_day(year, named, number[0]))
    if tokens.word(of_at) == "of":
        month_at = tokens.skip(of_at + 1, "the")
        if tokens.word(month_at) == "month" or tokens.word(month_at + 1) == "month":
            return nth_of_month(tokens, of_at + 1, lambda year, named: calendar.calendar_day(year, named, number[0]))
    if tokens.word(at - 1) in {"on", "of"} and tokens.word(number[1]) not in {"floor", "street", "avenue", "place"}:
        return monthly(tokens, number[0]), number[1]
    return None


def _number_before_clock(tokens: Tokens, at: int) -> tuple[int, int] | None:
    """The 15 of "on 15 at 8:00"."""
    number = whole(tokens, at)
    is_dated = number and tokens.word(number[1]) == "at" and tokens.word(number[1] + 1).isdecimal()
    return number if is_dated and "on" in {tokens.word(at - 1), tokens.word(at - 2)} else None


def _last_day(tokens: Tokens, at: int) -> Read | None:
    """ "The last day of next month", "of May 2019", "of the year"."""

    def of(year: int, number: int) -> Interval | None:
        found = calendar.month_stretch(year, number)
        return calendar.on_day((found.end - timedelta(days=1)).date()) if found and found.end else None

    year = year_number(tokens, at)
    if year:
        return fixed("date", calendar.calendar_day(year[0], 12, 31), is_relative=False), year[1]
    step_at = at if tokens.word(at) in STEPS else tokens.skip(at, "the")
    if tokens.word(step_at + (tokens.word(step_at) in STEPS)) == "year":
        step = STEPS.get(tokens.word(step_at), 0)
        end = step_at + 1 + (tokens.word(step_at) in STEPS)
        return fixed("date", calendar.calendar_day(tokens.now.year + step, 12, 31)), end
    return nth_of_month(tokens, at, of)


def _day_of_named_month(tokens: Tokens, at: int) -> Read | None:
    """ "Next month on the 4th"."""
    number = ordinal(tokens, tokens.skip(tokens.skip(tokens.skip(at + 2, ","), "on"), "the"))
    if number is None or not 1 <= number[0] <= 31:
        return None
    first = calendar.month_stretch(tokens.now.year, tokens.now.month + STEPS[tokens.word(at)])
    if first is None or first.start is None:
        return None
    return fixed("date", calendar.calendar_day(first.start.year, first.start.month, number[0])), number[1]


def monthly(tokens: Tokens, number: int) -> Meaning:
    """The last and the next such day of a month: this month's and, where that is over, the next month's."""
    months = [calendar.month_stretch(tokens.now.year, tokens.now.month + away) for away in range(-3, 4)]
    found = [calendar.calendar_day(m.start.year, m.start.month, number) for m in months if m and m.start]
    days = [item for item in found if item]
    over = [item for item in days if calendar.is_over(item, tokens.now, is_day=True)]
    return fixed("date", *over[-1:], *days[len(over) : len(over) + 1])


@rule
def feast(tokens: Tokens, at: int) -> Read | None:
    """ "Christmas", "next Easter", "Thanksgiving 2023", "Independence Day of this year"."""
    step = STEPS.get(tokens.word(at))
    start = tokens.skip(at, "the") if step is None else at + 1
    found = _feast_name(tokens, start)
    if found is None:
        return None
    in_year, end = found
    meaning = yearly(tokens, in_year, is_day=True)
    year_at = tokens.skip(tokens.skip(end, "day"), "of", "in", ",")
    if step is not None:
        return _nearest(tokens, meaning, step), end
    if tokens.word(year_at) in STEPS and tokens.word(year_at + 1) == "year":
        return of_year(meaning, tokens.now.year + STEPS[tokens.word(year_at)], is_relative=True), year_at + 2
    year = year_number(tokens, year_at)
    return (of_year(meaning, year[0]), year[1]) if year else (meaning, end)


def _nearest(tokens: Tokens, meaning: Meaning, step: int) -> Meaning:
    """The feast of this year, or the last or the next one."""
    if step == 0:
        return of_year(meaning, tokens.now.year, is_relative=True)
    return replace(meaning, intervals=meaning.intervals[-1:] if step > 0 else meaning.intervals[:1], in_year=None)


def _feast_name(tokens: Tokens, at: int) -> tuple[Callable[[int], Interval | None], int] | None:
    best: tuple[Callable[[int], Interval | None], int] | None = None
    for name in _STARTING.get(tokens.word(at), ()):
        end = tokens.after(at, name) or tokens.after(at, name.replace("'", "’"))
        if end is not None and (best is None or end > best[1]):
            best = _FEAST_DAYS[name], end
    return best


def _in_years(name: str) -> Callable[[int], Interval | None]:
    if name in _FEASTS:
        return lambda year: calendar.calendar_day(year, *_FEASTS[name])
    if name in _NTH_FEASTS:
        number, wanted, nth, after = _NTH_FEASTS[name]
        return lambda year: _later(calendar.nth_weekday(year, number, wanted, nth), after)
    return lambda year: _later(calendar.easter(year), _AROUND_EASTER[name])


def _later(found: Interval | None, days: int) -> Interval | None:
    return calendar.on_day((found.start + timedelta(days=days)).date()) if found and found.start else None


_FEAST_DAYS: Final = {name: _in_years(name) for name in (*_FEASTS, *_NTH_FEASTS, *_AROUND_EASTER)}
_STARTING: Final = {
    first: tuple(name for name in _FEAST_DAYS if name.split()[0] == first)
    for first in {name.split()[0] for name in _FEAST_DAYS}
}
FEAST_OPENINGS: Final = frozenset(_STARTING)
SPOKEN_DAYS: Final = frozenset({*_TODAY, *(phrase.split()[0] for phrase in _PHRASES)})


@rule
def spoken_day(tokens: Tokens, at: int) -> Read | None:
    """ "Today", "the day before yesterday", "next day", "the day after"; what the talk spoke of is open."""
    start = tokens.skip(at, "the")
    for phrase, offset in _PHRASES.items():
        if (end := tokens.after(start, phrase)) is not None:
            return _days_away(tokens, offset), end
    if tokens.word(at) in _TODAY:
        return _days_away(tokens, _TODAY[tokens.word(at)]), at + 1
    for phrase, offset in _OPEN_DAYS.items():
        end = tokens.after(at, phrase)
        if end is not None and tokens.word(end) not in _NO_OPEN_DAY:
            return replace(_days_away(tokens, offset), is_open=True), end
    return None


def _days_away(tokens: Tokens, offset: int) -> Meaning:
    return fixed("date", calendar.on_day((tokens.now + timedelta(days=offset)).date()))


@rule
def counted_day(tokens: Tokens, at: int) -> Read | None:
    """ "3 days ago", "in two weeks", "two weeks from today", "three months after Easter"."""
    weeks = whole(tokens, at)
    if weeks and (several := weekday(tokens, weeks[1])):
        return _weekdays_away(tokens, several[0], min(weeks[0], 5_000), several[1])
    named = weekday(tokens, at)
    if named and tokens.word(named[1]) == ",":
        found = _counted(tokens, named[1] + 1)
        return (_weekday_near(found[0], named[0]), found[1]) if found else None
    return _counted(tokens, at)


def _weekdays_away(tokens: Tokens, wanted: int, weeks: int, end: int) -> Read | None:
    """ "Two Sundays ago", "three Fridays from now"."""
    ago, hence = tokens.after(end, "ago"), tokens.after_any(end, ("from now", "hence"))
    if ago is not None and weeks:
        back = (tokens.now.weekday() - wanted - 1) % 7 + 1 + 7 * (weeks - 1)
        return fixed("date", calendar.on_day((tokens.now - timedelta(days=back)).date()), is_open=True), ago
    if hence is not None and weeks:
        ahead = (wanted - tokens.now.weekday() - 1) % 7 + 1 + 7 * (weeks - 1)
        return fixed("date", calendar.on_day((tokens.now + timedelta(days=ahead)).date()), is_open=True), hence
    return None


def _weekday_near(meaning: Meaning, wanted: int) -> Meaning:
    """That weekday of the week."""
    days = (calendar.weekday_of(found.start, wanted) for found in meaning.intervals if found.start)
    return replace(meaning, intervals=tuple(days))


def _counted(tokens: Tokens, at: int) -> Read | None:
    next_to = tokens.after_any(at, ("the day", "day"))
    if next_to is not None and tokens.word(next_to) in {"before", "after"}:
        return _from_anchor(tokens, next_to, calendar.Length(((1, "day"),)))
    is_in = tokens.word(at) == "in"
    found = length(tokens, at + is_in)
    if found is None:
        return None
    amount, end = found
    ago = tokens.after_any(end, ("ago", "back"))
    if ago is not None and not is_in and tokens.word(end) == "ago":
        return counted(tokens, amount, -1, is_open=amount.is_vague), ago
    hence = tokens.after_any(
        end, ("from now", "hence", "' s time", "’ s time", "' time", "’ time", "time from now", "in the future")
    )
    if hence is not None:
        return counted(tokens, amount, 1, is_open=amount.is_vague), hence
    if tokens.word(end) == "later" and not is_in:
        return counted(tokens, amount, 1, is_open=True), end + 1
    if is_in:
        return counted(tokens, amount, 1, is_open=True), end
    return _from_anchor(tokens, end, amount)


def _from_anchor(tokens: Tokens, end: int, amount: calendar.Length) -> Read | None:
    sign = {"from": 1, "after": 1, "before": -1, "since": 1}.get(tokens.word(end))
    if sign is None:
        return None
    anchor = simple_day(tokens, tokens.skip(end + 1, "the")) or simple_day(tokens, end + 1)
    if anchor is None:
        return None
    meaning = anchor[0]
    if meaning.in_year or len(meaning.intervals) > 1:  # "three months after Easter": the next one
        meaning = replace(meaning, intervals=meaning.intervals[-1:], in_year=None, is_open=True)
    return counted_from(meaning, amount, sign), anchor[1]
