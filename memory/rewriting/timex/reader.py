"""Finds every expression of time in a text and says what it means, counted from a given clock."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Final

from foundation.language import (
    Language,
)
from foundation.lexicon import read_lexicon
from memory.rewriting.protected_spans import merged, overlaps, quoted_spans
from memory.rewriting.timex import en, zh
from memory.rewriting.timex.en_clock import PARTS
from memory.rewriting.timex.en_words import MONTHS, NUMBERS, ORDINALS, UNITS, WEEKDAYS
from memory.rewriting.timex.meanings import Meaning, Read
from memory.rewriting.timex.tokens import TokenStream
from memory.rewriting.timex.types import TimeExpression

_WORDS: Final = read_lexicon(__file__).of("en")

_GRAMMARS: Final[Mapping[Language, Callable[[TokenStream, int], Read | None]]] = {
    "en": en.expression,
    "zh": zh.expression,
}

_OPENINGS: Final[Mapping[Language, frozenset[str]]] = {"en": en.OPENINGS, "zh": zh.OPENINGS}
"""The words that an expression may begin with; it may also begin with a figure."""
FEW: Final = 3
"""Distance in tokens below which two expressions, or an expression and a word of time, may belong together."""
LINKS: Final = frozenset(_WORDS.words("links"))
BRACKETS: Final = frozenset({"(", "[", '"', "'", "“", "‘", "*"})
CLOSING: Final = frozenset({",", ".", ";", "!", "?", ")", "]", '"', "'", "’", "”", ":"})
DIVIDERS: Final = frozenset({",", ".", ";", "!", "?", "and", "or", "，", "。", "、", "；", "！", "？"})
_NAMES: Final = frozenset({*MONTHS, *WEEKDAYS, *UNITS, *NUMBERS, *ORDINALS, *PARTS}) - {"may", "march", "second", "one"}
LEFT_OVER: Final = _NAMES | frozenset(_WORDS.words("left_over"))
"""Words that show, where they stand beside an expression, that it was not understood as a whole."""


def read_times(text: str, now: datetime, language: Language) -> list[TimeExpression]:
    """The expressions of a text, from left to right and apart from each other, by the wall clock ``now``.

    Linear in the length of the text: each place is read once, and no rule repeats without a bound.
    """
    tokens = TokenStream.of(text, now)
    quoted = merged(quoted_spans(text))
    places = list(_read(tokens, language))
    ends = [0, *(end for _, end, _ in places)]
    starts = [*(at for at, _, _ in places), len(tokens.tokens) + FEW]
    return [
        _expression(
            tokens,
            at,
            end,
            meaning,
            is_apart=_is_apart(tokens, ends[place], at, end, starts[place + 1])
            and not overlaps(tokens.tokens[at].start, tokens.tokens[end - 1].end, quoted),
        )
        for place, (at, end, meaning) in enumerate(places)
    ]


def _read(tokens: TokenStream, language: Language) -> Iterator[tuple[int, int, Meaning]]:
    at = last = 0
    begins, openings = _GRAMMARS[language], _OPENINGS[language]
    while at < len(tokens.tokens):
        word = tokens.words[at]
        may_begin = (word in openings or word.isdecimal()) and not (at > last and _is_inside_a_figure(tokens, at))
        read = begins(tokens, at) if may_begin else None
        if read and read[1] > at:
            yield at, read[1], read[0]
            at = last = read[1]
        else:
            at += 1


def _is_inside_a_figure(tokens: TokenStream, at: int) -> bool:
    """Whether a figure goes on there: "1-1-1", 三三三."""
    word, before = tokens.word(at), tokens.word(at - 1)
    if word in zh.NUMERALS:
        return before in zh.NUMERALS
    is_joined = before in {"-", "/", ".", ":"} and tokens.is_glued(at) and tokens.is_glued(at - 1)
    return word.isdecimal() and is_joined and tokens.word(at - 2).isdecimal()


def _is_apart(tokens: TokenStream, before: int, at: int, end: int, following: int) -> bool:
    """Whether an expression stands by itself. One beside another, or beside a number or a name of a day, is a part of
    what was not understood as a whole.
    """
    if tokens.word(at - 1) in {"from", "between"}:  # a stretch of which the end was not understood
        return False
    if not _is_whole(tokens, at, end):
        return False
    around = {*range(max(before, at - FEW), at), *range(end, min(following, end + FEW))}
    # Where no expression stands before it, the gap is given a length at which nothing touches.
    gaps = (range(before, at) if before else range(-FEW, 0), range(end, following))
    touches = (len(gap) < FEW and _is_link(tokens, gap) for gap in gaps)
    return not any(touches) and not any(_is_left_over(tokens, place, at, end) for place in around)


def _is_whole(tokens: TokenStream, at: int, end: int) -> bool:
    """Whether the words are not a piece of something written together: "A31 May", "sales-2019-05-03.csv"."""
    before, after = tokens.word(at - 1), tokens.word(end)
    is_free = not tokens.is_glued(at) or before in BRACKETS or not before.isascii()
    closed = after in CLOSING or not after.isascii() or not tokens.is_glued(end + 1)
    return is_free and (not tokens.is_glued(end) or (closed and not after.isalnum()) or not after.isascii())


def _is_link(tokens: TokenStream, gap: range) -> bool:
    """Whether the words between two expressions may make them one."""
    words = [tokens.word(place) for place in gap]
    return all(word in LINKS for word in words) or not any(word in DIVIDERS for word in words)


def _is_left_over(tokens: TokenStream, place: int, at: int, end: int) -> bool:
    """Whether a word of time or a number stands there, with no more than a link between it and the expression."""
    between = range(place + 1, at) if place < at else range(end, place)
    if not all(tokens.word(step) in LINKS for step in between):
        return False
    word = tokens.word(place)
    return word.isdecimal() or word in LEFT_OVER


def _expression(tokens: TokenStream, at: int, end: int, meaning: Meaning, *, is_apart: bool) -> TimeExpression:
    return TimeExpression(
        start=tokens.tokens[at].start,
        end=tokens.tokens[end - 1].end,
        kind=meaning.kind,
        intervals=meaning.intervals,
        length=timedelta(seconds=meaning.length.seconds) if meaning.length else None,
        grain=meaning.grain,
        is_relative=meaning.is_relative,
        is_sure=len(meaning.intervals) == 1 and not meaning.is_open and is_apart,
    )
