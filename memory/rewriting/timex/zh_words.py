"""The Chinese words that expressions of time are made of: numerals, units, names. A token is a character."""

from __future__ import annotations

from typing import Final

from foundation.language.numerals import DIGITS, leading_numeral
from foundation.lexicon import read_lexicon
from memory.rewriting.timex.calendar import Length
from memory.rewriting.timex.tokens import TokenStream, rule

_WORDS: Final = read_lexicon(__file__, "words").of("zh")

_VAGUE: Final = _WORDS.numbers("vague")
_UNITS: Final = _WORDS.read("units", dict[str, tuple[int, str]])
"""Units that need no measure word; a month is counted with one: 三个月."""
_MEASURED: Final = _WORDS.words("measured")
WEEK: Final = _WORDS.words("week")
WEEKDAYS: Final = _WORDS.numbers("weekdays")
ERAS: Final = _WORDS.numbers("eras")
"""The first year of each; eras are counted from one."""
JOINS: Final = _WORDS.words("joins")
"""Words between the two ends of a stretch."""
FROM: Final = _WORDS.words("from")
"""Words before the first end of a stretch."""


def after(tokens: TokenStream, at: int, *words: str) -> int | None:
    """The place after the first of the words that stands there. A run of digits or letters is one character."""
    if not tokens.characters.startswith(words, at):
        return None
    return next(at + len(word) for word in words if tokens.characters.startswith(word, at))


def past(tokens: TokenStream, at: int, *words: str) -> int:
    """The place after one of the words, or the same place."""
    found = after(tokens, at, *words)
    return at if found is None else found


@rule
def number(tokens: TokenStream, at: int) -> tuple[int, int] | None:
    """三, 十二, 二十, 一百零五, 30."""
    word = tokens.word(at)
    if word.isdecimal():
        return (int(word), at + 1) if len(word) <= 5 else None
    value, end = leading_numeral(tokens.characters, at)
    return (value, end) if end > at else None


@rule
def digits(tokens: TokenStream, at: int) -> tuple[str, int] | None:
    """A numeral digit by digit: 二零一六, 2016."""
    word = tokens.word(at)
    if word.isdecimal():
        return word, at + 1
    end = at
    while end < at + 5 and tokens.word(end) in DIGITS and tokens.word(end) != "两":
        end += 1
    return ("".join(str(DIGITS[tokens.word(place)]) for place in range(at, end)), end) if end > at else None


@rule
def amount(tokens: TokenStream, at: int) -> tuple[float, int, bool] | None:
    """How many, and whether that is left open: 三, 2.5, 半, 几, 十几."""
    if tokens.word(at) == "半":
        return 0.5, at + 1, False
    if tokens.word(at) in _VAGUE:
        return _VAGUE[tokens.word(at)], at + 1, True
    found = number(tokens, at)
    if found is None:
        return None
    value, end = found
    fraction = tokens.word(end + 1)
    if tokens.word(end) == "." and fraction.isdecimal() and tokens.is_glued(end) and tokens.is_glued(end + 1):
        return float(f"{value}.{fraction[:6]}"), end + 2, False
    if tokens.word(end) in {"多", "几", "来", "余"}:
        return value, end + 1, True
    return value, end, False


@rule
def unit(tokens: TokenStream, at: int) -> tuple[tuple[int, str], int] | None:
    """A unit of time, with its measure word if it has one."""
    measured = after(tokens, at, "个")
    if measured is not None:
        end = after(tokens, measured, *_MEASURED)
        if end is None:
            return None
        word = "".join(tokens.word(place) for place in range(measured, end))
        return ({"月": (1, "month"), "工作日": (1, "day")}.get(word) or _UNITS[word]), end
    for word, meaning in _UNITS.items():
        if (end := after(tokens, at, word)) is not None:
            return meaning, end
    letters = {"h": (1, "hour"), "min": (1, "minute"), "s": (1, "second")}.get(tokens.word(at))
    return (letters, at + 1) if letters else None


@rule
def length(tokens: TokenStream, at: int) -> tuple[Length, int] | None:
    """三天, 两个半小时, 一年半, 8天又二十个小时, 一年又一个月21天."""
    first = _counted_unit(tokens, at)
    if first is None:
        return None
    parts, end, is_vague = first
    for _ in range(4):
        following = _counted_unit(tokens, past(tokens, end, "又", "零", "加", "和", "外加"))
        if following is None:
            break
        parts, end, is_vague = (*parts, *following[0]), following[1], is_vague or following[2]
    return Length(parts, is_vague), end


Counted = tuple[tuple[tuple[float, str], ...], int, bool]


def _counted_unit(tokens: TokenStream, at: int) -> Counted | None:
    found = amount(tokens, at)
    if found is None:
        return None
    value, end, is_vague = found
    half_at = after(tokens, end, "个半")
    if half_at is not None:
        value, end = value + 0.5, half_at
        named = after(tokens, end, "月")
        measured = ((1, "month"), named) if named is not None else unit(tokens, end)
    else:
        measured = unit(tokens, end)
    if measured is None or _is_of_a_date(tokens, at, end, measured):
        return None
    (times, name), end = measured
    if tokens.word(end) == "半" and tokens.word(end + 1) not in {"年", "个", "小"}:
        value, end = value + 0.5, end + 1
    if tokens.word(end) == "多":
        is_vague, end = True, end + 1
    return ((value * times, name),), end, is_vague


def _is_of_a_date(tokens: TokenStream, at: int, end: int, measured: tuple[tuple[int, str], int]) -> bool:
    """Whether the unit is none here: 年 and 日 end a date (2016年, 15日), 分 is part of another word (三分之一)."""
    word = tokens.word(measured[1] - 1)
    if word == "日" and tokens.word(end) == "日":
        return True
    if word == "分" and tokens.word(measured[1]) in {"之", "为", "成", "手", "公", "开", "支", "享", "析", "店"}:
        return True
    if word != "年" or tokens.word(end) != "年":
        return False
    written = tokens.word(at)
    is_year = written.isdecimal() and (len(written) == 4 or written.startswith("0"))
    is_spelled = (
        (run := digits(tokens, at)) is not None and len(run[0]) >= 2 and run[1] == end and not written.isdecimal()
    )
    return is_year or is_spelled or tokens.word(measured[1]) in {"代", "级"}


@rule
def weekday(tokens: TokenStream, at: int) -> tuple[int, int] | None:
    """周一, 星期天, 礼拜三."""
    end = after(tokens, at, *WEEK)
    if end is None or tokens.word(end) not in WEEKDAYS:
        return None
    is_counted = (tokens.word(end) == "一" and tokens.word(end + 1) in {"个", "次", "天"}) or tokens.word(
        end + 1
    ) == "年"
    return None if is_counted else (WEEKDAYS[tokens.word(end)], end + 1)
