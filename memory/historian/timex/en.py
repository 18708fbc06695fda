"""English expressions of time, whole: days with a time of the clock, stretches from one to another, lengths, habits."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from memory.historian.timex.calendar import calendar_day, midnight, month_stretch, on_day, year_stretch
from memory.historian.timex.core import (
    ClockStretch,
    ClockTime,
    Meaning,
    Read,
    Tokens,
    at_clock,
    fixed,
    longest,
    of_year,
    opened,
    rule,
    stretch_between,
    within_clock,
    yearly,
)
from memory.historian.timex.en_clock import (
    LAST_SECOND,
    PARTS,
    clock_stretch,
    due_clock,
    exact_clock,
    is_surely_of_clock,
    part_of_day,
)
from memory.historian.timex.en_days import (
    FEAST_OPENINGS,
    PARTS_WITHIN,
    SPOKEN_DAYS,
    STEPS,
    day,
    month_and_day,
    month_and_day_numeric,
    simple_day,
)
from memory.historian.timex.en_stretches import SEASONS, edge_of_stretch, plain_stretch, stretch
from memory.historian.timex.en_words import (
    MONTHS,
    NUMBERS,
    ORDINALS,
    WEEKDAYS,
    cardinal,
    day_number,
    length,
    month,
    unit,
    weekday,
    year_number,
)
from memory.historian.timex.types import Interval

_MODIFIERS: Final[tuple[tuple[str, str], ...]] = (
    ("no later than", "before"), ("not later than", "before"), ("as late as", "until"), ("no earlier than", "since"),
    ("not earlier than", "since"), ("as early as", "since"), ("any time after", "after"), ("any time before", "before"),
    ("anytime after", "after"), ("anytime before", "before"), ("earlier than", "before"), ("later than", "after"),
    ("prior to", "before"), ("starting from", "since"), ("starting on", "since"), ("starting in", "since"),
    ("starting with", "since"), ("beginning on", "since"), ("starting", "since"), ("ending", "until"),
    ("since", "since"),
    ("after", "after"), ("before", "before"), ("until", "before"), ("till", "before"), ("by", "before"),
    ("> =", "since"),
    ("< =", "until"), (">", "after"), ("<", "before"), ("or later than", "since"), ("up to", "before"),
    ("on or after", "since"), ("on or before", "until"),
)  # fmt: skip
_MODIFYING: Final = frozenset(words.split()[0] for words, _ in _MODIFIERS)
_TRAILING: Final[tuple[tuple[str, str], ...]] = (
    ("and greater", "since"), ("and later", "since"), ("or later", "since"), ("or after", "since"),
    ("or above", "since"),
    ("or earlier", "until"), ("or before", "until"), ("and earlier", "until"), ("and onwards", "since"),
    ("onwards", "since"), ("onward", "since"), ("or newer", "since"), ("or greater", "since"),
)  # fmt: skip
_JOINS: Final = frozenset({"to", "-", "–", "—", "~", "through", "thru", "until", "till"})
_SETS: Final = frozenset(
    {"daily", "weekly", "biweekly", "fortnightly", "monthly", "bimonthly", "quarterly", "annually", "yearly", "annual",
     "semiannual", "semiannually", "nightly", "hourly", "everyday", "weekdays"}
)  # fmt: skip
_SET_LEADS: Final = frozenset({"every", "each", "any"})
OPENINGS: Final = frozenset(
    {
        *MONTHS, *WEEKDAYS, *NUMBERS, *ORDINALS, *STEPS, *FEAST_OPENINGS, *PARTS, *_SETS, *_SET_LEADS, *_MODIFYING,
        *SEASONS,
        *SPOKEN_DAYS,
        "the", "a", "an", "half", "quarter", "few", "some", "several", "couple", "all", "whole", "entire", "another",
        "in",
        "from", "between", "during", "at", "around", "about", "approximately", "exactly", "on", "day", "night",
        "tonight",
        "tonite", "early", "late", "later", "earlier", "mid", "middle", "end", "beginning", "start", "eoy", "eom",
        "eod", "rest",
        "week", "weekend", "month", "fortnight", "year", "calendar", "school", "fiscal", "academic", "financial",
        "within",
        "less", "more", "for", "w", "q", "h", "noon", "midday", "midnight", "now", "right", "as", "asap",
        "immediately", "once",
        "twice", "times", "nighttime", "morning", "afternoon", "evening", "remainder", "balance", "@", "'", "’",
        "thousand",
    }
)  # fmt: skip
"""What an expression begins with, but for figures."""


def expression(tokens: Tokens, at: int) -> Read | None:
    """The longest expression of time that begins there."""
    return longest(
        tokens, at, habit, days_between, modified, dated_clock, bare_clock, lone, duration, present,
    )  # fmt: skip


@rule
def lone(tokens: Tokens, at: int) -> Read | None:
    """A day or a stretch of days, by itself."""
    return longest(tokens, at, day, stretch)


@rule
def duration(tokens: Tokens, at: int) -> Read | None:
    """A length of time."""
    found = length(tokens, at)
    if found is None:
        return None
    return Meaning("duration", length=found[0], is_relative=False, is_open=found[0].is_vague), found[1]


@rule
def present(tokens: Tokens, at: int) -> Read | None:
    """ "Now"."""
    end = tokens.after_any(at, ("right now", "as soon as possible", "asap", "right away", "immediately", "now"))
    if end is None:
        return None
    return fixed("datetime", Interval(tokens.now, tokens.now), is_open=True, grain="minute"), end


@rule
def habit(tokens: Tokens, at: int) -> Read | None:
    """ "Every two days", "each Sunday", "weekly", "mornings", "once a week": no date of its own."""
    found = _recurrence(tokens, at)
    return (Meaning("set", is_relative=False), found) if found else None


def _recurrence(tokens: Tokens, at: int) -> int | None:
    word = tokens.word(at)
    if word in _SETS or (word in PARTS and word.endswith("s") and tokens.word(at - 1) != "the"):
        return at + 1
    if word in WEEKDAYS and word.endswith("days"):
        return at + 1
    if (
        word in {"once", "twice", "times"}
        and tokens.word(at + 1) in {"a", "an", "every", "per"}
        and unit(tokens, at + 2)
    ):
        return at + 3
    return _after_every(tokens, at + 1) if word in _SET_LEADS else None


def _after_every(tokens: Tokens, at: int) -> int | None:
    start = tokens.skip(at, "other", "single")
    amount = cardinal(tokens, start)
    named = unit(tokens, amount[1] if amount else start)
    if named:
        return named[1]
    if tokens.word(start) in {"weekday", "morning", "afternoon", "evening", "night", "workday"}:
        return start + 1
    found = weekday(tokens, start) or month(tokens, start)
    end = found[1] if found else None
    clock = dated = exact_clock(tokens, tokens.skip(end, "at")) if end else None
    return dated[1] if clock and dated else end


@rule
def point(tokens: Tokens, at: int) -> Read | None:
    """What a stretch may begin or end with: a day or a stretch, with a time of the clock or not, or now."""
    return longest(tokens, at, _present_day, edge_of_stretch, plain_stretch, day, day_with_clock)


def _present_day(tokens: Tokens, at: int) -> Read | None:
    end = tokens.after_any(at, ("now", "the present", "present"))
    return (fixed("date", on_day(tokens.now.date())), end) if end is not None else None


@rule
def day_with_clock(tokens: Tokens, at: int) -> Read | None:
    """A day and a minute of it, in either order."""
    found = dated_clock(tokens, at)
    return found if found and found[0].kind == "datetime" else None


@rule
def days_between(tokens: Tokens, at: int) -> Read | None:
    """ "From May to October 2020", "between now and November 15th", "November 19-20", "2014~2018"."""
    lead = tokens.word(at) if tokens.word(at) in {"from", "between", "in", "during"} else ""
    start = at + bool(lead)
    joins = _JOINS | {"and"} if lead == "between" else _JOINS
    return longest(
        tokens, start,
        lambda tokens, place: _same_month(tokens, place, joins),
        lambda tokens, place: _two_points(tokens, place, joins, is_led=bool(lead)),
        lambda tokens, place: _numbers_of_month(tokens, place, joins),
    )  # fmt: skip


def _two_points(tokens: Tokens, at: int, joins: frozenset[str], *, is_led: bool) -> Read | None:
    first = _endpoint(tokens, at, is_led=is_led)
    if first is None or tokens.word(first[1]) not in joins:
        return None
    last = _endpoint(tokens, tokens.skip(first[1] + 1, "from"), is_led=True)
    if last is None:
        return _to_a_day(tokens, first[0], first[1] + 1)
    beginning, ending = first[0], last[0]
    if tokens.word(at) in {"now", "today"} and ending.in_year:
        ending = replace(ending, intervals=ending.intervals[-1:], in_year=None)
    made = stretch_between(beginning, ending, tokens.now)
    return (made, last[1]) if made else None


def _endpoint(tokens: Tokens, at: int, *, is_led: bool) -> Read | None:
    rules = (point, month_and_day_numeric, _year_endpoint) if is_led else (point, _numeric_alone, _year_endpoint)
    return longest(tokens, at, *rules)


def _numeric_alone(tokens: Tokens, at: int) -> Read | None:
    """ "10/1" before "-11/2/2017"."""
    return month_and_day_numeric(tokens, at) if tokens.word(at + 1) == "/" else None


def _year_endpoint(tokens: Tokens, at: int) -> Read | None:
    found = year_number(tokens, at)
    return (fixed("range", year_stretch(found[0]), grain="year", is_relative=False), found[1]) if found else None


def _to_a_day(tokens: Tokens, first: Meaning, at: int) -> Read | None:
    """ "From April the ninth till the seventeenth": the next day of that number."""
    number = day_number(tokens, at)
    if (
        number is None
        or first.kind != "date"
        or not first.in_year
        or (tokens.word(at).isdecimal() and number[1] == at + 1)
    ):
        return None

    def ending(interval: Interval) -> Interval | None:
        assert interval.start
        for later in (0, 1):
            around = month_stretch(interval.start.year, interval.start.month + later)
            found = calendar_day(around.start.year, around.start.month, number[0]) if around and around.start else None
            if found and found.start and found.start >= interval.start:
                return Interval(interval.start, found.start)
        return None

    return fixed("range", *(made for item in first.intervals if (made := ending(item)))), number[1]


def _same_month(tokens: Tokens, at: int, joins: frozenset[str]) -> Read | None:
    """ "November 19-20", "May 3rd to 5th, 2019"."""
    named = month(tokens, at)
    first = day_number(tokens, named[1]) if named else None
    if named is None or first is None or tokens.word(first[1]) not in joins:
        return None
    last = day_number(tokens, first[1] + 1)
    if last is None or last[0] <= first[0] or tokens.word(last[1]) in {":", "am", "pm", "/"}:
        return None
    year = year_number(tokens, tokens.skip(tokens.skip(last[1], ","), "of", "in"))
    return _days_of_month(tokens, named[0], first[0], last[0], year, last[1])


def _numbers_of_month(tokens: Tokens, at: int, joins: frozenset[str]) -> Read | None:
    """ "Between ninth and seventeenth of April", "19-20 November"."""
    first = day_number(tokens, at)
    last = day_number(tokens, first[1] + 1) if first and tokens.word(first[1]) in joins else None
    named = month(tokens, tokens.skip(last[1], "of")) if last else None
    if first is None or last is None or named is None:
        return None
    year = year_number(tokens, tokens.skip(tokens.skip(named[1], ","), "of", "in"))
    return _days_of_month(tokens, named[0], first[0], last[0], year, named[1])


def _days_of_month(
    tokens: Tokens, number: int, first: int, last: int, year: tuple[int, int] | None, end: int
) -> Read | None:
    start = yearly(tokens, lambda of: calendar_day(of, number, first), is_day=True)
    close = yearly(tokens, lambda of: calendar_day(of, number, last), is_day=True)
    if year:
        start, close, end = of_year(start, year[0]), of_year(close, year[0]), year[1]
    made = stretch_between(start, close, tokens.now)
    return (made, end) if made else None


@rule
def modified(tokens: Tokens, at: int) -> Read | None:
    """ "Since August", "before 2018", "no later than January 1", "2016 and greater"."""
    modifiers = _MODIFIERS if tokens.word(at) in _MODIFYING else ()
    for words, modifier in modifiers:
        start = tokens.after(at, words)
        if start is None or not (tokens.word(start) in OPENINGS or tokens.word(start).isdecimal()):
            continue
        found = longest(tokens, tokens.skip(start, "the"), dated_clock, point) or longest(tokens, start, point)
        found = found or (month_and_day_numeric(tokens, start) or _year_endpoint(tokens, start))
        if found and found[0].kind in {"date", "range", "datetime"} and found[0].intervals:
            return _opened(found[0], modifier), found[1]
    return _trailing_modifier(tokens, at)


def _opened(meaning: Meaning, modifier: str) -> Meaning:
    """ "After the beginning of March" begins there."""
    if meaning.edge and modifier in {"after", "since"}:
        return opened(meaning, "since" if meaning.edge == "beginning" else modifier)
    return opened(meaning, modifier)


def _trailing_modifier(tokens: Tokens, at: int) -> Read | None:
    found = lone(tokens, at)
    if found is None or not found[0].intervals:
        return None
    for words, modifier in _TRAILING:
        end = tokens.after(found[1], words)
        if end is not None and (
            modifier != "since" or tokens.word(found[1] + 1) != "after" or not tokens.word(end).isalpha()
        ):
            return opened(found[0], modifier), end
    return None


@rule
def dated_clock(tokens: Tokens, at: int) -> Read | None:
    """A day with a time or a part of it, in either order: "tomorrow at 10am", "9am on Monday", "Friday night"."""
    return longest(
        tokens, at, _day_first, _clock_first, _tonight, _this_part, _last_night, _end_of_day, _part_of_day_named
    )


def _day_first(tokens: Tokens, at: int) -> Read | None:
    found = day(tokens, tokens.skip(at, "around"))
    if found is None:
        return None
    start = tokens.skip(tokens.skip(found[1], ",", "-"), "at", "by", "@")
    within = clock_stretch(tokens, start)
    if within and (is_surely_of_clock(tokens, start, within[1]) or _is_weekday_or_spoken(tokens, found[1])):
        return within_clock(found[0], within[0]), within[1]
    inner = _part_inside(tokens, at, found[1])
    if inner:
        return within_clock(found[0], inner), found[1]
    part = part_of_day(tokens, start)
    if part:
        return _clock_after_part(tokens, found[0], part[0], part[1])
    is_due = tokens.word(found[1]) in {"at", "@"} or _is_weekday_or_spoken(tokens, found[1])
    bounded = _bounded_clock(tokens, found[0], found[1])
    if bounded:
        return bounded
    clock = (due_clock if is_due else exact_clock)(tokens, start)
    if clock is None or unit(tokens, clock[1]) or month_and_day(tokens, start):
        return None
    made = at_clock(found[0], clock[0])
    return (opened(made, "before") if tokens.word(start - 1) == "by" else made), clock[1]


def _bounded_clock(tokens: Tokens, meaning: Meaning, at: int) -> Read | None:
    """ "Tomorrow after 8pm", "Friday before noon"."""
    for words, modifier in _MODIFIERS if tokens.word(at) in _MODIFYING else ():
        start = tokens.after(at, words)
        clock = exact_clock(tokens, start) if start is not None else None
        if clock and tokens.word(at) != "by":
            return opened(at_clock(meaning, clock[0]), modifier), clock[1]
    return None


def _is_weekday_or_spoken(tokens: Tokens, end: int) -> bool:
    return tokens.word(end - 1) in WEEKDAYS or tokens.word(end - 1) in {"today", "tomorrow", "yesterday", "tmrw"}


def _part_inside(tokens: Tokens, at: int, end: int) -> ClockStretch | None:
    """The evening of "the first Monday evening of May"."""
    places = (place for place in range(at, end) if tokens.word(place) in PARTS_WITHIN)
    found = next((part_of_day(tokens, place) for place in places), None)
    return found[0] if found else None


def _clock_after_part(tokens: Tokens, meaning: Meaning, part: ClockStretch, end: int) -> Read:
    """ "Tomorrow evening at 8"; without a time the part."""
    within = clock_stretch(tokens, tokens.skip(end, ",", "at"))
    if within and (is_surely_of_clock(tokens, end, within[1]) or tokens.word(end) in {"from", "between"}):
        return within_clock(meaning, _in_part_of_day(within[0], part)), within[1]
    clock = due_clock(tokens, end) if tokens.word(end) in {"at", "@", "around"} else exact_clock(tokens, end)
    if clock is None or clock[0].hour > 12:
        return within_clock(meaning, part), end
    return at_clock(meaning, _in_that_part(clock[0], part)), clock[1]


def _in_part_of_day(clock: ClockStretch, part: ClockStretch) -> ClockStretch:
    """The reading that lies in the half of the day which its part names."""
    is_late = part.readings[0][0] >= 12 * 3_600
    fitting = tuple(reading for reading in clock.readings if (reading[0] >= 12 * 3_600) == is_late)
    return ClockStretch(fitting or clock.readings)


def _in_that_part(clock: ClockTime, part: ClockStretch) -> ClockTime:
    """The time in the half of the day that its part names."""
    if clock.is_half_known:
        return clock
    is_late = part.readings[0][0] >= 12 * 3_600
    return replace(clock, hour=clock.hour % 12 + 12 * is_late, is_half_known=True)


def _clock_first(tokens: Tokens, at: int) -> Read | None:
    within = clock_stretch(tokens, at)
    if within:
        following = tokens.skip(within[1], ",")
        if tokens.word(following) in {"tonight", "tonite"}:
            return within_clock(fixed("date", on_day(tokens.now.date())), _late(within[0])), following + 1
        this_part = part_of_day(tokens, following + 1) if tokens.word(following) == "this" else None
        if this_part:
            today = fixed("date", on_day(tokens.now.date()))
            return within_clock(today, _in_part_of_day(within[0], this_part[0])), this_part[1]
        found = _day_after(tokens, within[1])
        if found:
            return within_clock(found[0], within[0]), found[1]
    clock = exact_clock(tokens, at)
    if clock is None and (tokens.word(at) == "at" or tokens.word(at + 1) == ","):
        clock = due_clock(tokens, at)
    if clock is None:
        return None
    this_part = part_of_day(tokens, tokens.skip(clock[1], ",") + 1)
    if this_part and tokens.word(tokens.skip(clock[1], ",")) == "this":
        today = fixed("date", on_day(tokens.now.date()))
        return at_clock(today, _in_that_part(clock[0], this_part[0])), this_part[1]
    tonight = _tonight(tokens, tokens.skip(clock[1], ","))
    if tonight:
        today = fixed("date", on_day(tokens.now.date()))
        hour = clock[0].hour + 12 * (not clock[0].is_half_known and 5 <= clock[0].hour < 12)
        return at_clock(today, replace(clock[0], hour=hour, is_half_known=True)), tonight[1]
    found = day(tokens, tokens.skip(tokens.skip(clock[1], ","), "on", "of", "in"))
    part = part_of_day(tokens, found[1]) if found else None
    if found is None:
        return None
    return (
        (at_clock(found[0], _in_that_part(clock[0], part[0])), part[1])
        if part
        else (at_clock(found[0], clock[0]), found[1])
    )


def _day_after(tokens: Tokens, at: int) -> Read | None:
    """The day that follows its time, with the part of it that says no more: "10am Monday morning"."""
    found = day(tokens, tokens.skip(tokens.skip(at, ","), "on", "of", "in"))
    if found is None:
        return None
    part = part_of_day(tokens, found[1])
    return found[0], part[1] if part else found[1]


def _tonight(tokens: Tokens, at: int) -> Read | None:
    """ "Tonight", "tonight around 3"."""
    if tokens.word(at) not in {"tonight", "tonite"}:
        return None
    today = fixed("date", on_day(tokens.now.date()))
    within = clock_stretch(tokens, tokens.skip(at + 1, ",", "at"))
    if within and tokens.word(at + 1) not in {"in", "-"}:
        return within_clock(today, _late(within[0])), within[1]
    clock = due_clock(tokens, at + 1) if tokens.word(at + 1) in {"at", "around", "by"} else exact_clock(tokens, at + 1)
    if clock:
        hour = clock[0].hour + 12 * (not clock[0].is_half_known and 5 <= clock[0].hour < 12)
        return at_clock(today, replace(clock[0], hour=hour, is_half_known=True)), clock[1]
    return within_clock(today, ClockStretch(((20 * 3_600, LAST_SECOND),))), at + 1


def _late(clock: ClockStretch) -> ClockStretch:
    """The reading after noon, of a stretch of this night."""
    late = tuple(reading for reading in clock.readings if reading[0] >= 12 * 3_600)
    return ClockStretch(late or clock.readings)


def _this_part(tokens: Tokens, at: int) -> Read | None:
    """ "This morning", "late this morning", "early this evening", "mid today", "early in the day Wednesday"."""
    side = tokens.word(at) if tokens.word(at) in {"early", "late", "mid", "earlier", "later"} else ""
    start = at + bool(side)
    today = fixed("date", on_day(tokens.now.date()))
    if tokens.word(start) == "this" and (part := part_of_day(tokens, start + 1)):
        half = _half_of_part(side, part[0]) if side else part[0]
        return _clock_after_part(tokens, today, half, part[1])
    if side and (found := simple_day(tokens, tokens.skip(start, "-"))):
        part = part_of_day(tokens, found[1])
        if part:
            return within_clock(found[0], _half_of_part(side, part[0])), part[1]
        return within_clock(found[0], _part_of_whole_day(side)), found[1]
    return None


def _half_of_part(side: str, part: ClockStretch) -> ClockStretch:
    """The early or the late half of a part of the day."""
    (first, last), middle = part.readings[0], sum(part.readings[0]) // 2
    sides = {"early": (first, middle), "earlier": (first, middle), "mid": (first, last)}
    return ClockStretch((sides.get(side, (middle, last)),))


def _part_of_whole_day(side: str) -> ClockStretch:
    """Of a day the first half, the second, or from 10 to 14."""
    hours = {"early": (0, 12), "earlier": (0, 12), "mid": (10, 14)}.get(side, (12, 24))
    return ClockStretch(((hours[0] * 3_600, hours[1] * 3_600),))


def _part_of_day_named(tokens: Tokens, at: int) -> Read | None:
    """ "Early in the day Wednesday", "the morning of May 3rd"."""
    day_at = tokens.after_any(at, ("early in the day", "earlier in the day", "late in the day", "later in the day"))
    if day_at is not None:
        found = day(tokens, tokens.skip(tokens.skip(day_at, "of"), "on"))
        if found:
            ahead = found[0].intervals[-1:]
            return within_clock(replace(found[0], intervals=ahead), _part_of_whole_day(tokens.word(at))), found[1]
        return None
    part = part_of_day(tokens, at)
    if part is None or tokens.word(part[1]) not in {"of", "on"}:
        return None
    found = day(tokens, part[1] + 1)
    return (within_clock(found[0], part[0]), found[1]) if found else None


def _last_night(tokens: Tokens, at: int) -> Read | None:
    """ "Last night", "last evening", "the night before last", "next morning"."""
    before = tokens.after_any(at, ("the night before last", "night before last"))
    if before is not None:
        two_ago = fixed("date", on_day(midnight(tokens.now).fromordinal(tokens.now.toordinal() - 2).date()))
        return within_clock(two_ago, ClockStretch(((20 * 3_600, LAST_SECOND),))), before
    if tokens.word(at) not in {"last", "next"}:
        return None
    part = part_of_day(tokens, at + 1)
    if part is None:
        return None
    offset = -1 if tokens.word(at) == "last" else 1
    near = fixed("date", on_day(midnight(tokens.now).fromordinal(tokens.now.toordinal() + offset).date()))
    made = within_clock(near, part[0])
    return replace(made, is_open=tokens.word(at) == "next"), part[1]


def _end_of_day(tokens: Tokens, at: int) -> Read | None:
    """ "End of the day", "end of the Sunday", "EOD"."""
    last_second = ClockStretch(((LAST_SECOND, LAST_SECOND),))
    start = tokens.skip(at, "the")
    if tokens.word(start) == "eod":
        found: Read | None = (fixed("date", on_day(tokens.now.date())), start + 1)
    else:
        of_at = tokens.after_any(start, ("end of the", "end of"))
        if of_at is None:
            return None
        is_today = tokens.word(of_at) == "day"
        found = (fixed("date", on_day(tokens.now.date())), of_at + 1) if is_today else simple_day(tokens, of_at)
    if found is None or not found[0].intervals:
        return None
    return replace(within_clock(found[0], last_second), kind="datetime", grain="minute"), found[1]


@rule
def bare_clock(tokens: Tokens, at: int) -> Read | None:
    """A time or a part of any day: no date of its own."""
    within = clock_stretch(tokens, at)
    if within and (tokens.word(at) in {"from", "between"} or is_surely_of_clock(tokens, at, within[1])):
        return Meaning("time", is_relative=False), within[1]
    part = part_of_day(tokens, at)
    if part and tokens.word(at) != "night" and tokens.word(at - 1) != "good":
        return Meaning("time", is_relative=False), part[1]
    clock = exact_clock(tokens, at)
    return (Meaning("time", is_relative=False), clock[1]) if clock else None
