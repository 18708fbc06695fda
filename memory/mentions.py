"""Decides whether a text speaks of a memory, by the words that this memory has and most others have not."""

from __future__ import annotations

import re
from typing import Final

from foundation.language import normalize
from foundation.lexicon import read_lexicon
from foundation.text import tokenize

_WORDS: Final = read_lexicon(__file__)

Terms = frozenset[str]

# Words in which any memory is put, and any answer given: they tell no memory from another.
_FRAME: Final = frozenset(token for word in _WORDS.words("frame") for token in tokenize(word))
_ALONE: Final = frozenset(_WORDS.of("zh").words("alone"))
# Taken out before Chinese is cut into pairs: a pair across a word's edge is no word.
_BETWEEN: Final = re.compile("|".join(_WORDS.of("zh").phrase(name) for name in ("frame", "between")))
_ENOUGH: Final = 2  # terms shared: one alone may be chance where a memory has many
_ENOUGH_OF_FEW: Final = 1 / 3  # of a short memory's terms


def core_terms(text: str) -> Terms:
    """The index tokens that carry what a text is about, without frame words and particles. Chinese and English."""
    words = _BETWEEN.sub(" ", normalize(text))
    return frozenset(token for token in tokenize(words) if token not in _FRAME and token not in _ALONE)


def speaks_of(said: Terms, memory: Terms) -> bool:
    """Whether a text shares two of the memory's terms, or a third of them."""
    shared = len(said & memory)
    return shared >= _ENOUGH or (shared > 0 and shared >= _ENOUGH_OF_FEW * len(memory))


def refers_to_memory(text: str) -> bool:
    """Whether a reply says that it draws on what it was told before: "you mentioned", "您之前提到"."""
    return _REFERENCE.search(normalize(text)) is not None


_REFERENCE: Final = _WORDS.pattern("reference")
