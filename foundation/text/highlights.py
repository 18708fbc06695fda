"""Highlights and snippets: where a text holds the words of a search, by the tokens of the index."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from foundation.language.normalization import normalize
from foundation.text.index_tokens import token_spans, tokenize

_PIECES: Final = re.compile(r"\S++")
_SNIPPET_BEFORE: Final = 40  # characters in front of the first word found


class HighlightedPiece(NamedTuple):
    """A piece of a text, and whether it matches the search."""

    text: str
    is_match: bool


def highlighted_pieces(text: str, query: str) -> list[HighlightedPiece]:
    """``text`` cut where words of ``query`` begin and end; joined again the pieces are the text. Linear.

    A word is found in every form that the index takes for the same (``kid`` in ``Kids``, 咖啡 in 喜歡咖啡).
    """
    wanted = frozenset(tokenize(query))
    if not wanted:
        return [HighlightedPiece(text, is_match=False)] if text else []
    return list(_joined(text, _marks(text, wanted)))


def snippet(text: str, query: str, most: int) -> str:
    """At most about ``most`` characters of ``text`` around the first word of ``query`` it holds, cut ends as ``…``."""
    if len(text) <= most:
        return text
    first = 0
    for piece in highlighted_pieces(text, query):
        if piece.is_match:
            break
        first += len(piece.text)
    else:
        first = 0
    start = max(0, min(first - _SNIPPET_BEFORE, len(text) - most))
    end = start + most
    return ("…" if start else "") + text[start:end].strip() + ("…" if end < len(text) else "")


def _marks(text: str, wanted: frozenset[str]) -> bytearray:
    """A mask with a 1 for each character of ``text`` that belongs to a matching word.

    Normalizing may change how long a text is: of what changes its length each word is taken as a whole.
    """
    marks = bytearray(len(text))
    if len(normalize(text)) == len(text):
        _mark(marks, 0, text, wanted)
        return marks
    for match in _PIECES.finditer(text):
        start, end = match.span()
        word = match.group()
        if len(normalize(word)) == len(word):
            _mark(marks, start, word, wanted)
        elif not wanted.isdisjoint(tokenize(word)):
            marks[start:end] = b"\1" * (end - start)
    return marks


def _mark(marks: bytearray, offset: int, text: str, wanted: frozenset[str]) -> None:
    for start, end, token in token_spans(text):
        if token in wanted:
            marks[offset + start : offset + end] = b"\1" * (end - start)


def _joined(text: str, marks: bytearray) -> Iterator[HighlightedPiece]:
    start = 0
    while start < len(text):
        other = marks.find(b"\0" if marks[start] else b"\1", start)
        end = len(text) if other < 0 else other
        yield HighlightedPiece(text[start:end], is_match=bool(marks[start]))
        start = end
