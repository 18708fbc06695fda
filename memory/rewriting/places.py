"""The event's location in place of "here"; "there" stays as it is."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory.rewriting.protected_spans import preceded_by

_HERE_ZH = re.compile(r"这里|这儿|这边|本地(?!化)|本市")
_HERE_EN = re.compile(
    r"\b(?:(?P<bare>(?:over |around |right )?here|locally)|(?P<noun>this (?:city|town|place)))\b",
    re.IGNORECASE,
)
_PREPOSITION = re.compile(r"\b(?:from|to|in|near|around|of|at)\s+$", re.IGNORECASE)
_MOVES = re.compile(
    r"\b(?:came|come|comes|coming|moved|move|moves|moving|flew|fly|travell?ed|arrived|back|got)\s+$",
    re.IGNORECASE,
)


def name_places(text: str, location: str | None) -> Iterator[tuple[int, int, str]]:
    """The replacements ``(start, end, words)`` that put ``location`` for "here"; none without one."""
    if not location:
        return
    for match in _HERE_ZH.finditer(text):
        yield *match.span(), location
    for match in _HERE_EN.finditer(text):
        yield *match.span(), _english(match, location)


def _english(match: re.Match[str], location: str) -> str:
    text, start = match.string, match.start()
    if match["noun"] or preceded_by(_PREPOSITION, text, start):
        return location
    return f"to {location}" if preceded_by(_MOVES, text, start) else f"in {location}"
