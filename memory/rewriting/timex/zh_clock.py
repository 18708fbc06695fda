"""Chinese times of the clock and parts of the day."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from foundation.lexicon import read_lexicon
from memory.rewriting.timex.clock_times import ClockStretch, ClockTime, clock_between
from memory.rewriting.timex.tokens import TokenStream, rule
from memory.rewriting.timex.zh_words import FROM, JOINS, after, number, past

_WORDS: Final = read_lexicon(__file__, "clock").of("zh")

_HOUR: Final = 3_600
_PARTS: Final = _WORDS.read("parts", dict[str, tuple[int, int]])
"""The parts of the day, each with its first and its last hour as in Recognizers-Text."""
SHORT_PARTS: Final = frozenset(_WORDS.words("short_parts"))
"""Parts of the day of one character, which may also belong to another word: 早, 晚."""
Clock = tuple[ClockTime, int]


@rule
def clock(tokens: TokenStream, at: int) -> Clock | None:
    """晚上19:30, 九点二十, 下午5:00, 17点55分23秒, 十点半."""
    start = past(tokens, at, "大约", "大概", "约", "差不多")
    part = part_name(tokens, start)
    hour_at = past(tokens, part[1], "的", "大约", "大概") if part else start
    found = _with_colon(tokens, hour_at) or _spoken(tokens, hour_at)
    if found is None:
        return None
    value, end = found
    return (_in_part(value, part[0]) if part else value), past(tokens, end, "左右", "整")


def _in_part(value: ClockTime, part: str) -> ClockTime:
    """下午五点 is 17:00, 凌晨三点 3:00."""
    is_late = (_PARTS[part][0] >= 12 and value.hour < 12) or (part in {"中午", "午间"} and value.hour < 3)
    is_past_midnight = part in {"半夜", "深夜", "夜里"} and value.hour < 6
    hour = value.hour + 12 * (is_late and not is_past_midnight)
    return replace(value, hour=hour % 24, is_half_known=True)


def _with_colon(tokens: TokenStream, at: int) -> Clock | None:
    hour, sign, minute = tokens.word(at), tokens.word(at + 1), tokens.word(at + 2)
    if sign not in {":", "："} or not (hour.isdecimal() and minute.isdecimal()) or len(hour) > 2 or len(minute) != 2:
        return None
    if int(hour) > 24 or int(minute) > 59:
        return None
    end, second = at + 3, 0
    if tokens.word(end) in {":", "："} and tokens.word(end + 1).isdecimal() and len(tokens.word(end + 1)) == 2:
        second, end = int(tokens.word(end + 1)) % 60, end + 2
    value = ClockTime(int(hour), int(minute), second, is_half_known=int(hour) > 12 or hour.startswith("0"))
    return _western_half(tokens, value, end)


def _western_half(tokens: TokenStream, value: ClockTime, at: int) -> Clock:
    """Am and pm, dotted or not."""
    letters = tokens.word(at)
    if letters in {"am", "pm"}:
        return replace(value, hour=value.hour % 12 + 12 * (letters == "pm"), is_half_known=True), at + 1
    if letters in {"a", "p"} and tokens.word(tokens.skip(at + 1, ".")) == "m":
        end = tokens.skip(tokens.skip(at + 1, ".") + 1, ".")
        return replace(value, hour=value.hour % 12 + 12 * (letters == "p"), is_half_known=True), end
    return value, at


def _spoken(tokens: TokenStream, at: int) -> Clock | None:
    hour = number(tokens, at)
    end = after(tokens, hour[1], "点钟", "点", "时") if hour else None
    if (
        hour is None
        or end is None
        or hour[0] > 24
        or tokens.word(end) in {"间", "候", "代", "期", "击", "评", "赞", "钟头"}
    ):
        return None
    minute, end = _minutes(tokens, end)
    second = number(tokens, end)
    second_end = after(tokens, second[1], "秒") if second else None
    value = ClockTime(hour[0], minute, is_half_known=not 1 <= hour[0] <= 12)
    if second and second_end is not None and second[0] < 60:
        return replace(value, second=second[0]), second_end
    return value, end


def _minutes(tokens: TokenStream, at: int) -> tuple[int, int]:
    """半, 一刻, 三刻, 二十分, 零五分; 0 where none are named."""
    for words, value in (("半", 30), ("一刻", 15), ("三刻", 45), ("1刻", 15), ("3刻", 45)):
        if (end := after(tokens, at, words)) is not None:
            return value, end
    found = number(tokens, past(tokens, at, "过"))
    if (
        found is None
        or found[0] > 59
        or tokens.word(found[1]) in {"个", "天", "月", "年", "号", "日", "人", "点", "小"}
    ):
        return 0, at
    has_unit = tokens.word(found[1]) == "分"
    return (found[0], found[1] + has_unit) if has_unit or not tokens.word(at).isdecimal() else (0, at)


@rule
def part_name(tokens: TokenStream, at: int) -> tuple[str, int] | None:
    """A part of the day."""
    for words in _PARTS:
        end = after(tokens, at, words)
        # 早餐, 晚饭 and 晚会 name no part of the day.
        if end is not None and (
            words not in SHORT_PARTS or tokens.word(end) not in {"餐", "饭", "点", "安", "会", "期", "年"}
        ):
            return words, end
    return None


def span_of_part(part: str) -> ClockStretch:
    first, last = _PARTS[part]
    return ClockStretch(((first * _HOUR, min(last * _HOUR, 86_399)),), is_part=True)


@rule
def clock_stretch(tokens: TokenStream, at: int) -> tuple[ClockStretch, int] | None:
    """下午五点到七点半, 8:00-9:00."""
    start = past(tokens, at, *FROM)
    first = clock(tokens, start)
    join = after(tokens, first[1], *JOINS) if first else None
    last = clock(tokens, join) if join is not None else None
    if first is None or last is None:
        return None
    beginning, ending = first[0], last[0]
    if beginning.is_half_known and not ending.is_half_known and part_name(tokens, start):
        ending = replace(
            ending, hour=ending.hour + 12 * (beginning.hour >= 12 and ending.hour < 12), is_half_known=True
        )
    return clock_between(beginning, ending), last[1]
