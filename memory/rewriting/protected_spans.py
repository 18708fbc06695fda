"""Spans of a text that only look relative and are never rewritten: titles, fixed expressions, technical terms."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import Final

from foundation.lexicon import read_lexicon

_WORDS: Final = read_lexicon(__file__)

_QUOTED: Final = r"《[^》]{0,200}》|〈[^〉]{0,200}〉|「[^」]{0,200}」|『[^』]{0,200}』|“[^”]{0,200}”|\"[^\"]{0,200}\""
_SPOKEN = re.compile(rf"(?:{_WORDS.phrase('spoken')})[:：,，]?\s*$", re.IGNORECASE)
LOOK_BACK: Final = 100
"""Characters. What stands farther away does not decide how a word is meant; keeps long texts linear."""
_ANY_QUOTE = re.compile(_QUOTED)
_FIXED = _WORDS.pattern("fixed", re.IGNORECASE)
_FIXED_CASE = _WORDS.of("en").pattern("fixed_case")
_EXPLETIVE = _WORDS.of("en").pattern("expletive", re.IGNORECASE)


_IT = _WORDS.of("en").pattern("it")
_NAMED_BEFORE = _WORDS.of("en").pattern("named_before")
"""A thing named earlier in the sentence: the "it" that follows is understood without any other sentence."""


def quoted_spans(text: str) -> list[tuple[int, int]]:
    """Everything in quotation or title marks: somebody's exact words, never rewritten."""
    return [match.span() for match in _ANY_QUOTE.finditer(text)]


def without_quotations(text: str) -> str:
    """The text's own words alone."""
    return _ANY_QUOTE.sub("", text)


def harmless_spans(text: str) -> list[tuple[int, int]]:
    """What no gate objects to: titles, quoted names and fixed expressions. Quoted speech is not harmless."""
    titles = [match.span() for match in _ANY_QUOTE.finditer(text) if not preceded_by(_SPOKEN, text, match.start())]
    return merged(titles + fixed_spans(text))


def fixed_spans(text: str) -> list[tuple[int, int]]:
    """Words that hold a pronoun or a time word without being one: 其他, 自我, "World War I", "there is"."""
    fixed = [match.span() for pattern in (_FIXED, _FIXED_CASE, _EXPLETIVE) for match in pattern.finditer(text)]
    return fixed + [match.span() for match in _IT.finditer(text) if preceded_by(_NAMED_BEFORE, text, match.start())]


def preceded_by(pattern: re.Pattern[str], text: str, position: int) -> bool:
    """Whether ``pattern``, which ends in ``$``, matches what stands just before ``position``."""
    return pattern.search(text, max(0, position - LOOK_BACK), position) is not None


def merged(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The spans in order, with overlapping ones joined into one."""
    result: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if result and start < result[-1][1]:
            result[-1] = (result[-1][0], max(end, result[-1][1]))
        else:
            result.append((start, end))
    return result


def overlaps(start: int, end: int, spans: list[tuple[int, int]]) -> bool:
    """Whether ``[start, end)`` touches one of the ``merged`` spans."""
    following = bisect_left(spans, (end,))
    return following > 0 and spans[following - 1][1] > start
