"""The polarity of a sentence, for or against what it is about, and the side of a thesis; Chinese and English."""

from __future__ import annotations

import re
from typing import Final, Literal

from finclaw.brain.material.sentence_mood import condition_in
from foundation.lexicon import read_lexicon

_WORDS: Final = read_lexicon(__file__)

ThesisSide = Literal["for", "against", ""]

_TURNS: Final = _WORDS.pattern("turns", re.IGNORECASE)
_AGAINST: Final = _WORDS.pattern("against", re.IGNORECASE)
_FALLS: Final = _WORDS.pattern("falls", re.IGNORECASE)
_FOR: Final = _WORDS.pattern("for", re.IGNORECASE)
_BURDEN: Final = _WORDS.pattern("burden", re.IGNORECASE)
_DEMANDED: Final = _WORDS.pattern("demanded", re.IGNORECASE)
_DENIED: Final = _WORDS.pattern("denied", re.IGNORECASE)
_CLAUSE: Final = re.compile(r"[,;，；。]")
_SIDES: Final = _WORDS.pattern("sides", re.IGNORECASE)
_SIDE_DENIED: Final = _WORDS.pattern("side_denied", re.IGNORECASE)
_COMMA: Final = re.compile(r"[,，]")


def speaks_against(sentence: str) -> bool:
    """Whether a sentence names something unfavourable that it does not deny, or turns contrary without a favourable
    word.
    """
    named = any(_is_affirmed(sentence, found) for found in _AGAINST.finditer(sentence))
    if named or any(
        _is_affirmed(sentence, found) and not _is_falling_burden(sentence, found) for found in _FALLS.finditer(sentence)
    ):
        return True
    turn = _TURNS.search(sentence)
    return turn is not None and _FOR.search(sentence, turn.end()) is None


def speaks_for(sentence: str) -> bool:
    """Whether a sentence tells something favourable that it does not deny; not a growing burden, a requirement, a
    condition, or one with a contrary word.
    """
    if speaks_against(sentence) or condition_in(sentence) or _BURDEN.search(sentence) or _DEMANDED.search(sentence):
        return False
    return any(_is_affirmed(sentence, found) for found in _FOR.finditer(sentence))


def _is_affirmed(sentence: str, word: re.Match[str]) -> bool:
    return _DENIED.search(sentence[: word.start()]) is None


def _is_falling_burden(sentence: str, falls: re.Match[str]) -> bool:
    """Whether what falls is a burden."""
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
    is_denied = _SIDE_DENIED.search(thesis[: found.start()]) is not None
    return "for" if is_for != is_denied else "against"
