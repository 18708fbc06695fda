"""Reads English recurrences, which the standard TimeML calls sets: "every two days", "weekly"."""

from __future__ import annotations

from typing import Final

from foundation.lexicon import read_lexicon
from memory.rewriting.timex.en_clock import PARTS, exact_clock
from memory.rewriting.timex.en_words import WEEKDAYS, cardinal, month, unit, weekday
from memory.rewriting.timex.meanings import Meaning, Read
from memory.rewriting.timex.tokens import TokenStream, rule

_WORDS: Final = read_lexicon(__file__, "habits").of("en")

SETS: Final = frozenset(_WORDS.words("sets"))
"""Words that mean a recurrence by themselves: "weekly"."""
SET_LEADS: Final = frozenset(_WORDS.words("set_leads"))
"""Words that a recurrence begins with: "every"."""


@rule
def habit(tokens: TokenStream, at: int) -> Read | None:
    """ "Every two days", "each Sunday", "weekly", "mornings", "once a week": no date of its own."""
    found = _recurrence(tokens, at)
    return (Meaning("set", is_relative=False), found) if found else None


def _recurrence(tokens: TokenStream, at: int) -> int | None:
    word = tokens.word(at)
    if word in SETS or (word in PARTS and word.endswith("s") and tokens.word(at - 1) != "the"):
        return at + 1
    if word in WEEKDAYS and word.endswith("days"):
        return at + 1
    if (
        word in {"once", "twice", "times"}
        and tokens.word(at + 1) in {"a", "an", "every", "per"}
        and unit(tokens, at + 2)
    ):
        return at + 3
    return _after_every(tokens, at + 1) if word in SET_LEADS else None


def _after_every(tokens: TokenStream, at: int) -> int | None:
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
