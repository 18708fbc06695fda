"""Measures the overlap of two theses' keywords, in Chinese and English. Pure."""

from __future__ import annotations

from typing import Final

from foundation.language import (
    language_of,
    normalize,
)
from foundation.lexicon import read_lexicon
from foundation.text import tokenize

_WORDS: Final = read_lexicon(__file__)

# Chinese is cut into pairs of characters. Function words would make pairs with both their neighbours, and two texts
# look less alike than their English translations, whose "the" and "of" are dropped; so they are cut out here.
_FUNCTION_WORDS: Final = _WORDS.of("zh").pattern("function_words")


def keywords_of(text: str) -> frozenset[str]:
    """The index tokens of a text, stop words of both languages left out."""
    return frozenset(tokenize(_FUNCTION_WORDS.sub(" ", normalize(text))))


def jaccard_overlap(left: str, right: str) -> float | None:
    """The share of their joint keywords that two texts have in common, 0.0 to 1.0 (Jaccard index).

    None if words cannot be compared: one text has none, or only one is in Chinese, as when a user changes the language.
    """
    ours, theirs = keywords_of(left), keywords_of(right)
    if not ours or not theirs or language_of(left) != language_of(right):
        return None
    return len(ours & theirs) / len(ours | theirs)
