"""English decades and centuries."""

from __future__ import annotations

from typing import Final

from foundation.lexicon import read_lexicon
from memory.rewriting.timex import calendar
from memory.rewriting.timex.en_words import ordinal
from memory.rewriting.timex.meanings import Read, fixed
from memory.rewriting.timex.tokens import TokenStream, rule

_WORDS: Final = read_lexicon(__file__, "periods").of("en")
BEFORE_A_YEAR: Final = frozenset(_WORDS.words("before_a_year"))
"""Words before two or four digits by which they are a year."""
_DECADES: Final = _WORDS.numbers("decades")


@rule
def decade(tokens: TokenStream, at: int) -> Read | None:
    """ "The 1990s", "1990 s", "the 90s", "the nineties"."""
    start = tokens.skip(at, "the")
    word = tokens.word(start)
    if word in _DECADES and start > at:
        return _decade(tokens, _DECADES[word] % 100, start + 1)
    s_at = tokens.skip(start + 1, "'", "’")
    if not word.isdecimal() or tokens.word(s_at) != "s" or not word.endswith("0"):
        return None
    if len(word) == 4 and 1000 <= int(word) < 2200:
        return fixed("range", calendar.year_stretch(int(word), 10), grain="year", is_relative=False), s_at + 1
    is_decade = (len(word) == 2 and tokens.word(at - 1) in BEFORE_A_YEAR | {"the"}) or (len(word) == 2 and start > at)
    return _decade(tokens, int(word), s_at + 1) if is_decade else None


def _decade(tokens: TokenStream, short: int, end: int) -> Read:
    """A decade without a century ("the 90s"): that of the last century or of this one."""
    century = tokens.now.year // 100 * 100
    both = (calendar.year_stretch(century - 100 + short, 10), calendar.year_stretch(century + short, 10))
    return fixed("range", *both, grain="year", is_relative=False, is_open=True), end


@rule
def century(tokens: TokenStream, at: int) -> Read | None:
    """ "The 21st century" counts from 2000, as people say it."""
    found = ordinal(tokens, tokens.skip(at, "the"))
    if found is None or tokens.word(found[1]) != "century":
        return None
    meaning = fixed("range", calendar.year_stretch((found[0] - 1) * 100, 100), grain="year", is_relative=False)
    return meaning, found[1] + 1
