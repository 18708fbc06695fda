"""Finds names that an English phrase introduces as such: "my name is …"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from consent.sensitive.types import Finding, SensitiveKind
from foundation.lexicon import read_lexicon

_WORDS: Final = read_lexicon(__file__, "names")

_CAPITAL = r"[A-ZÀ-ÖØ-Þ][^\W\d_]{0,30}+(?:['-][^\W\d_]{1,30}+){0,3}"
_NAME = rf"(?-i:(?P<name>{_CAPITAL}(?: {_CAPITAL}){{0,2}}+))"
_SMALL = r"(?P<small>[a-z]{2,15}(?: [a-z]{2,15}){0,2}?)"
_ENDS = _WORDS.of("en").phrase("ends")
_MY_NAME = _WORDS.of("en").phrase("my_name")
_CALLS = _WORDS.of("en").phrase("calls")
_NAME_IS = (" name is", " name's", " name:", " name was", "née ")
# For each pattern: the words without which it need not be tried, and the pattern. Some require a pause after the name.
_GIVEN = tuple(
    (hints, re.compile(rf"(?<![a-z]){pattern}", re.IGNORECASE))
    for hints, pattern in (
        (_NAME_IS, _MY_NAME + _NAME),
        (_NAME_IS, _MY_NAME + _SMALL + _ENDS),
        (("i'm ", "i am ", "this is "), rf"(?:hi|hello|hey)\b[ ,!.]{{1,3}}+(?:i'm|i am|this is) {_NAME}{_ENDS}"),
        (("call me ", "go by ", " called "), _CALLS),
        (("this is ",), rf"this is {_NAME} (?:speaking|calling){_ENDS}"),
    )
)
_CALLED = _WORDS.of("en").pattern("called", re.IGNORECASE)
_NO_NAMES = frozenset(_WORDS.of("en").words("no_names"))


def find(text: str) -> Iterator[Finding]:
    """Names after an introducing phrase."""
    lowered = text.lower()
    for hints, pattern in _GIVEN:
        if not any(hint in lowered for hint in hints):
            continue
        for match in pattern.finditer(text):
            group = "small" if "small" in match.groupdict() else "name"
            if match[group].split()[0].lower() not in _NO_NAMES:
                yield Finding(SensitiveKind.PERSONAL_NAME, *match.span(group))


def preferred_names(text: str) -> list[str]:
    """The names that somebody wants to be called by, as in "Call me Al": display names, not secrets."""
    return [match["name"] for match in _CALLED.finditer(text)]
