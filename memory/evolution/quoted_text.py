"""Reduces a message to its author's own words: without quoted speech and without blocks the assistant injected."""

from __future__ import annotations

import re
from typing import Final

from foundation.lexicon import read_lexicon

_WORDS: Final = read_lexicon(__file__)

_TAGS = "user_memory|knowledge|user_context"
_ECHOED = re.compile(rf"<({_TAGS})\b[^<>]*>.*?(?:</\1\s*>|\Z)", re.IGNORECASE | re.DOTALL)
_SPEECH = re.compile(
    rf"""(?:{_WORDS.phrase("speech")})(?:\"[^\"]*\"|“[^”]{{0,300}}”|「[^」]{{0,300}}」|'[^']{{3,}}'(?!\w))""",
    re.IGNORECASE,
)
_FIRST_PERSON_QUOTE = re.compile(
    rf"""[\"“「](?=[^\"“”「」]{{0,300}}(?:{_WORDS.phrase("first_person_quote")}))[^\"“”「」]{{0,300}}[\"”」]"""
)


def without_echoes(text: str) -> str:
    """The user's own words, without injected memory and knowledge blocks and quoted speech."""
    return _FIRST_PERSON_QUOTE.sub(" ", _SPEECH.sub(" ", without_injected(text)))


def without_injected(text: str) -> str:
    """The text without what the assistant injected: memory, knowledge and context blocks."""
    return _ECHOED.sub(" ", text)
