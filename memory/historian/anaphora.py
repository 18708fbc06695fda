"""Whether a sentence can be read alone, or takes its meaning from what was said before it.

There are two degrees. A sentence that ``has_anaphora`` has no meaning without the sentence before it ("the same",
"这样"). A sentence that ``has_open_reference`` has a meaning but leaves open what it is about: it has a definite noun
phrase that nothing in it introduces ("the exhibitions"), a comparison without its other side ("other museums"), or a
verb that stands for one said before ("I don't").
"""

from __future__ import annotations

import re
from typing import Final

from foundation.lexicon import read_lexicon
from memory.rewriting.protected_spans import without_quotations

_WORDS: Final = read_lexicon(__file__)

_POINTS_BACK: Final = _WORDS.pattern("points_back", re.IGNORECASE)
"""Words that nobody understands without the sentence before."""
_ANAPHORA: Final = _WORDS.of("en").pattern("anaphora", re.IGNORECASE)
"""Definite words for what was spoken of before."""
_DEFINITE: Final = _WORDS.of("en").pattern("definite", re.IGNORECASE)
_UNIQUE: Final = frozenset(_WORDS.of("en").words("unique"))
"""Nouns whose "the" needs nothing said before it: the one of its kind, or of everybody's surroundings, and the weak
definites of institutions, "go to the gym" (Hawkins 1978; Carlson and Sussman 2005).
"""
_AFTER_A_NOUN: Final = frozenset(_WORDS.of("en").words("after_a_noun"))
"""Words, or nothing, before which a noun phrase has come to its head."""
_POSTMODIFIED: Final = _WORDS.of("en").pattern("postmodified", re.IGNORECASE)
"""What tells after a noun which one is meant."""
_INTRODUCED: Final = _WORDS.of("en").pattern("introduced", re.IGNORECASE)
"""What brings something into a sentence that a definite noun phrase after it belongs to: "a restaurant … the food"."""
_BOUNDARY: Final = _WORDS.of("en").pattern("boundary", re.IGNORECASE)
_RELATIVE: Final = _WORDS.of("en").pattern("relative", re.IGNORECASE)
"""Comparisons whose other side was said before, and words for members of a set that was named before."""
_STANDS_FOR_A_VERB: Final = _WORDS.of("en").pattern("stands_for_a_verb", re.IGNORECASE)
_LEANS_ZH: Final = _WORDS.of("zh").pattern("leans")


def has_anaphora(text: str) -> bool:
    """Whether words of a sentence mean something only after the one before it: "this", "the same", "那个"."""
    own = without_quotations(text)
    return _POINTS_BACK.search(own) is not None or _ANAPHORA.search(own) is not None


def references(text: str) -> list[re.Match[str]]:
    """The words by which a text points back, each where it stands in the text."""
    return [found for pattern in (_POINTS_BACK, _ANAPHORA) for found in pattern.finditer(text)]


def has_open_reference(text: str) -> bool:
    """Whether a sentence leaves open what it is about: "the exhibitions", "other museums", "每个城市"."""
    own = without_quotations(text)
    return (
        _RELATIVE.search(own) is not None
        or _STANDS_FOR_A_VERB.search(own) is not None
        or _LEANS_ZH.search(own) is not None
        or any(_is_unexplained(match) for match in _DEFINITE.finditer(own))
    )


def _is_unexplained(match: re.Match[str]) -> bool:
    """Whether a definite noun phrase names nothing that is unique, explained behind it or introduced before it."""
    text, words = match.string, match["noun"].split()
    if words[0][:1].isupper() or _is_introduced(text, match.start()):
        return False
    end = match.start("noun")
    for word, following in zip(words, [*words[1:], ""], strict=True):
        end += len(word)
        is_head = following.lower() in _AFTER_A_NOUN
        if (is_head and word.lower().rstrip("'’") in _UNIQUE) or _POSTMODIFIED.match(text, end):
            return False
        if is_head:
            return True
        end += 1
    return True


def _is_introduced(text: str, at: int) -> bool:
    """Whether a clause before that of this place introduces something to which what it names may belong."""
    boundary = max(
        (found.start() for found in _BOUNDARY.finditer(text, max(0, at - CHARACTERS_LOOKED_BACK), at)), default=-1
    )
    return boundary > 0 and _INTRODUCED.search(text, max(0, boundary - CHARACTERS_LOOKED_BACK), boundary) is not None


CHARACTERS_LOOKED_BACK: Final = 120
"""Characters before a definite noun phrase that are searched for what it belongs to."""
