"""Strip what chat adds to a statement: openers, tails, fillers between commas, tag questions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from foundation.language import words_en, words_zh
from foundation.text import cjk_characters, normalize

_MARK: Final = re.compile(r"(?:(?<!\d)[,，]|[,，](?!\d)|[;；…!！?？~～]|(?<!\.)\.(?=\s|$)|\.\.++|\s[-–—](?=\s)|——)\s*+")
_QUESTION_MARKS: Final = "?？"
_KEPT_AT_THE_END: Final = frozenset("%％\"'”’」』)）]】》>$€£¥°℃+*#")
_KEPT_AT_THE_START: Final = frozenset("\"'“‘「『(（[【《<$€£¥#@+-")
_FEWEST_WORDS: Final = 3
"""Words, or Chinese characters: what is shorter than this before a question is hardly a statement."""

_MOST_ADDED: Final = 8
"""Openers, and tails, that are taken from one sentence."""

_OPENERS: Final = tuple(sorted((*words_en.OPENERS, *words_zh.OPENERS), key=len, reverse=True))
_CLOSERS: Final = tuple(sorted((*words_en.CLOSERS, *words_zh.CLOSERS), key=len, reverse=True))
_ADDED: Final = frozenset((*_OPENERS, *_CLOSERS, *words_en.ASIDES))
_TAG_QUESTIONS: Final = words_en.TAG_QUESTIONS | words_zh.TAG_QUESTIONS


@dataclass(frozen=True, slots=True)
class _ClauseSpan:
    """Positions in the sentence: the clause is ``[start, end)``, the mark and space behind it ``[end, after)``."""

    start: int
    end: int
    after: int


def without_chat_noise(sentence: str) -> str:
    """The sentence without what chat adds to it, in its own words, case and script otherwise.

    Taken away are openers ("btw", "对了"), tails ("lol", "哈哈", "so keep that in mind", "记住这一点"), both between
    commas too, doubled commas, emoji at either end, and a question behind a statement ("…, you know?", "…，你说呢？").
    A sentence of nothing else is answered as it is. Linear in the length of the sentence.
    """
    text = sentence.strip()
    folded = _fold_in_place(text)
    clauses = [clause for clause in _clauses(folded) if not _is_added(folded, clause)]
    if len(clauses) > 1 and _ends_with_side_question(folded, clauses):
        clauses.pop()
    if not clauses:
        return text
    asks = any(mark in folded[clauses[-1].end : clauses[-1].after] for mark in _QUESTION_MARKS)
    clauses[-1] = replace(clauses[-1], after=_without_closers(folded, clauses[-1].start, clauses[-1].end))
    clauses[0] = replace(clauses[0], start=_without_openers(folded, clauses[0].start, clauses[0].end))
    left = "".join(text[clause.start : clause.after] for clause in clauses).strip()
    return (f"{left}?" if asks else left) or text


def _fold_in_place(text: str) -> str:
    """The text in one case and script, each character in its place; as it is where that cannot be."""
    for folded in (normalize(text), text.lower()):
        if len(folded) == len(text):
            return folded.replace("’", "'")
    return text


def _clauses(text: str) -> Iterator[_ClauseSpan]:
    start = 0
    for mark in _MARK.finditer(text):
        if text[start : mark.start()].strip():
            yield _trimmed(text, start, mark.start(), mark.end())
        start = mark.end()
    if text[start:].strip():
        yield _trimmed(text, start, len(text), len(text))


def _trimmed(text: str, start: int, end: int, after: int) -> _ClauseSpan:
    return _ClauseSpan(_start_of_words(text, start, end), end, after)


def _is_kept_character(character: str, kept: frozenset[str]) -> bool:
    return character.isalnum() or character in kept


def _is_added(text: str, clause: _ClauseSpan) -> bool:
    words = text[clause.start : _end_of_words(text, clause.start, clause.end)]
    if not words or words in _ADDED or _is_laughter(words):
        return True
    asks = text[clause.end : clause.after].strip()[:1] in ("", *_QUESTION_MARKS)
    return asks and clause.start > 0 and words in _TAG_QUESTIONS


def _is_laughter(words: str) -> bool:
    return (len(words) > 1 and set(words) <= {"哈", "h"}) or (len(words) > 1 and set(words) == {"h", "a"})


def _ends_with_side_question(text: str, clauses: Sequence[_ClauseSpan]) -> bool:
    """Whether the last clause is a question beside a statement that stands without it."""
    first, last = clauses[0], clauses[-1]
    question = text[last.start : last.end]
    if not any(mark in text[last.end : last.after] for mark in _QUESTION_MARKS):
        return False
    before = text[first.start : clauses[-2].end]
    if cjk_characters(before):
        return (
            any(word in question for word in words_zh.QUESTION_MARKS)
            and not any(word in before for word in (*words_zh.SUPPOSING_WORDS, *words_zh.QUESTION_MARKS))
            and len(before) > _FEWEST_WORDS
        )
    words = before.split()
    return (
        question.split(maxsplit=1)[0] in words_en.QUESTION_WORDS
        and len(words) >= _FEWEST_WORDS
        and words[0] not in words_en.SUPPOSING_WORDS | words_en.QUESTION_WORDS
    )


def _without_closers(text: str, start: int, end: int) -> int:
    end = _end_of_words(text, start, end)
    for _ in range(_MOST_ADDED):
        shorter = _end_of_words(text, start, end - _closer_length(text, start, end))
        if shorter in (start, end):
            break
        end = shorter
    return end


def _closer_length(text: str, start: int, end: int) -> int:
    """The length of the tail that ends at ``end``; 0 without one."""
    for closer in _CLOSERS:
        if text.endswith(closer, start, end) and _is_word_boundary(text, start, end - len(closer)):
            return len(closer)
    return int(end - start > 1 and text[end - 1] in words_zh.PARTICLES)


def _without_openers(text: str, start: int, end: int) -> int:
    for _ in range(_MOST_ADDED):
        later = _start_of_words(text, start + _opener_length(text, start, end), end)
        if later in (start, end):
            break
        start = later
    return start


def _opener_length(text: str, start: int, end: int) -> int:
    """The length of the opener that begins at ``start``; 0 without one."""
    for opener in _OPENERS:
        if text.startswith(opener, start, end) and _is_word_boundary(text, start, start + len(opener)):
            return len(opener)
    return 0


def _is_word_boundary(text: str, start: int, at: int) -> bool:
    """Whether no Latin word goes on over position ``at``."""
    if at <= start or at >= len(text):
        return True
    return not (_is_latin(text[at - 1]) and _is_latin(text[at]))


def _is_latin(character: str) -> bool:
    return character == "'" or (character.isalnum() and not cjk_characters(character))


def _start_of_words(text: str, start: int, end: int) -> int:
    return next((at for at in range(start, end) if _is_kept_character(text[at], _KEPT_AT_THE_START)), end)


def _end_of_words(text: str, start: int, end: int) -> int:
    while end > start and not _is_kept_character(text[end - 1], _KEPT_AT_THE_END):
        end -= 1
    return end
