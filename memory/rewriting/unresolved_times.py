"""Finds distances in time that stay unresolved, since the words do not say what they count from.

Nobody reading them later could place them, so they are reported as unresolved: "has an exam in two weeks" may lie
ahead, "the week before" counts from what the conversation spoke of.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from foundation.language.inflection import is_common_verb, is_past_tense
from foundation.lexicon import read_lexicon
from memory.rewriting import times_en
from memory.rewriting.protected_spans import harmless_spans, overlaps

_WORDS: Final = read_lexicon(__file__)

_MAY_LIE_AHEAD: Final = _WORDS.of("en").pattern("may_lie_ahead", re.IGNORECASE)
_COUNTED_FROM_ELSEWHERE: Final = _WORDS.pattern("counted_from_elsewhere", re.IGNORECASE)
_WORD: Final = re.compile(r"[a-z]+", re.IGNORECASE)
_SENTENCE_END: Final = re.compile(r"[.!?]\s|\n")
_AUXILIARIES: Final = frozenset(_WORDS.of("en").words("auxiliaries"))


def open_times(text: str) -> Iterator[str]:
    """Every such expression, but for those after a verb in the past: "read it in two days" says how long it took."""
    harmless = harmless_spans(text)
    ahead = (match for match in _MAY_LIE_AHEAD.finditer(text) if not _is_past(_said_before(match)))
    for match in (*_COUNTED_FROM_ELSEWHERE.finditer(text), *ahead):
        if not overlaps(*match.span(), harmless):
            yield match.group()


def _said_before(match: re.Match[str]) -> str:
    """The words before a match that may belong to its sentence."""
    return match.string[max(0, match.start() - times_en.LONGEST_SENTENCE) : match.start()]


def _is_past(said: str) -> bool:
    """Whether the last verb of the sentence that ``said`` ends in is in the past."""
    words = _WORD.findall(_SENTENCE_END.split(said)[-1])
    return next((is_past_tense(word) for word in reversed(words) if _is_verb(word)), False)


def _is_verb(word: str) -> bool:
    stems = {word.lower(), word.lower().removesuffix("s"), word.lower().removesuffix("es")}
    return is_past_tense(word) or any(is_common_verb(stem) or stem in _AUXILIARIES for stem in stems)
