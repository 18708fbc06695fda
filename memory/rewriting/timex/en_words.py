"""The English words that expressions of time are made of: numbers, units, names."""

from __future__ import annotations

from typing import Final

from foundation.language import month_number, tables_of, weekday_number
from foundation.lexicon import read_lexicon
from memory.rewriting.timex.calendar import Length
from memory.rewriting.timex.tokens import TokenStream, rule

_WORDS: Final = read_lexicon(__file__, "words").of("en")
_ENGLISH: Final = tables_of("en")
NUMBERS: Final = _ENGLISH.numerals
_NTHS: Final = _WORDS.words("nths")
ORDINALS: Final = {word: value for value, word in enumerate(_NTHS, 1)} | {"thirtieth": 30}
_LEADING: Final = {word: value for word, value in NUMBERS.items() if value >= 20}
_VAGUE: Final = _WORDS.numbers("vague")
"""Words for an open amount ("several"), with the number they are counted as."""
_NAMED_UNITS: Final = _WORDS.mapping("named_units")
UNITS: Final[dict[str, tuple[int, str]]] = {
    word: (1, unit) for unit, words in _NAMED_UNITS.items() for word in words.split()
} | {
    "fortnight": (2, "week"), "fortnights": (2, "week"), "decade": (10, "year"), "decades": (10, "year"),
    "century": (100, "year"), "centuries": (100, "year"),
}  # fmt: skip
_BEFORE_A_UNIT: Final = _WORDS.words("before_a_unit")
_LETTERS: Final = _WORDS.read("letters", dict[str, tuple[int, str]])
MONTHS: Final = {name: month_number(name) for names in _ENGLISH.months for name in names}
WEEKDAYS: Final = {
    written: weekday_number(name)
    for names in _ENGLISH.weekdays
    for name in names
    for written in (name, f"{name}s" if name == names[0] else name)
}
_COMMON_WORDS: Final = frozenset(_WORDS.words("common_words"))
"""Names that are other words as well: alone they count where a word of time stands before them, or a capital."""
_BEFORE_A_NAME: Final = frozenset(_WORDS.words("before_a_name"))
Number = tuple[float, int]
# Four digits between these are read as a year.
LATEST_YEAR: Final = 2100
EARLIEST_YEAR: Final = 1500


@rule
def cardinal(tokens: TokenStream, at: int) -> Number | None:
    """ "3", "2.5", "twenty-four", "twenty and four", "a hundred"."""
    word = tokens.word(at)
    if word.isdecimal():
        return _digits(tokens, at)
    if word in _LEADING:
        unit_at = tokens.skip(at + 1, "-", "and")
        unit = NUMBERS.get(tokens.word(unit_at), 0)
        return (_LEADING[word] + unit, unit_at + 1) if 0 < unit < 10 else (_LEADING[word], at + 1)
    return (NUMBERS[word], at + 1) if word in NUMBERS else None


def _digits(tokens: TokenStream, at: int) -> Number | None:
    word = tokens.word(at)
    if len(word) > 6:
        return None
    after = tokens.word(at + 2)
    if tokens.word(at + 1) == "." and after.isdecimal() and tokens.is_glued(at + 1) and tokens.is_glued(at + 2):
        return float(f"{word}.{after[:6]}"), at + 3
    return int(word), at + 1


@rule
def whole(tokens: TokenStream, at: int) -> tuple[int, int] | None:
    """A cardinal without a fraction."""
    found = cardinal(tokens, at)
    return (int(found[0]), found[1]) if found and found[0] == int(found[0]) else None


@rule
def ordinal(tokens: TokenStream, at: int) -> tuple[int, int] | None:
    """ "1st", "02nd", "first", "twenty-sixth"."""
    word = tokens.word(at)
    if word.isdecimal() and len(word) <= 2 and tokens.word(at + 1) in {"st", "nd", "rd", "th"}:
        return (int(word), at + 2) if tokens.is_glued(at + 1) else None
    if word in ORDINALS:
        return ORDINALS[word], at + 1
    if word in _LEADING:
        unit_at = tokens.skip(at + 1, "-")
        unit = ORDINALS.get(tokens.word(unit_at), 0)
        return (_LEADING[word] + unit, unit_at + 1) if 0 < unit < 10 else None
    return None


@rule
def day_number(tokens: TokenStream, at: int) -> tuple[int, int] | None:
    """A day of a month: "the 2nd", "2", "second", "twenty-sixth day"."""
    start = tokens.skip(at, "the")
    found = ordinal(tokens, start)
    if found is None and tokens.word(start).isdecimal() and len(tokens.word(start)) <= 2:
        found = int(tokens.word(start)), start + 1
    if found is None and tokens.word(start) in _LEADING and tokens.word(start) in {"twenty", "thirty"}:
        found = whole(tokens, start)
    if found is None or not 1 <= found[0] <= 31:
        return None
    return found[0], tokens.skip(found[1], "day")


@rule
def year_number(tokens: TokenStream, at: int) -> tuple[int, int] | None:
    """ "2019", "seventeen hundred thirty three", "two thousand and eight"."""
    word = tokens.word(at)
    if word.isdecimal():
        is_year = len(word) == 4 and EARLIEST_YEAR <= int(word) < LATEST_YEAR
        return (int(word), at + 1) if is_year and not _is_amount(tokens, at) else None
    leading = cardinal(tokens, at)
    if leading is None or tokens.word(leading[1]) not in {"hundred", "thousand"}:
        return _two_halves(tokens, leading)
    value = int(leading[0]) * {"hundred": 100, "thousand": 1000}[tokens.word(leading[1])]
    rest = cardinal(tokens, tokens.skip(leading[1] + 1, "and"))
    year, end = (value + int(rest[0]), rest[1]) if rest and rest[0] < 100 else (value, leading[1] + 1)
    return (year, end) if EARLIEST_YEAR <= year < LATEST_YEAR else None


def _two_halves(tokens: TokenStream, leading: Number | None) -> tuple[int, int] | None:
    """ "Nineteen eighty seven"."""
    rest = cardinal(tokens, leading[1]) if leading and leading[0] in {15, 16, 17, 18, 19, 20} else None
    if leading is None or rest is None or tokens.word(leading[1]).isdecimal() or not 10 <= rest[0] < 100:
        return None
    return int(leading[0]) * 100 + int(rest[0]), rest[1]


def _is_amount(tokens: TokenStream, at: int) -> bool:
    """Whether a figure is part of a longer one, or of a price: "$2000", "2000.5", "12-2000"."""
    before, after = tokens.word(at - 1), tokens.word(at + 1)
    if before in {"$", "€", "£", "¥", "#", ".", ",", "_"} and tokens.is_glued(at):
        return True
    if after in {".", ",", ":"} and tokens.is_glued(at + 1) and tokens.is_glued(at + 2):
        return tokens.word(at + 2).isdecimal()
    return after in {"%", "$", "€"} and tokens.is_glued(at + 1)


@rule
def short_year(tokens: TokenStream, at: int) -> tuple[int, int] | None:
    """A year of two or four digits, where one is due: "'87", "of 87"."""
    start = tokens.skip(at, "'", "’")
    word = tokens.word(start)
    if len(word) == 2 and word.isdecimal():
        return (1900 if int(word) > 50 else 2000) + int(word), start + 1
    return year_number(tokens, at)


@rule
def month(tokens: TokenStream, at: int) -> tuple[int, int] | None:
    """The name of a month, wherever one is due."""
    word = tokens.word(at)
    return (MONTHS[word], _dotted(tokens, at, word)) if word in MONTHS else None


@rule
def weekday(tokens: TokenStream, at: int) -> tuple[int, int] | None:
    """The name of a weekday, wherever one is due."""
    word = tokens.word(at)
    return (WEEKDAYS[word], _dotted(tokens, at, word)) if word in WEEKDAYS else None


def _dotted(tokens: TokenStream, at: int, word: str) -> int:
    """Past the dot of "Sept. 3"."""
    is_dotted = tokens.word(at + 1) == "." and tokens.is_glued(at + 1) and at + 2 < len(tokens.tokens)
    is_short = len(word) <= 4 and word != "may"
    return at + 1 + (is_dotted and (is_short or (tokens.is_glued(at + 2) and tokens.word(at + 2).isdecimal())))


def is_a_name(tokens: TokenStream, at: int) -> bool:
    """Whether a month or a weekday that stands alone is surely one: "may", "sun" and "march" are other words too."""
    word = tokens.word(at)
    if word not in _COMMON_WORDS or tokens.word(at - 1) in _BEFORE_A_NAME:
        return True
    if tokens.word(at + 1) in {"to", "-", "–", "~", "through", "until"} and tokens.word(at + 2) in (MONTHS | WEEKDAYS):
        return True
    return word not in {"may", "march"} and tokens.is_capital(at)


@rule
def unit(tokens: TokenStream, at: int) -> tuple[tuple[int, str], int] | None:
    """A unit of time, with how many of a simpler one it holds."""
    word = tokens.word(at)
    return (UNITS[word], at + 1) if word in UNITS else None


@rule
def length(tokens: TokenStream, at: int) -> tuple[Length, int] | None:
    """ "Two days", "3 hours 30 minutes", "one and a half hour", "one year and a quarter"."""
    first = _counted_unit(tokens, at)
    if first is None:
        return None
    parts, end, is_vague = first
    for _ in range(3):
        following = _counted_unit(tokens, tokens.skip(end, "and", ","))
        if following is None or tokens.word(end) == "," or tokens.word(end + 1) in {"a", "an"}:
            break
        parts, end, is_vague = (*parts, *following[0]), following[1], is_vague or following[2]
    return Length(parts, is_vague), end


Counted = tuple[tuple[tuple[float, str], ...], int, bool]


def _counted_unit(tokens: TokenStream, at: int) -> Counted | None:
    amount = _amount(tokens, at)
    if amount is None:
        return None
    value, end, is_vague = amount
    found = unit(tokens, tokens.skip(end, "-", *_BEFORE_A_UNIT))
    if found is None and tokens.is_glued(end) and tokens.word(at).isdecimal() and tokens.word(end) in _LETTERS:
        found = _LETTERS[tokens.word(end)], end + 1
    if found is None or (found[0][1] == "second" and not (tokens.word(at).isdecimal() or value > 1)):
        return None
    (times, name), end = found
    fraction, end = _fraction(tokens, end)
    return (((value + fraction) * times, name),), end, is_vague


def _amount(tokens: TokenStream, at: int) -> tuple[float, int, bool] | None:
    """How many, the index of the token after it, and whether the amount is left open ("a few")."""
    word = tokens.word(at)
    if word in {"all", "whole", "entire"} and tokens.word(at + 1) in UNITS and tokens.word(at - 1) not in {"at", "of"}:
        return 1, at + 1, False
    if word == "half":
        return 0.5, tokens.skip(at + 1, "a", "an"), False
    end = tokens.after_any(at, ("a couple of", "couple of", "a couple", "the couple of"))
    if end is not None:
        return 2, end, False
    vague_at = tokens.skip(at, "a")
    if tokens.word(vague_at) in _VAGUE:
        return _VAGUE[tokens.word(vague_at)], vague_at + 1, True
    if word == "another":
        return 1, at + 1, False
    if word in {"a", "an"}:
        return _article(tokens, at)
    found = cardinal(tokens, at)
    if found is None:
        return None
    fraction, end = _fraction(tokens, found[1])
    return found[0] + fraction, end, False


def _article(tokens: TokenStream, at: int) -> tuple[float, int, bool] | None:
    if tokens.word(at + 1) == "half":
        return 0.5, at + 2, False
    return 1, at + 1, False


def _fraction(tokens: TokenStream, at: int) -> tuple[float, int]:
    """ "And a half", "and a quarter"; 0 where none stands."""
    for words, value in (("and a half", 0.5), ("and half", 0.5), ("and a quarter", 0.25)):
        if (end := tokens.after(at, words)) is not None and unit_is_not_next(tokens, end, value):
            return value, end
    return 0, at


def unit_is_not_next(tokens: TokenStream, at: int, value: float) -> bool:
    """Whether "and a quarter" is a fraction here: "one and a quarter hours", not "a year and a quarter hour"."""
    return value != 0.25 or tokens.word(at) not in UNITS or tokens.word(at) in {"hour", "hours", "year", "years"}
