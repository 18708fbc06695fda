"""English days with a time of the clock or a part of the day, in either order."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from memory.rewriting.timex.calendar import midnight, on_day
from memory.rewriting.timex.clock_times import ClockStretch, ClockTime, at_clock, within_clock
from memory.rewriting.timex.en_clock import (
    LAST_SECOND,
    clock_stretch,
    due_clock,
    exact_clock,
    is_surely_of_clock,
    part_of_day,
)
from memory.rewriting.timex.en_counted_days import day
from memory.rewriting.timex.en_dates import month_and_day
from memory.rewriting.timex.en_days import PARTS_WITHIN, simple_day
from memory.rewriting.timex.en_words import (
    WEEKDAYS,
    unit,
)
from memory.rewriting.timex.meanings import Meaning, Read, fixed, longest, opened
from memory.rewriting.timex.tokens import TokenStream, rule

MODIFIERS: Final[tuple[tuple[str, str], ...]] = (
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

"""Words before a time, each with the modifier of ``opened`` that it stands for; the first that fits counts.

"Until" and "by" a time leave it out, as "before" does.
"""

MODIFYING: Final = frozenset(words.split()[0] for words, _ in MODIFIERS)
"""The first words of ``MODIFIERS``."""


@rule
def dated_clock(tokens: TokenStream, at: int) -> Read | None:
    """A day with a time or a part of it, in either order: "tomorrow at 10am", "9am on Monday", "Friday night"."""
    return longest(
        tokens, at, _day_first, _clock_first, _tonight, _this_part, _last_night, _end_of_day, _part_of_day_named
    )


def _day_first(tokens: TokenStream, at: int) -> Read | None:
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


def _bounded_clock(tokens: TokenStream, meaning: Meaning, at: int) -> Read | None:
    """ "Tomorrow after 8pm", "Friday before noon"."""
    for words, modifier in MODIFIERS if tokens.word(at) in MODIFYING else ():
        start = tokens.after(at, words)
        clock = exact_clock(tokens, start) if start is not None else None
        if clock and tokens.word(at) != "by":
            return opened(at_clock(meaning, clock[0]), modifier), clock[1]
    return None


def _is_weekday_or_spoken(tokens: TokenStream, end: int) -> bool:
    return tokens.word(end - 1) in WEEKDAYS or tokens.word(end - 1) in {"today", "tomorrow", "yesterday", "tmrw"}


def _part_inside(tokens: TokenStream, at: int, end: int) -> ClockStretch | None:
    """The evening of "the first Monday evening of May"."""
    places = (place for place in range(at, end) if tokens.word(place) in PARTS_WITHIN)
    found = next((part_of_day(tokens, place) for place in places), None)
    return found[0] if found else None


def _clock_after_part(tokens: TokenStream, meaning: Meaning, part: ClockStretch, end: int) -> Read:
    """The time that follows on a part of the day ("tomorrow evening at 8"), else the part itself."""
    within = clock_stretch(tokens, tokens.skip(end, ",", "at"))
    if within and (is_surely_of_clock(tokens, end, within[1]) or tokens.word(end) in {"from", "between"}):
        return within_clock(meaning, _in_part_of_day(within[0], part)), within[1]
    clock = due_clock(tokens, end) if tokens.word(end) in {"at", "@", "around"} else exact_clock(tokens, end)
    if clock is None or clock[0].hour > 12:
        return within_clock(meaning, part), end
    return at_clock(meaning, _in_that_part(clock[0], part)), clock[1]


def _in_part_of_day(clock: ClockStretch, part: ClockStretch) -> ClockStretch:
    """The readings that lie in the same half of the day as ``part``, or all where none does."""
    is_late = part.readings[0][0] >= 12 * 3_600
    fitting = tuple(reading for reading in clock.readings if (reading[0] >= 12 * 3_600) == is_late)
    return ClockStretch(fitting or clock.readings)


def _in_that_part(clock: ClockTime, part: ClockStretch) -> ClockTime:
    """The time of the clock in the same half of the day as ``part``."""
    if clock.is_half_known:
        return clock
    is_late = part.readings[0][0] >= 12 * 3_600
    return replace(clock, hour=clock.hour % 12 + 12 * is_late, is_half_known=True)


def _clock_first(tokens: TokenStream, at: int) -> Read | None:
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
        # "8 tonight" is 20:00
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


def _day_after(tokens: TokenStream, at: int) -> Read | None:
    """The day that follows a stretch of hours, past a part of the day that adds nothing: "9-10am Monday morning"."""
    found = day(tokens, tokens.skip(tokens.skip(at, ","), "on", "of", "in"))
    if found is None:
        return None
    part = part_of_day(tokens, found[1])
    return found[0], part[1] if part else found[1]


def _tonight(tokens: TokenStream, at: int) -> Read | None:
    """ "Tonight", "tonight around 3"."""
    if tokens.word(at) not in {"tonight", "tonite"}:
        return None
    today = fixed("date", on_day(tokens.now.date()))
    within = clock_stretch(tokens, tokens.skip(at + 1, ",", "at"))
    if within and tokens.word(at + 1) not in {"in", "-"}:
        return within_clock(today, _late(within[0])), within[1]
    clock = due_clock(tokens, at + 1) if tokens.word(at + 1) in {"at", "around", "by"} else exact_clock(tokens, at + 1)
    if clock:  # "tonight at 8" is 20:00
        hour = clock[0].hour + 12 * (not clock[0].is_half_known and 5 <= clock[0].hour < 12)
        return at_clock(today, replace(clock[0], hour=hour, is_half_known=True)), clock[1]
    return within_clock(today, ClockStretch(((20 * 3_600, LAST_SECOND),))), at + 1


def _late(clock: ClockStretch) -> ClockStretch:
    """The readings of a stretch that begin after noon, or all where none does."""
    late = tuple(reading for reading in clock.readings if reading[0] >= 12 * 3_600)
    return ClockStretch(late or clock.readings)


def _this_part(tokens: TokenStream, at: int) -> Read | None:
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
    """The early half of a day, the late half, or its middle from 10 to 14 o'clock."""
    hours = {"early": (0, 12), "earlier": (0, 12), "mid": (10, 14)}.get(side, (12, 24))
    return ClockStretch(((hours[0] * 3_600, hours[1] * 3_600),))


def _part_of_day_named(tokens: TokenStream, at: int) -> Read | None:
    """ "Early in the day Wednesday", "the morning of May 3rd"."""
    day_at = tokens.after_any(at, ("early in the day", "earlier in the day", "late in the day", "later in the day"))
    if day_at is not None:
        found = day(tokens, tokens.skip(tokens.skip(day_at, "of"), "on"))
        if found:
            ahead = found[0].intervals[-1:]  # the next such day, not the last one
            return within_clock(replace(found[0], intervals=ahead), _part_of_whole_day(tokens.word(at))), found[1]
        return None
    part = part_of_day(tokens, at)
    if part is None or tokens.word(part[1]) not in {"of", "on"}:
        return None
    found = day(tokens, part[1] + 1)
    return (within_clock(found[0], part[0]), found[1]) if found else None


def _last_night(tokens: TokenStream, at: int) -> Read | None:
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


def _end_of_day(tokens: TokenStream, at: int) -> Read | None:
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
