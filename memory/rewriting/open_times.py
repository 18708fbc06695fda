"""Distances in time that stay unresolved, since the words do not say what they count from.

Nobody reading them later could place them, so they are told of as unresolved: "has an exam in two weeks" may lie ahead,
"the week before" counts from what the conversation spoke of.
"""

# ruff: noqa: E501 - a pattern and what it means are read on one line

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from memory.grammar import is_common_verb, is_past_tense
from memory.rewriting import times_en, times_zh
from memory.rewriting.protected_spans import harmless_spans, overlaps

_MAY_LIE_AHEAD: Final = re.compile(
    rf"\b(?:in|within) (?:{times_en.ABOUT}|{times_en.NUMBER}|a couple of) (?:day|wk|week|fortnight|month|year|decade)s?\b"
    r"(?: and a half| or (?:two|so|more))?(?! (?:of|after|before)\b)",
    re.IGNORECASE,
)
_COUNTED_FROM_ELSEWHERE: Final = re.compile(
    r"\b(?:the other (?:week|weekend|month|night|morning|evening)|this (?:day|time) (?:in|on)"
    r"|(?:days?|weeks?|fortnights?|months?|years?) earlier"
    r"|the (?:day|week|weekend|month|year|night) (?:before|after)(?=[.,;!?]|$))"
    rf"|(?<![第年月的\d{times_zh.NUMERAL}]){times_zh.AFTER_EVENT}(?:{times_zh.NUMBER}|[几数半]|[一二两三]百)(?:{times_zh.UNIT})(?:[以之]?内(?![^，,。；;！!？?\n]{{0,60}}了)|多?[以之]?前(?!后)|以来)"
    r"|(?<![没每只刚不才经超通度])过(?:[两几]天|[两几]周|[两几]个?(?:月|星期|礼拜)|一?阵子?|一?段时间)"
    r"|(?<![年月的每])前(?:[两三四五六]个?月|[两三]周|[两三]天)|不久[之以]?后|不久(?=将|就)|(?<!每)隔[天日周年]|[上下]半月",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"[a-z]+", re.IGNORECASE)
_SENTENCE_END: Final = re.compile(r"[.!?]\s|\n")
_AUXILIARIES: Final = frozenset(
    ["is", "are", "has", "have", "does", "do", "can", "may", "might", "could", "should", "would"]
)


def open_times(text: str) -> Iterator[str]:
    """Every such expression. One after a verb in the past ("read it in two days") tells how long it took."""
    harmless = harmless_spans(text)
    ahead = (match for match in _MAY_LIE_AHEAD.finditer(text) if not _is_past(_said_before(match)))
    for match in (*_COUNTED_FROM_ELSEWHERE.finditer(text), *ahead):
        if not overlaps(*match.span(), harmless):
            yield match.group()


def _said_before(match: re.Match[str]) -> str:
    """The words before a match that may belong to its sentence."""
    return match.string[max(0, match.start() - times_en.LONGEST_SENTENCE) : match.start()]


def _is_past(said: str) -> bool:
    """Whether the last verb of the sentence so far is in the past."""
    words = _WORD.findall(_SENTENCE_END.split(said)[-1])
    return next((is_past_tense(word) for word in reversed(words) if _is_verb(word)), False)


def _is_verb(word: str) -> bool:
    stems = {word.lower(), word.lower().removesuffix("s"), word.lower().removesuffix("es")}
    return is_past_tense(word) or any(is_common_verb(stem) or stem in _AUXILIARIES for stem in stems)
