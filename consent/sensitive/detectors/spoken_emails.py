"""E-mail addresses written so that programs overlook them: "carol (at) example dot com", carol艾特example点com."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from consent.sensitive.types import Finding, SensitiveKind
from foundation.lexicon import Lexicon, read_lexicon
from foundation.sanitization.rules import holds_any

_WORDS: Final = read_lexicon(__file__)

_HYPHEN: Final = rf"(?:-| ?(?:{_WORDS.phrase('hyphen')}) ?)"
_LABEL: Final = rf"[A-Za-z0-9一二三四五六七八九零扣新浪]{{1,30}}(?:{_HYPHEN}[A-Za-z0-9]{{1,20}})?"
_DOT: Final = rf" ?(?:\.|{_WORDS.phrase('dot')}) ?"
_SPOKEN_DOT: Final = rf" ?(?:{_WORDS.phrase('dot')}) ?"
_TOP: Final = rf"(?:{_WORDS.of('en').phrase('top')})(?![A-Za-z0-9])"
_DOMAIN: Final = re.compile(
    rf"(?: ?(?:{_WORDS.phrase('at')}) ?|[ \n]@ ?|@ |@\n?)(?:{_LABEL}(?:{_DOT})){{1,3}}{_TOP}"
    rf"|(?:{_WORDS.of('en').phrase('spoken_at')})(?:[a-z]{{2,15}} )?"
    rf"{_LABEL}(?:{_SPOKEN_DOT}{_LABEL})?{_SPOKEN_DOT}{_TOP}",
    re.IGNORECASE,
)
_JOINT: Final = rf"(?: ?(?:{_WORDS.phrase('dot')}) ?| ?(?:{_WORDS.phrase('joint')}) ?)"
_PART: Final = r"(?:[A-Za-z0-9_%+-](?: [A-Za-z0-9._]){2,30}|[A-Za-z0-9_%+.-]{1,40})"
_LOCAL: Final = re.compile(rf"(?<![A-Za-z0-9._%+-]){_PART}(?:{_JOINT}{_PART}){{0,4}}$", re.IGNORECASE)
_SPACED: Final = re.compile(
    r"(?<![A-Za-z0-9])[A-Za-z0-9](?: [A-Za-z0-9._-]){1,30} @(?: [A-Za-z0-9-]){2,30} \.(?: [a-z]){2,4}(?![A-Za-z0-9])"
)


def _literal(name: str, lexicon: Lexicon = _WORDS) -> tuple[str, ...]:
    return tuple(word.replace("\\", "") for word in lexicon.words(name))


_HINTS: Final = ("@", *_literal("at"))
_SPOKEN_HINTS: Final = (_literal("spoken_at", _WORDS.of("en")), _literal("dot"))
"""Where "at" is a word alone, a dot has to be one, too."""
_PLAIN: Final = re.compile(r"@[A-Za-z0-9.-]+")
_LONGEST: Final = 70


def find(text: str) -> Iterator[Finding]:
    """Addresses whose domain ends as domains do; what stands before the "@" is read back to where it begins."""
    lowered = text.lower()
    if not holds_any(lowered, _HINTS) and not all(holds_any(lowered, words) for words in _SPOKEN_HINTS):
        return
    for spaced in _SPACED.finditer(text):
        yield Finding(SensitiveKind.EMAIL, *spaced.span())
    for match in _DOMAIN.finditer(text):
        if _PLAIN.fullmatch(match.group()):
            continue
        begin = max(0, match.start() - _LONGEST)
        local = _LOCAL.search(text[begin : match.start()])
        if local is not None:
            yield Finding(SensitiveKind.EMAIL, begin + local.start(), match.end())
