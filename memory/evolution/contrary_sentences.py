"""Whether two sentences contradict each other by their words alone, where no slot tells what they are about. Pure.

They do where they say the same with another number in its place ("closes at four", "closes at six"), or where one
denies what the other says. Everything else they say must be equal: who says the same in other words is not understood.
Vectors decide nothing here, as "opens" and "closes" are as near each other as words get.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from foundation.compiled_patterns import compile_pattern
from foundation.language import chinese_numeral, cjk_characters, normalize, weekday_number
from foundation.language.tables import languages
from foundation.lexicon import read_lexicon
from foundation.text import tokenize
from memory.evolution.clauses import ends_in_question
from memory.rewriting import times_en

_WORDS: Final = read_lexicon(__file__)
_ASIDES: Final = _WORDS.pattern("asides")
_DENIALS: Final = _WORDS.pattern("denials")
_SHADES: Final = _WORDS.pattern("shades")
_THOUSANDS: Final = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_WEEKDAY: Final = compile_pattern(
    "|".join(sorted(name for table in languages() for names in table.weekdays for name in names if not name.isascii()))
)
_EN, _ZH = _WORDS.of("en"), _WORDS.of("zh")
_DIGITS: Final = r"\d++(?:[:.]\d++)?+"
_NUMBER: Final = compile_pattern(
    rf"(?P<lead>{_EN.phrase('leads')}) (?P<en>{'|'.join(times_en.NUMBERS)})\b(?! of\b)"
    rf"|(?P<zh_lead>{_ZH.phrase('leads')})?{_ZH.phrase('start')}(?P<zh>{_ZH.phrase('numeral')}|{_DIGITS})"
    rf"(?P<measure>{_ZH.phrase('measures')})"
    rf"|(?P<share>{_ZH.phrase('shares')})(?P<part>{_ZH.phrase('numeral')}|\d++)"
    rf"|(?:(?P<digit_lead>{_EN.phrase('leads')}) )?(?P<sign>[$£€¥])?(?P<digits>{_DIGITS})(?P<percent>%)?"
)
_HALF_DAY: Final = 12
_SAME_BEGINNING: Final = 4
"""Letters that the forms of one word have in common."""
LONGEST: Final = 300
"""Characters of a sentence that is compared; a longer one says more than one thing."""


@dataclass(frozen=True, slots=True)
class _Value:
    """A number with the words that say what it counts; one without any is a name, as of a room or a bus."""

    number: str
    place: str


@dataclass(frozen=True, slots=True)
class ComparedSentence:
    """A sentence as it is compared: its words without values and denials, the values, and how often it denies."""

    text: str
    words: Counter[str]
    shades: frozenset[str]
    values: Counter[_Value]
    denials: int
    longest: str
    """The beginning of its longest word, without which another sentence is about something else; "" without words."""


def parse_sentence(sentence: str) -> ComparedSentence:
    """The sentence as it is compared with others; one that is too long has no words, and contradicts nothing."""
    written = normalize(sentence) if len(sentence) <= LONGEST else ""
    text = _WEEKDAY.sub(lambda day: f" weekday{weekday_number(day.group())} ", _THOUSANDS.sub("", written))
    text = _ASIDES.sub(" ", text)
    shades = frozenset(shade.strip() for shade in _SHADES.findall(text))
    denials = len(_DENIALS.findall(text))
    text = _DENIALS.sub(" ", text)
    frame = _NUMBER.sub(" ", text)
    characters = cjk_characters(frame)  # whole, since a word taken out makes new pairs of what stood around it
    words = Counter(word for word in tokenize(frame) if not cjk_characters(word)) + Counter(characters)
    beginnings = (word[:_SAME_BEGINNING] for word in sorted(words, key=len, reverse=True))
    longest = next((beginning for beginning in beginnings if beginning in written), "")
    return ComparedSentence(sentence, words, shades, Counter(_values_in(text)), denials, longest)


def contradicts_any(sentence: str, known: Sequence[ComparedSentence]) -> bool:
    """Whether a sentence contradicts one of those that are known."""
    text = normalize(sentence)
    near = [one for one in known if one.longest and one.longest in text]
    return bool(near) and any(map(partial(contradict, parse_sentence(sentence)), near))


def contradict(one: ComparedSentence, two: ComparedSentence) -> bool:
    """Whether two sentences cannot both hold: one value apart, or the one denying the other, and equal in all else. A
    question contradicts nothing.
    """
    if not one.words or one.words != two.words or one.shades != two.shades:
        return False
    if ends_in_question(one.text) or ends_in_question(two.text):
        return False
    if one.denials % 2 != two.denials % 2:
        return one.values == two.values
    mine, theirs = (list((a.values - b.values).elements()) for a, b in ((one, two), (two, one)))
    return len(mine) == len(theirs) == 1 and _differ(mine[0], theirs[0])


def _differ(one: _Value, two: _Value) -> bool:
    """Whether two values of one place cannot both hold. Four may be sixteen o'clock."""
    if not one.place or one.place != two.place:
        return False
    hours = [value.number.partition(":") for value in (one, two)]
    (first, _, minutes), (second, _, others) = hours
    may_be_hours = first.isdecimal() and second.isdecimal() and minutes == others
    return not (may_be_hours and abs(int(first) - int(second)) == _HALF_DAY)


def _values_in(text: str) -> Iterator[_Value]:
    for found in _NUMBER.finditer(text):
        if found["en"]:
            yield _Value(str(times_en.NUMBERS[found["en"]]), found["lead"])
        elif found["zh"]:
            yield _Value(_digits(found["zh"]), f"{found['zh_lead'] or ''}{found['measure']}")
        elif found["part"]:
            yield _Value(_digits(found["part"]), found["share"])
        else:
            place = f"{found['digit_lead'] or ''}{found['sign'] or ''}{found['percent'] or ''}"
            yield _Value(found["digits"], place)


def _digits(number: str) -> str:
    return str(chinese_numeral(number) or number)
