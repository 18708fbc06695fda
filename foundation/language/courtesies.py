"""Small talk: messages of nothing but greetings, thanks, goodbyes and the like."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Final, get_args

from foundation.compiled_patterns import compile_pattern
from foundation.language.normalization import comparison_form
from foundation.language.script import CJK_RANGES
from foundation.language.tables import Courtesy, languages

LONGEST: Final = 120
_NO_LETTER_BEFORE: Final = rf"(?<![^\W_{CJK_RANGES}])(?<!')"
_NO_LETTER_AFTER: Final = rf"(?![^\W_{CJK_RANGES}]|')"


def courtesy_in(text: str) -> Courtesy | None:
    """The kind of small talk that a message is; None where it says or asks anything else. Linear in its length.

    "Hi, where do I live?" is none: a question is left of it over the words of small talk.
    """
    if len(text) > LONGEST:
        return None
    left = comparison_form(text).replace("’", "'")
    first = next((at for at, character in enumerate(left) if character.isalnum()), len(left))
    if not _opening_pattern().match(left, first):
        return None
    found: list[Courtesy] = []
    for kind, pattern in _courtesy_patterns():
        left, number = pattern.subn(" ", left)
        found += [kind] * min(number, 1)
    if not found or any(character.isalnum() for character in _filler_pattern().sub(" ", left)):
        return None
    return found[0] if found != ["greeting", "agreed"] else "greeting"


@cache
def _courtesy_patterns() -> tuple[tuple[Courtesy, re.Pattern[str]], ...]:
    """A pattern of each kind in every language, in the order of ``Courtesy``: "how do you do" comes before "you"."""
    kinds: tuple[Courtesy, ...] = get_args(Courtesy)
    rules = {kind: [tables.courtesies[kind] for tables in languages() if kind in tables.courtesies] for kind in kinds}
    return tuple((kind, _word_pattern(rule.any_of(rule.patterns) for rule in rules[kind])) for kind in kinds)


@cache
def _opening_pattern() -> re.Pattern[str]:
    """Small talk or a filler at the beginning of a message: without one there is something else to it."""
    words = [pattern.pattern for _, pattern in _courtesy_patterns()]
    return compile_pattern("|".join([*words, _filler_pattern().pattern]))


@cache
def _filler_pattern() -> re.Pattern[str]:
    return _word_pattern(filler for tables in languages() for filler in tables.courtesy_fillers)


def _word_pattern(words: Iterable[str]) -> re.Pattern[str]:
    return compile_pattern(f"{_NO_LETTER_BEFORE}(?:{'|'.join(words)}){_NO_LETTER_AFTER}")
