"""Cuts sentences out of texts: where they stand and what remains. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from consent.erasure.types import SentenceCut
from foundation.language import split_sentences
from memory.content_blocks import REDACTED
from memory.models.sessions import text_of

_NO_SPACE_AFTER: Final = "。！？…"
DisclosureTest = Callable[[str], bool]  # whether a sentence tells what is forgotten


def sentence_spans(text: str) -> Iterator[tuple[int, int]]:
    """The begin and end of each sentence of a text, in order."""
    end = 0
    for sentence in split_sentences(text):
        begin = text.index(sentence, end)
        end = begin + len(sentence)
        yield begin, end


def cut_sentences(texts: Sequence[str], discloses: DisclosureTest) -> SentenceCut:
    """The cut of every sentence of these texts for which ``discloses`` is true."""
    spans = (
        (index, begin, end)
        for index, text in enumerate(texts)
        for begin, end in sentence_spans(text)
        if discloses(text[begin:end])
    )
    return SentenceCut(tuple(map(len, texts)), tuple(spans))


def matches_lengths(cut: SentenceCut, texts: Sequence[str]) -> bool:
    """Whether a cut was made for texts of these lengths, so that its spans still fit."""
    return cut.lengths == tuple(map(len, texts))


def relocate_cut(cut: SentenceCut, texts: Sequence[str]) -> SentenceCut:
    """Find the cut's sentences again in texts that have lost others since.

    They are recognised by their lengths. If the texts do not have exactly as many sentences of these lengths as the cut
    names, the result has no spans.
    """
    lengths = Counter(end - begin for _, begin, end in cut.spans)
    again = cut_sentences(texts, lambda sentence: len(sentence) in lengths)
    same = Counter(end - begin for _, begin, end in again.spans) == lengths
    return again if same else replace(again, spans=())


def removed_sentences(cut: SentenceCut, texts: Sequence[str]) -> list[str]:
    """The sentences that a cut removes."""
    return [texts[index][begin:end] for index, begin, end in cut.spans]


def remaining_texts(cut: SentenceCut, texts: Sequence[str]) -> list[str]:
    """Each text without the sentences that a cut removes."""
    return [_join_pieces(pieces) if len(pieces) > 1 else pieces[0] for pieces in _pieces_of(cut, texts)]


def _join_pieces(pieces: Sequence[str]) -> str:
    text = ""
    for piece in filter(None, map(str.strip, pieces)):
        text += piece if not text or text.endswith(tuple(_NO_SPACE_AFTER)) else f" {piece}"
    return text


def leaves_words(cut: SentenceCut, texts: Sequence[str]) -> bool:
    """Whether a cut leaves any words."""
    return any(text.strip() for text in remaining_texts(cut, texts))


def texts_of_blocks(blocks: Sequence[dict[str, Any]]) -> list[str]:
    """The words of each content block."""
    return [text_of([block]) for block in blocks]


def blocks_without_cut(cut: SentenceCut, blocks: Sequence[dict[str, Any]], at: datetime) -> list[dict[str, Any]]:
    """Content blocks without a cut's sentences, each replaced by a ``REDACTED`` block with the moment ``at``.

    A block that has more than its text is removed whole.
    """
    pieces = _pieces_of(cut, texts_of_blocks(blocks))
    cut_blocks = {index for index, _, _ in cut.spans}
    left: list[dict[str, Any]] = []
    for index, block in enumerate(blocks):
        if index not in cut_blocks:
            left.append(block)
            continue
        is_plain = set(block) <= {"type", "text"}
        parts = pieces[index] if is_plain else ["", ""]
        for number, part in enumerate(parts):
            if number and not (left and left[-1].get("type") == REDACTED):
                left.append({"type": REDACTED, "at": at.isoformat()})
            if part.strip():
                left.append(block | {"text": part.strip()})
    return left


def _pieces_of(cut: SentenceCut, texts: Sequence[str]) -> list[list[str]]:
    """For each text the pieces before, between and after the removed sentences."""
    pieces: list[list[str]] = [[] for _ in texts]
    read = [0] * len(texts)
    for index, begin, end in cut.spans:
        pieces[index].append(texts[index][read[index] : begin])
        read[index] = end
    return [[*parts, text[begin:]] for parts, text, begin in zip(pieces, texts, read, strict=True)]
