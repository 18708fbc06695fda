"""English times of the day: of the clock, its parts, and stretches between them.

What a part spans is as Recognizers-Text has it: a morning 8 to 12, an afternoon 12 to 16, an evening 16 to 20.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from foundation.lexicon import read_lexicon
from memory.rewriting.timex.clock_times import ClockStretch, ClockTime, clock_between
from memory.rewriting.timex.en_words import NUMBERS, length, ordinal, unit
from memory.rewriting.timex.tokens import TokenStream, rule

_WORDS: Final = read_lexicon(__file__, "clock").of("en")

Clock = tuple[ClockTime, int]
Stretch = tuple[ClockStretch, int]
HOUR: Final = 3_600
LAST_SECOND: Final = 86_399
PARTS: Final = _WORDS.read("parts", dict[str, tuple[int, int]])
_NIGHT: Final = ClockStretch(((20 * HOUR, LAST_SECOND),), is_part=True)
_BEFORE_DAWN: Final = ClockStretch(((0, 8 * HOUR),), is_part=True)
_HALVES: Final = _WORDS.mapping("halves")
_NEVER_HOURS: Final = frozenset(_WORDS.words("never_hours"))


@rule
def exact_clock(tokens: TokenStream, at: int) -> Clock | None:
    """A time that can be nothing else: "3:30", "5 pm", "9a", "six o'clock", "ten past 9", "noon", "at 6.45"."""
    start = tokens.skip(at, "at", "@", "around", "about", "approximately", "exactly")
    start = tokens.skip(start, "around", "about", "t") if not tokens.word(start).isdecimal() else start
    named = {"noon": 12, "midday": 12, "midnight": 0}.get(tokens.word(start))
    if named is not None:
        return ClockTime(named), start + 1
    for read in (_past_the_hour, _with_minutes, _with_half_of_day, _sharp, _military):
        found = read(tokens, start)
        if found:
            return _in_part(tokens, *found)
    return None


@rule
def due_clock(tokens: TokenStream, at: int) -> Clock | None:
    """A time where one is due, so that a bare number is one too: "at 5", "10, tonight"."""
    found = exact_clock(tokens, at)
    if found:
        return found
    start = tokens.skip(at, "at", "@", "around", "about")
    return _bare(tokens, tokens.skip(start, "around", "about"))


def _bare(tokens: TokenStream, at: int) -> Clock | None:
    found = _hour(tokens, at)
    if found is None or tokens.word(found[1]) in _NEVER_HOURS or unit(tokens, found[1]):
        return None
    minute = _spoken_minute(tokens, found[1])
    value, end = (ClockTime(found[0], minute[0]), minute[1]) if minute else (ClockTime(found[0]), found[1])
    return _in_part(tokens, replace(value, is_half_known=not 1 <= found[0] <= 12), end)


def _hour(tokens: TokenStream, at: int) -> tuple[int, int] | None:
    word = tokens.word(at)
    value = int(word) if word.isdecimal() and len(word) <= 2 else NUMBERS.get(word, 99)
    return (value, at + 1) if 0 <= value <= 24 and tokens.word(at - 1) not in {"$", "/"} else None


def _spoken_minute(tokens: TokenStream, at: int) -> tuple[int, int] | None:
    """ "Thirty", "forty-five", "forty-three minutes" after an hour."""
    tens = NUMBERS.get(tokens.word(at), 0)
    if not 10 <= tens < 60:
        return None
    ones_at = tokens.skip(at + 1, "-")
    ones = NUMBERS.get(tokens.word(ones_at), 0) if tens >= 20 else 0
    value, end = (tens + ones, ones_at + 1) if 0 < ones < 10 else (tens, at + 1)
    return value, tokens.skip(end, "minutes")


def _half_of_day(tokens: TokenStream, at: int) -> tuple[int | None, int] | None:
    """ "am" or "pm", as 0 or 12, however it is dotted; None of "ampm"."""
    start = tokens.skip(at, ".") if tokens.is_glued(at) else at
    word = tokens.word(start)
    if word in {"am", "pm", "ampm"}:
        return {"am": 0, "pm": 12}.get(word), start + 1
    if word not in {"a", "p"}:
        return None
    m_at = tokens.skip(start + 1, ".")
    if tokens.word(m_at) == "m":
        return 0 if word == "a" else 12, m_at + 1 + (tokens.word(m_at + 1) == "." and m_at > start + 1)
    return (0 if word == "a" else 12, start + 1) if tokens.is_glued(start) else None


def _with_half_of_day(tokens: TokenStream, at: int) -> Clock | None:
    found = _hour(tokens, at)
    half = _half_of_day(tokens, found[1]) if found else None
    if found is None or half is None:
        return None
    return _in_half(ClockTime(found[0]), half[0]), half[1]


def _in_half(clock: ClockTime, half: int | None) -> ClockTime:
    """The time with its half of the day."""
    if half is None:
        return replace(clock, is_half_known=False)
    return replace(clock, hour=clock.hour % 12 + half if clock.hour <= 12 else clock.hour, is_half_known=True)


def _with_minutes(tokens: TokenStream, at: int) -> Clock | None:
    """ "3:30", "17:55:23", "8.30pm", "6.45" after "at"; both halves of the day unless one is named."""
    found = _hour(tokens, at)
    sign, minute = tokens.word(at + 1), tokens.word(at + 2)
    if found is None or sign not in {":", "."} or not tokens.is_glued(at + 1) or not tokens.is_glued(at + 2):
        return None
    if len(minute) != 2 or not minute.isdecimal() or int(minute) > 59 or not tokens.word(at).isdecimal():
        return None
    end, second = at + 3, 0
    if tokens.word(end) == ":" and tokens.word(end + 1).isdecimal() and int(tokens.word(end + 1)[:3]) < 60:
        second, end = int(tokens.word(end + 1)), end + 2
    half = _half_of_day(tokens, end)
    clock = ClockTime(found[0], int(minute), second)
    if half:
        return _in_half(clock, half[0]), half[1]
    if sign == "." and tokens.word(at - 1) != "at":
        return None
    is_known = not 1 <= found[0] <= 12 or tokens.word(at).startswith("0") or tokens.word(at - 1) == "t"
    return replace(clock, is_half_known=is_known), end


def _sharp(tokens: TokenStream, at: int) -> Clock | None:
    """ "4 o'clock", "11ish"."""
    found = _hour(tokens, at)
    if found is None:
        return None
    if tokens.word(found[1]) == "ish":
        return ClockTime(found[0]), found[1] + 1
    if tokens.word(found[1]) == "sharp":
        return ClockTime(found[0], is_half_known=not 1 <= found[0] <= 12), found[1] + 1
    end = tokens.after_any(found[1], ("o ' clock", "o ’ clock", "oclock", "o clock"))
    if end is None:
        return None
    half = _half_of_day(tokens, end)
    clock = ClockTime(found[0], is_half_known=not 1 <= found[0] <= 12)
    return (_in_half(clock, half[0]), half[1]) if half else (clock, end)


def _military(tokens: TokenStream, at: int) -> Clock | None:
    """ "0730": in either half of the day, as Recognizers-Text has it."""
    word = tokens.word(at)
    if not (len(word) == 4 and word.isdecimal() and word.startswith("0") and int(word[2:]) < 60):
        return None
    return ClockTime(int(word[:2]), int(word[2:]), is_half_known=False), at + 1


def _past_the_hour(tokens: TokenStream, at: int) -> Clock | None:
    """ "Ten past 9", "half past 3", "a quarter to six"."""
    start = tokens.skip(at, "a")
    word = tokens.word(start)
    minutes = {"half": 30, "quarter": 15}.get(
        word, NUMBERS.get(word, int(word) if word.isdecimal() and len(word) < 3 else 0)
    )
    side_at = tokens.skip(start + 1, "minutes", "mins")
    if minutes <= 0 or minutes > 59 or tokens.word(side_at) not in {"past", "to"}:
        return None
    if tokens.word(side_at) == "to" and word not in {"quarter"} and side_at == start + 1:
        return None  # "ten to six" may be a stretch of hours
    found = _hour(tokens, side_at + 1)
    if found is None or unit(tokens, found[1]):
        return None
    minute = minutes if tokens.word(side_at) == "past" else -minutes
    hour, minute = divmod(found[0] * 60 + minute, 60)
    half = _half_of_day(tokens, found[1])
    clock = ClockTime(hour % 24, minute, is_half_known=not 1 <= found[0] <= 12)
    return (_in_half(clock, half[0]), half[1]) if half else (clock, found[1])


def _in_part(tokens: TokenStream, clock: ClockTime, end: int) -> Clock:
    """ "9 in the evening": the part of the day says which half is meant."""
    part_at = tokens.after_any(end, ("in the", "at"))
    word = tokens.word(part_at) if part_at else ""
    half = {"morning": 0, "afternoon": 12, "evening": 12, "night": 12}.get(word)
    if part_at is None or half is None:
        return clock, end
    # "3 at night" is 3:00, not 15:00
    return _in_half(clock, half) if not (word == "night" and clock.hour < 5) else clock, part_at + 1


@rule
def part_of_day(tokens: TokenStream, at: int) -> Stretch | None:
    """ "Morning", "the late afternoon", "early evening", "night-time", "later in the afternoon"."""
    start = (
        tokens.after_any(at, ("later in the", "earlier in the", "late in the", "early in the", "in the", "the")) or at
    )
    half = _HALVES.get(tokens.word(at)) if start > at else None
    if tokens.word(start) in _HALVES:
        half, start = _HALVES[tokens.word(start)], tokens.skip(start + 1, "-")
    word, end = tokens.word(start), tokens.skip(tokens.skip(start + 1, "-"), "time")
    end = start + 1 if end == start + 2 and tokens.word(start + 1) == "-" else end  # a hyphen belongs to "-time" alone
    if word in {"night", "nighttime"}:
        is_time = end > start + 1 or word == "nighttime"
        return (_BEFORE_DAWN if is_time else _NIGHT), end
    if word not in PARTS:
        return None
    first, last = (hour * HOUR for hour in PARTS[word])
    middle = (first + last) // 2
    first, last = {"start": (first, middle), "end": (middle, last)}.get(half or "", (first, last))
    return ClockStretch(((first, last),), is_part=True), start + 1


@rule
def clock_stretch(tokens: TokenStream, at: int) -> Stretch | None:
    """ "8-9am", "from 7:00 to 8:00pm", "between 2:20 and 3pm", "from 10 am for 3 hours"."""
    is_led = tokens.word(at) in {"from", "between", "in"}
    start = at + is_led
    first = due_clock(tokens, start)
    if first is None:
        return _for_hours_from(tokens, at)
    if is_led and tokens.word(first[1]) == "for" and (found := length(tokens, first[1] + 1)) and found[0].is_of_clock:
        seconds = first[0].seconds
        return ClockStretch(((seconds, seconds + int(found[0].seconds)),)), found[1]
    joins = {"to", "-", "–", "~", "until", "till", "through"} | ({"and"} if tokens.word(at) == "between" else set())
    last = due_clock(tokens, first[1] + 1) if tokens.word(first[1]) in joins else None
    if last is None or ordinal(tokens, first[1] + 1):
        return None
    return clock_between(first[0], last[0]), last[1]


def _for_hours_from(tokens: TokenStream, at: int) -> Stretch | None:
    """ "For 3 hours from 10 am"."""
    found = length(tokens, at + 1) if tokens.word(at) == "for" else None
    if found is None or not found[0].is_of_clock or tokens.word(found[1]) != "from":
        return None
    first = due_clock(tokens, found[1] + 1)
    if first is None:
        return None
    return ClockStretch(((first[0].seconds, first[0].seconds + int(found[0].seconds)),)), first[1]


def is_surely_of_clock(tokens: TokenStream, at: int, end: int) -> bool:
    """Whether a stretch holds more than two bare numbers: "8-9am", not "11-4"."""
    words = [tokens.word(place) for place in range(at, end)]
    return any(word in {":", "am", "pm", "a", "p", "oclock", "noon", "midnight", "clock"} for word in words)
