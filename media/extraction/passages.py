"""Divides the text of a file into passages, each small enough to be found and quoted by itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from foundation.language import split_sentences

PASSAGE_CHARS: Final = 900
"""A passage ends at the last paragraph or sentence before this many characters."""


class PassageText(NamedTuple):
    """A passage and the page that it stands on, from 1 on."""

    page: int
    text: str


def split_passages(pages: Sequence[str]) -> list[PassageText]:
    """The passages of a file's pages, in their order; none crosses a page."""
    return [PassageText(number, text) for number, page in enumerate(pages, 1) for text in _pieces_joined(page)]


def _pieces_joined(page: str) -> Iterator[str]:
    """As many whole paragraphs, else sentences, together as a passage holds."""
    passage = ""
    for piece, separator in _pieces(page):
        if passage and len(passage) + len(separator) + len(piece) > PASSAGE_CHARS:
            yield passage
            passage = piece
        else:
            passage = f"{passage}{separator}{piece}" if passage else piece
    if passage.strip():
        yield passage


def _pieces(page: str) -> Iterator[tuple[str, str]]:
    """The paragraphs of a page, long ones by sentences, and those without an end in parts; each with what joins it."""
    for paragraph in filter(None, map(str.strip, page.split("\n"))):
        separator = "\n"
        for sentence in [paragraph] if len(paragraph) <= PASSAGE_CHARS else split_sentences(paragraph) or [paragraph]:
            for start in range(0, len(sentence), PASSAGE_CHARS):
                yield sentence[start : start + PASSAGE_CHARS], separator
                separator = " " if sentence[:1].isascii() else ""
