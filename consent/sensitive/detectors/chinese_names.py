"""Finds names that a Chinese phrase introduces as such: 我叫…, 姓名：…"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from consent.sensitive.types import Finding, SensitiveKind
from foundation.lexicon import read_lexicon

_WORDS: Final = read_lexicon(__file__, "names")

_LATIN_WORD = r"[A-Z][a-z]{1,20}+(?:['-][A-Z]?[a-z]{1,20}+)?"
_LATIN = rf"{_LATIN_WORD}(?:[ ·]{_LATIN_WORD}){{0,2}}+"
_PAUSE = r"(?=$|[\s,.!?;:()，。！？；：、（）“”\"'])"
_GIVEN = _WORDS.of("zh").pattern("given")
# "我是…" is followed by far more than names: three characters before a pause, and no word for a kind of person.
_I_AM = _WORDS.of("zh").pattern("i_am")
_HINTS = _WORDS.of("zh").words("hints")
_KINDS_OF_PEOPLE = frozenset(_WORDS.of("zh").words("kinds_of_people"))


def find(text: str) -> Iterator[Finding]:
    """Names after an introducing phrase: a surname and one or two characters, or capitalized Latin words."""
    if not any(hint in text for hint in _HINTS):
        return
    for match in _GIVEN.finditer(text):
        yield Finding(SensitiveKind.PERSONAL_NAME, *match.span("name"))
    for match in _I_AM.finditer(text):
        if match["name"][-1] not in _KINDS_OF_PEOPLE:
            yield Finding(SensitiveKind.PERSONAL_NAME, *match.span("name"))
