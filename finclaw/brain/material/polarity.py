"""The polarity of a sentence, for or against what it is about, and the side of a thesis; Chinese and English."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, Literal

from finclaw.brain.understanding.sentence_mood import condition_in
from foundation.language import (
    is_denied,
)
from foundation.lexicon import read_lexicon

_WORDS: Final = read_lexicon(__file__)

ThesisSide = Literal["for", "against", ""]

_TURNS: Final = _WORDS.pattern("turns", re.IGNORECASE)
_AGAINST: Final = _WORDS.pattern("against", re.IGNORECASE)
_FALLS: Final = _WORDS.pattern("falls", re.IGNORECASE)
_FOR: Final = _WORDS.pattern("for", re.IGNORECASE)
_BURDEN: Final = _WORDS.pattern("burden", re.IGNORECASE)
_DEMANDED: Final = _WORDS.pattern("demanded", re.IGNORECASE)
_CLAUSE: Final = re.compile(r"[,;，；。]")
_SIDES: Final = _WORDS.pattern("sides", re.IGNORECASE)
_COMMA: Final = re.compile(r"[,，]")


def speaks_against(sentence: str) -> bool:
    """Whether a sentence names something unfavourable that it does not deny, or holds a "but" with no favourable word
    behind it.
    """
    falls = _affirmed(_FALLS, sentence)
    if any(_affirmed(_AGAINST, sentence)) or any(not _is_falling_burden(sentence, found) for found in falls):
        return True
    turn = _TURNS.search(sentence)
    return turn is not None and _FOR.search(sentence, turn.end()) is None


def speaks_for(sentence: str) -> bool:
    """Whether a sentence tells something favourable that it does not deny; not a growing burden, a requirement, a
    condition, or one with a contrary word.
    """
    if speaks_against(sentence) or condition_in(sentence) or _BURDEN.search(sentence) or _DEMANDED.search(sentence):
        return False
    return any(_affirmed(_FOR, sentence))


def _affirmed(words: re.Pattern[str], sentence: str) -> Iterator[re.Match[str]]:
    return (found for found in words.finditer(sentence) if not is_denied(sentence, found.start()))


def _is_falling_burden(sentence: str, falls: re.Match[str]) -> bool:
    """Whether what falls is a burden, as costs are: then the fall is not unfavourable."""
    before = _CLAUSE.split(sentence[: falls.start()])[-1]
    return _BURDEN.search(before) is not None


def side_of(thesis: str) -> ThesisSide:
    """The side a thesis takes in its own words, its invalidating condition aside; "" for none."""
    thesis = _without_condition(thesis)
    named = {_side_of_match(thesis, found) for found in _SIDES.finditer(thesis)}
    if len(named) == 1:
        return named.pop()
    if speaks_against(thesis):
        return "against"
    return "for" if speaks_for(thesis) else ""


def _without_condition(thesis: str) -> str:
    found = condition_in(thesis)
    if found is None:
        return thesis
    return thesis[: found.start()] if found.start() else _COMMA.split(thesis, maxsplit=1)[-1]


def _side_of_match(thesis: str, found: re.Match[str]) -> ThesisSide:
    is_for = bool(found["for"] or found["zh_for"])
    return "for" if is_for != is_denied(thesis, found.start()) else "against"
