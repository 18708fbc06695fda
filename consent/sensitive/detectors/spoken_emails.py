"""Finds e-mail addresses written to escape programs: "carol (at) example dot com", carol艾特example点com."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from consent.sensitive.types import Finding, SensitiveKind
from foundation.lexicon import Lexicon, read_lexicon
from foundation.sanitization.rules import holds_any

_WORDS: Final = read_lexicon(__file__)
_ENGLISH: Final = _WORDS.of("en")


def _any(name: str, lexicon: Lexicon = _WORDS) -> str:
    """A pattern of any entry of a list, the longest first; the entries are patterns themselves."""
    return "|".join(sorted(lexicon.words(name), key=len, reverse=True))


def _literally(name: str, lexicon: Lexicon = _WORDS) -> str:
    return "|".join(map(re.escape, sorted(lexicon.words(name), key=len, reverse=True)))


_OPEN, _CLOSE = r"[(\[{<【「『«‹（]", r"[)\]}>】」』»›）]"
_MARKED_AT: Final = rf"{_OPEN} ?(?:{_literally('at_word')}) ?{_CLOSE}"
_MARKED_DOT: Final = rf"{_OPEN} ?(?:{_any('dot_word')}) ?{_CLOSE}"
_SPOKEN_DOT: Final = rf" ?(?:{_MARKED_DOT}|{_literally('dot')}) ?"
_DOT: Final = rf"(?: ?\. ?|{_SPOKEN_DOT})"
_HYPHEN: Final = rf"(?:-| ?(?:{_any('hyphen')}) ?)"
_LABEL: Final = rf"[A-Za-z0-9一二三四五六七八九零扣新浪]{{1,30}}(?:{_HYPHEN}[A-Za-z0-9]{{1,20}})?"
_TOP: Final = rf"(?:{_any('top', _ENGLISH)})(?![A-Za-z0-9])"
_HOST: Final = rf"(?:{_any('host', _ENGLISH)})"
_AT: Final = rf"(?: ?(?:{_MARKED_AT}|{_literally('at')}) ?|[ \n]@ ?|@ |@\n?)"
_SPOKEN_AT: Final = rf"(?:{_literally('spoken_at', _ENGLISH)})"
_DOMAIN: Final = re.compile(
    rf"{_AT}(?:{_LABEL}{_DOT}){{1,3}}{_TOP}"
    rf"|{_SPOKEN_AT}(?:[a-z]{{2,15}} )?{_LABEL}(?:{_SPOKEN_DOT}{_LABEL})?{_SPOKEN_DOT}{_TOP}"
    rf"|(?:{_AT}|{_SPOKEN_AT}){_HOST}[ .,]?{_TOP}"
    rf"|@{_HOST}(?![A-Za-z0-9@._-])",
    re.IGNORECASE,
)
_JOINT: Final = rf"(?: ?(?:{_MARKED_DOT}|{_literally('dot')}) ?| ?(?:{_any('joint')}) ?)"
_PART: Final = r"(?:[A-Za-z0-9_%+-](?: [A-Za-z0-9._]){2,30}|[A-Za-z0-9_%+.-]{1,40})"
_LOCAL: Final = re.compile(rf"(?<![A-Za-z0-9._%+-]){_PART}(?:{_JOINT}{_PART}){{0,4}}$", re.IGNORECASE)
_SPACED: Final = re.compile(
    r"(?<![A-Za-z0-9])[A-Za-z0-9](?: [A-Za-z0-9._-]){1,30} @(?: [A-Za-z0-9-]){2,30} \.(?: [a-z]){2,4}(?![A-Za-z0-9])"
)

_HINTS: Final = ("@", *(word.lower() for word in _WORDS.words("at")))
_MARKED: Final = re.compile(_MARKED_AT, re.IGNORECASE)
_SPOKEN_HINTS: Final = (
    tuple(word.lower() for word in _ENGLISH.words("spoken_at")),
    (*_WORDS.words("dot"), *_ENGLISH.words("host"), ")", "]", "}"),
)
"""Where "at" is spoken as a word, the dot must be a word or mark too, or the host must be a known one."""
_PLAIN: Final = re.compile(r"@[A-Za-z0-9.-]+\.[A-Za-z0-9-]+")
LONGEST_LOCAL: Final = 70
"""So many characters before the "@" are searched for the part of the address that stands there."""


def find(text: str) -> Iterator[Finding]:
    """Addresses with a known top-level domain; the part before the "@" is searched for backwards from it."""
    if not _may_stand_in(text):
        return
    for spaced in _SPACED.finditer(text):
        yield Finding(SensitiveKind.EMAIL, *spaced.span())
    for match in _DOMAIN.finditer(text):
        if _PLAIN.fullmatch(match.group()):
            continue
        begin = max(0, match.start() - LONGEST_LOCAL)
        local = _LOCAL.search(text[begin : match.start()])
        if local is not None:
            yield Finding(SensitiveKind.EMAIL, begin + local.start(), match.end())


def _may_stand_in(text: str) -> bool:
    lowered = text.lower()
    if holds_any(lowered, _HINTS) or all(holds_any(lowered, words) for words in _SPOKEN_HINTS):
        return True
    return _MARKED.search(text) is not None
