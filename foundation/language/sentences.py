"""Split a text into sentences, Chinese and English."""

from __future__ import annotations

import re

_CLOSERS = "\"'”’」』）)】》\\]"
# A run of full stops is looked at once, from its first one: where that ends no sentence, neither does any after it.
_BOUNDARY = re.compile(rf"[。！？!?…]++[{_CLOSERS}]*+|(?<!\.)\.++[{_CLOSERS}]*+(?=\s|$)|\n++")
_ABBREVIATION = re.compile(
    r"\b(?:mr|mrs|ms|dr|prof|st|jr|sr|vs|etc|inc|ltd|co|corp|no|approx|fig|(?:[a-z]\.)*[a-z])\.$",
    re.IGNORECASE,
)
_LONGEST_ABBREVIATION = 8


def split_sentences(text: str) -> list[str]:
    """The sentences of ``text`` in order, stripped, none empty, their end marks kept.

    Full stops inside numbers and tickers, after initials and after common abbreviations do not end a
    sentence. Line breaks do.
    """
    sentences: list[str] = []
    start = 0
    for match in _BOUNDARY.finditer(text):
        if not _is_abbreviation(text, start, match):
            sentences.append(text[start : match.end()].strip())
            start = match.end()
    sentences.append(text[start:].strip())
    return [sentence for sentence in sentences if sentence]


def _is_abbreviation(text: str, start: int, boundary: re.Match[str]) -> bool:
    if boundary.group() != ".":
        return False
    opening = max(start, boundary.start() - _LONGEST_ABBREVIATION)
    return _ABBREVIATION.search(text[opening : boundary.end()]) is not None
